from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lwc.domain.slug import collision_key, confusable, parse_slug, skeleton
from lwc.errors import INVALID_SLUG, SLUG_RESERVED, LwcError


def is_slug(text: str) -> bool:
    try:
        parse_slug(text)
    except LwcError:
        return False
    return True


MARKS = st.text(alphabet="aΑαιßİǰ\u0301\u0316\u0345\u0308\u0327ﬁ\u1e96\u1fb7", max_size=12)


@pytest.mark.parametrize(
    "text",
    [
        "page",
        "Page",
        "session-timeout",
        "snake_case.v2",
        "two words",
        "2026.4.10",
        "缓存一致性",
        "二〇二六年",
        "キャッシュ",
        "캐시 일관성",
        "हिन्दी",
        "ภาษาไทย",
        "عربي",
        "café",
        "x_",
        "con-sole",
        "index.md",
        "a" * 80,
    ],
)
def test_words_of_any_script_are_slugs(text: str) -> None:
    assert parse_slug(text) == text


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "blank"),
        ("   ", "blank"),
        ("../../etc/cron", "`/`"),
        ("a\\b", "`\\`"),
        ("a:b", "`:`"),
        ("what?", "`?`"),
        ("a[b", "`[`"),
        ("a#b", "`#`"),
        ("a|b", "`|`"),
        ("abc\n", "U+000A"),
        ("a\tb", "U+0009"),
        ("a\0b", "U+0000"),
        ("a\x9bb", "U+009B"),
        ("a\u00a0b", "U+00A0"),
        ("a\u3000b", "U+3000"),
        ("a\u2028b", "U+2028"),
        ("a\u202eb", "U+202E"),
        ("a\ue000b", "U+E000"),
        ("a\ud800b", "U+D800"),
        ("a\U0001f600", "U+1F600"),
        ("x\u00b2", "U+00B2"),
        (" a", "begin"),
        ("-a", "begin"),
        ("_a", "begin"),
        (".", "begin"),
        ("..", "begin"),
        ("\u0301a", "begin"),
        ("a ", "a space"),
        ("a.", "ends with `.`"),
        ("a-", "ends with `-`"),
        ("a  b", "two spaces"),
        ("a" * 81, "80 characters"),
        ("a" * 100_000, "80 characters"),
        ("a" + "\u0316\u0301" * 50_000, "80 characters"),
        ("汉" * 67, "200 bytes"),
    ],
    ids=lambda value: ascii(value)[:24],
)
def test_what_cannot_be_a_file_or_a_link_is_refused_with_the_reason(text: str, what: str) -> None:
    with pytest.raises(LwcError) as caught:
        parse_slug(text)
    assert caught.value.problem is INVALID_SLUG
    assert what in caught.value.details["what"]


@pytest.mark.parametrize(
    "text",
    [
        *("con", "CON", "prn", "aux", "nul", "com0", "com1", "lpt9", "com¹", "LPT³", "ｃｏｎ"),
        *("con.txt", "Nul.tar.gz", "aux .md"),
        *("index", "Log", "OVERVIEW", ".hidden", "..hidden"),
    ],
)
def test_names_that_systems_keep_for_themselves_are_reserved(text: str) -> None:
    with pytest.raises(LwcError) as caught:
        parse_slug(text)
    assert caught.value.problem is SLUG_RESERVED


# What NFKC and casefold do not make one: (a name, its double, what becomes of the double).
DOUBLES = [
    ("cache", "c\u0430che", "alike"),
    ("cache", "\u0441ache", "alike"),
    ("cache", "cach\u0435", "alike"),
    ("optics", "\u043eptics", "alike"),
    ("page", "\u0440age", "alike"),
    ("xray", "\u0445ray", "alike"),
    ("yard", "\u0443ard", "alike"),
    ("index-a", "\u0456ndex-a", "alike"),
    ("json", "\u0458son", "alike"),
    ("store", "\u0455tore", "alike"),
    ("omega", "\u03bfmega", "alike"),
    ("alpha", "alph\u03b1", "alike"),
    ("vector", "\u03bdector", "alike"),
    ("Beta", "\u0392eta", "alike"),
    ("Top", "\u0422op", "alike"),
    ("cope", "\u0441\u043e\u0440\u0435", "alike"),
    ("page", "pa\u200bge", "refused"),
    ("page", "pa\u00adge", "refused"),
    ("page", "page\ufe0f", "refused"),
    ("page", "pa\u200dge", "refused"),
    ("page", "pa\u034fge", "refused"),
    ("page", "page\u115f", "refused"),
    ("page", "page\u3164", "refused"),
    ("page", "page\U000e0101", "refused"),
    ("page", "\u202epage", "refused"),
]


@pytest.mark.parametrize(("name", "double", "fate"), DOUBLES, ids=[ascii(d) for _, d, _ in DOUBLES])
def test_a_double_that_folding_cannot_unify_is_refused_or_found(
    name: str, double: str, fate: str
) -> None:
    assert collision_key(name) != collision_key(double)
    assert is_slug(double) is (fate == "alike")
    if fate == "alike":
        assert skeleton(double) == skeleton(name)


@pytest.mark.parametrize(
    ("slug", "mixed"),
    [
        ("c\u0430che", True),
        ("alph\u03b1", True),
        ("a-\u043e\u043a\u0438", False),  # two words, each of one script
        ("\u043a\u0435\u0448", False),
        ("\u03bfмега", True),
        ("缓存cache", False),
        ("café", False),
        ("cache", False),
    ],
    ids=ascii,
)
def test_only_a_word_of_mixed_scripts_is_confusable(slug: str, mixed: bool) -> None:
    assert confusable(slug) is mixed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Page", "page"),
        ("café", "cafe\u0301"),
        ("ｐａｇｅ", "page"),
        ("straße", "STRASSE"),
        ("ﬁle", "file"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("ｷｬｯｼｭ", "キャッシュ"),
    ],
)
def test_names_equal_under_case_and_compatibility_collide(one: str, other: str) -> None:
    assert collision_key(parse_slug(one)) == collision_key(parse_slug(other))


def test_both_normal_forms_give_one_slug() -> None:
    assert parse_slug("cafe\u0301") == parse_slug("café") == "café"


@given(st.text(max_size=40) | MARKS)
@example("\u0345\u0301")
def test_the_key_of_a_key_is_itself(text: str) -> None:
    key = collision_key(text)
    assert collision_key(key) == key


@given(st.text(max_size=20) | MARKS)
def test_a_slug_parses_to_itself_and_to_what_nfc_makes_of_it(text: str) -> None:
    if is_slug(text):
        slug = parse_slug(text)
        assert parse_slug(slug) == slug
        assert parse_slug(unicodedata.normalize("NFD", text)) == slug
        assert collision_key(slug) == collision_key(text)


@given(st.text(max_size=20) | MARKS)
def test_the_shape_of_a_shape_is_itself(text: str) -> None:
    assert skeleton(skeleton(text)) == skeleton(text)


@pytest.mark.parametrize(
    "text",
    ["a" * 100_000, "а" * 100_000, "a" + "\u0316\u0301" * 50_000, "ﷺ" * 100_000],
    ids=["ascii", "cyrillic", "marks", "expanding"],
)
def test_any_text_however_long_has_a_key_and_a_shape(text: str) -> None:
    assert collision_key(collision_key(text)) == collision_key(text)
    assert skeleton(text)
