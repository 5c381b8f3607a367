from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.page import (
    BUILT_IN_KINDS,
    Provenance,
    clean_summary,
    clean_title,
    content_digest,
    kinds_of_schema,
    known_kinds,
    parse_kind,
    parse_provenance,
    shown_provenance,
)
from lwc.errors import (
    BLANK,
    INVALID_PROVENANCE,
    INVALID_SCHEMA,
    TOO_LONG,
    UNKNOWN_KIND,
    UNSAFE_CHARACTERS,
    LwcError,
)


@pytest.mark.parametrize("text", ["concept", " Concept\n", "CONCEPT"])
def test_a_kind_is_read_whatever_its_case(text: str) -> None:
    assert parse_kind(text, BUILT_IN_KINDS) == "concept"


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [("sources", "source"), ("source s", "source"), ("entities", "entity"), ("zzz", "concept")],
)
def test_a_kind_that_is_only_close_is_refused_with_a_suggestion(text: str, suggestion: str) -> None:
    with pytest.raises(LwcError) as caught:
        parse_kind(text, BUILT_IN_KINDS)
    assert caught.value.problem is UNKNOWN_KIND
    assert caught.value.details["suggestion"] == suggestion
    assert caught.value.details["known"] == list(BUILT_IN_KINDS)


def test_a_kind_of_a_hundred_thousand_letters_is_refused_briefly() -> None:
    with pytest.raises(LwcError) as caught:
        parse_kind("a" * 100_000, BUILT_IN_KINDS)
    assert len(caught.value.details["kind"]) <= 80


def test_a_blank_kind_is_refused() -> None:
    with pytest.raises(LwcError) as caught:
        parse_kind(" \n", BUILT_IN_KINDS)
    assert caught.value.problem is BLANK


@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        ("", ()),
        ("# Schema\n\nkinds: [not, front, matter]\n", ()),
        ("---\ntitle: x\n---\n", ()),
        ("---\nkinds: [decision, recipe]\n---\n# Schema\n", ("decision", "recipe")),
        ("---\r\nkinds: [decision]\r\n---\r\n", ("decision",)),
        ("\ufeff---\nkinds: [decision]\n---\n", ("decision",)),
        ("---\nkinds: [ Decision , 'recipe', \"how-to\", ]  # ours\n---\n", None),
        ("---\nkinds:\n  - decision\n  - recipe\n---\n", ("decision", "recipe")),
        ("---\nkinds:\n- decision # one\n\n# more\n- recipe\ntitle: x\n---\n", None),
        ("---\nother: [a]\nkinds : [决定, recette_écrite]\n...\n", ("决定", "recette_écrite")),
        ("---\nkinds: []\n---\n", ()),
        ("---\nkinds:\n---\n", ()),
        ("---\nkinds: [concept, decision]\n---\n", ("decision",)),
        ("---\n\nA ruled line, no front matter.\n", ()),
        ("---\nkinds: ['null']\n---\n", ("null",)),
    ],
)
def test_own_kinds_are_read_from_front_matter(schema: str, kinds: tuple[str, ...] | None) -> None:
    found = kinds_of_schema(schema)
    if kinds is None:
        assert found[:2] == ("decision", "recipe")
    else:
        assert found == kinds
    assert known_kinds(schema) == BUILT_IN_KINDS + found


@pytest.mark.parametrize(
    "front",
    [
        "kinds: decision",
        "kinds: {a: b}",
        "kinds: [a, [b]]",
        "kinds: [a,, b]",
        "kinds: [a,\n  b]",
        "kinds: [&x a, *x]",
        "kinds: [!!str a]",
        "kinds: [a, A]",
        "kinds: [a]\nkinds: [b]",
        "kinds: [true]",
        "kinds: [12]",
        "kinds: [two words]",
        "kinds: ['a, b']",
        "kinds: [a/b]",
        f"kinds: [{'a' * 41}]",
        f"kinds: [{', '.join(f'k{n}' for n in range(101))}]",
        "kinds:\n  a: b",
        "kinds:\n  - - a",
        "kinds:\n  -",
        "kinds: |\n  a",
        "kinds: [a\u202eb]",
    ],
)
def test_a_list_of_kinds_that_could_mean_something_else_is_refused(front: str) -> None:
    with pytest.raises(LwcError) as caught:
        kinds_of_schema(f"---\n{front}\n---\n")
    assert caught.value.problem is INVALID_SCHEMA
    assert caught.value.details["what"]


def test_front_matter_without_end_is_refused_when_it_lists_kinds() -> None:
    with pytest.raises(LwcError) as caught:
        kinds_of_schema("---\nkinds: [a]\n" + "x: y\n" * 10_000 + "---\n")
    assert caught.value.problem is INVALID_SCHEMA


