from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.manifest import LARGEST_MANIFEST, ManifestEntry, parse_manifest
from lwc.errors import (
    DUPLICATE_KEY,
    EMPTY_MANIFEST,
    INVALID_MANIFEST,
    MANIFEST_ENTRY_REFUSED,
    MANIFEST_TOO_LARGE,
    LwcError,
    Problem,
)


def refused(text: str) -> LwcError:
    with pytest.raises(LwcError) as caught:
        parse_manifest(text, path="list.json")
    return caught.value


def manifest(*paths: Any) -> str:
    return json.dumps({"sources": [{"path": path} for path in paths]})


def test_entries_come_in_the_order_written() -> None:
    text = '{"sources": [{"path": "b.md", "title": "B"}, {"path": "a.md"}]}'
    assert parse_manifest(text, path="list.json") == (
        ManifestEntry(path="b.md", title="B"),
        ManifestEntry(path="a.md"),
    )


@pytest.mark.parametrize("title", ["", " \t", None])
def test_a_blank_title_is_none(title: str | None) -> None:
    text = json.dumps({"sources": [{"path": "a.md", "title": title}]})
    assert parse_manifest(text, path="list.json") == (ManifestEntry(path="a.md"),)


@pytest.mark.parametrize("path", ["./a.md", "../a.md", "/tmp/a.md", "a b/ä.md", "a/../b.md", "-"])
def test_where_a_path_leads_is_left_to_the_reader(path: str) -> None:
    assert parse_manifest(manifest(path), path="list.json") == (ManifestEntry(path=path),)


@pytest.mark.parametrize(
    "text, problem",
    [
        pytest.param("hello", INVALID_MANIFEST, id="no-json"),
        pytest.param("", INVALID_MANIFEST, id="empty-file"),
        pytest.param("[" * 100_000, INVALID_MANIFEST, id="bomb"),
        pytest.param("[]", INVALID_MANIFEST, id="list"),
        pytest.param("{}", INVALID_MANIFEST, id="no-sources"),
        pytest.param('{"sources": {}}', INVALID_MANIFEST, id="sources-no-list"),
        pytest.param('{"sources": null}', INVALID_MANIFEST, id="sources-null"),
        pytest.param('{"sources": ["a.md"]}', INVALID_MANIFEST, id="entry-a-text"),
        pytest.param('{"sources": [{}]}', INVALID_MANIFEST, id="no-path"),
        pytest.param('{"sources": [{"path": 1}]}', INVALID_MANIFEST, id="path-a-number"),
        pytest.param('{"sources": [{"path": null}]}', INVALID_MANIFEST, id="path-null"),
        pytest.param(
            '{"sources": [{"path": "a.md", "title": 1}]}', INVALID_MANIFEST, id="title-a-number"
        ),
        pytest.param(
            '{"sources": [{"path": "a.md", "tags": []}]}', INVALID_MANIFEST, id="unknown-field"
        ),
        pytest.param(
            '{"sources": [{"path": "a.md"}], "version": 1}', INVALID_MANIFEST, id="unknown-top"
        ),
        pytest.param('{"sources": [NaN]}', INVALID_MANIFEST, id="nan"),
        pytest.param('{"sources": []}', EMPTY_MANIFEST, id="no-entry"),
        pytest.param(
            '{"sources": [{"path":"ok.md","path":"../../etc/passwd"}]}', DUPLICATE_KEY, id="twice"
        ),
        pytest.param('{"sources": [], "sources": []}', DUPLICATE_KEY, id="twice-at-the-top"),
        pytest.param(" " * (LARGEST_MANIFEST + 1), MANIFEST_TOO_LARGE, id="too-many-bytes"),
    ],
)
def test_what_is_no_manifest_is_refused(text: str, problem: Problem) -> None:
    assert refused(text).problem is problem


def test_line_and_column_are_in_the_details() -> None:
    error = refused('{"sources":\n  [oops]}')
    assert (error.details["line"], error.details["column"]) == (2, 4)


def test_a_hundred_thousand_entries_are_taken_and_one_more_is_not() -> None:
    entry = {"path": "a.md"}
    text = json.dumps({"sources": [entry] * 100_000})
    assert len(parse_manifest(text, path="list.json")) == 100_000
    assert refused(json.dumps({"sources": [entry] * 100_001})).problem is MANIFEST_TOO_LARGE


@pytest.mark.parametrize(
    "path, what",
    [
        pytest.param("", "it is empty", id="empty"),
        pytest.param("a\0.md", "it holds a NUL character", id="nul"),
        pytest.param("a\\b.md", "it holds a backslash", id="backslash"),
        pytest.param("a//b.md", "it has an empty part", id="empty-part"),
        pytest.param("//a.md", "it has an empty part", id="two-slashes-first"),
        pytest.param("docs/", "it has an empty part", id="slash-last"),
        pytest.param("/", "it has an empty part", id="the-root"),
        pytest.param("HTTPS://example.com/a.md", "it is a web address", id="web-address"),
        pytest.param("ä" * 128, "it is too long", id="long-part"),
        pytest.param("a/" * 2_048 + "b", "it is too long", id="long-path"),
    ],
)
def test_a_path_that_cannot_be_is_refused_by_its_entry(path: str, what: str) -> None:
    error = refused(manifest("a.md", path))
    assert error.problem is MANIFEST_ENTRY_REFUSED
    assert error.details == {"index": 1, "entry": 2, "what": what}
    assert error.message.startswith("Entry 2 of the manifest")


_entries = st.lists(
    st.fixed_dictionaries(
        {"path": st.text(st.sampled_from("ab./\\\0 ä"), max_size=6)},
        optional={"title": st.none() | st.text(), "size": st.integers()},
    )
)


@given(_entries)
def test_all_entries_are_taken_or_none(entries: list[dict[str, Any]]) -> None:
    taken, problem = outcome(json.dumps({"sources": entries}))
    assert problem in {None, INVALID_MANIFEST, EMPTY_MANIFEST, MANIFEST_ENTRY_REFUSED}
    assert taken == ([entry["path"] for entry in entries] if problem is None else [])


def outcome(text: str) -> tuple[list[str], Problem | None]:
    try:
        return [entry.path for entry in parse_manifest(text, path="list.json")], None
    except LwcError as error:
        return [], error.problem