@given(st.text(alphabet="-k\n :[],&*#'\"abinds", max_size=60).map("---\nkinds:{}\n---\n".format))
def test_any_front_matter_is_read_or_refused(schema: str) -> None:
    try:
        kinds = kinds_of_schema(schema)
    except LwcError:
        kinds = ()
    assert len(set(kinds)) == len(kinds)
    assert all(parse_kind(kind, BUILT_IN_KINDS + kinds) == kind for kind in kinds)


@given(st.lists(st.sampled_from([one.value for one in Provenance])))
def test_provenance_is_kept_once_and_in_order(names: list[str]) -> None:
    kept = parse_provenance(names)
    assert set(kept) == set(names)
    assert list(kept) == sorted(kept, key=list(Provenance).index)
    assert parse_provenance(kept) == kept


def test_an_unknown_provenance_is_refused() -> None:
    with pytest.raises(LwcError) as caught:
        parse_provenance(["source-grounded"])
    assert caught.value.problem is INVALID_PROVENANCE


def test_source_grounded_is_shown_first_and_only_with_a_citation() -> None:
    explicit = ["hypothesis", "user-provided"]
    assert shown_provenance(cites=True, explicit=explicit) == (
        "source-grounded",
        "user-provided",
        "hypothesis",
    )
    assert shown_provenance(cites=False, explicit=explicit) == ("user-provided", "hypothesis")
    assert shown_provenance(cites=True, explicit=[]) == ("source-grounded",)


def test_titles_are_trimmed_and_composed() -> None:
    assert clean_title("  Cafe\u0301 缓存 \n") == "Café 缓存"


@pytest.mark.parametrize(
    ("text", "character"),
    [
        ("a\nb", "U+000A"),
        ("a\tb", "U+0009"),
        ("a\x1b]0;x\x07b", "U+001B"),
        ("a\x9bb", "U+009B"),
        ("a\u202eb", "U+202E"),
        ("a\u200bb", "U+200B"),
        ("a\u00adb", "U+00AD"),
        ("a\u2028b", "U+2028"),
        ("a\u2029b", "U+2029"),
        ("a\ue000b", "U+E000"),
        ("a\ud800b", "U+D800"),
        ("a\U000e0041b", "U+E0041"),
    ],
    ids=ascii,
)
def test_a_title_with_an_unseen_character_is_refused_by_its_number(
    text: str, character: str
) -> None:
    with pytest.raises(LwcError) as caught:
        clean_title(text)
    assert caught.value.problem is UNSAFE_CHARACTERS
    assert caught.value.details == {"field": "The title", "character": character}


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_a_blank_title_is_refused(text: str) -> None:
    with pytest.raises(LwcError) as caught:
        clean_title(text)
    assert caught.value.problem is BLANK


@pytest.mark.parametrize(
    "text",
    ["a" * 501, "é" * 501, "a" * 100_000, "a" + "\u0316\u0301" * 50_000],
    ids=["one too many", "composed", "long", "marks"],
)
def test_a_title_too_long_is_refused(text: str) -> None:
    with pytest.raises(LwcError) as caught:
        clean_title(text)
    assert caught.value.problem is TOO_LONG


def test_five_hundred_characters_count_after_composing() -> None:
    assert clean_title("e\u0301" * 500) == "é" * 500


def test_a_summary_is_joined_to_one_line_and_may_be_empty() -> None:
    assert clean_summary(" one\r\ntwo\n\n\tthree  four ") == "one two three four"
    assert clean_summary("\n") == ""
    with pytest.raises(LwcError) as caught:
        clean_summary("a" * 2001)
    assert caught.value.problem is TOO_LONG
    with pytest.raises(LwcError) as caught:
        clean_summary("a\u202eb")
    assert caught.value.details["field"] == "The summary"


@given(st.text(max_size=60))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    for clean in (clean_title, clean_summary):
        try:
            once = clean(text)
        except LwcError:
            continue
        assert clean(once) == once


def test_the_digest_knows_sets_from_texts() -> None:
    page = {
        "title": "T",
        "kind": "concept",
        "summary": "",
        "body": "b",
        "provenance": ["hypothesis", "user-provided"],
        "source_ids": [2, 1, 2],
        "named_ids": [2],
        "links": ["b", "a"],
    }
    same = page | {
        "provenance": ["user-provided", "hypothesis"],
        "source_ids": [1, 2],
        "links": ["a", "b", "b"],
    }
    assert content_digest(**page) == content_digest(**same)  # type: ignore[arg-type]
    for field, other in (
        *(("title", "U"), ("body", "c")),
        *(("source_ids", [1]), ("named_ids", []), ("links", ["a"])),
    ):
        assert content_digest(**page) != content_digest(**(page | {field: other}))  # type: ignore[arg-type]
