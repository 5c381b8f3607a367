"""Texts that are typed or handed over to confuse: bytes that are no text, blanks, and bombs."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from typed_commands import LINES
from worlds import World, put

from lwc.cli import app
from lwc.cli.commands import find
from lwc.domain.citation import CitationMark
from lwc.domain.quote import SourceText, judge

# The byte 0xff of a command line, as Python hands it on.
BYTE = "\udcff"


def typed_with_a_byte() -> Iterator[tuple[str, ...]]:
    """Every command with each of its options, and each of its arguments, no UTF-8."""
    seen = set()
    for line in LINES:
        row = find(line.command)
        assert row is not None
        if row[0] in seen or line.before:
            continue
        seen.add(row[0])
        words = len(row[0].split())
        for at in range(words, len(line.argv)):
            yield (*line.argv[:at], BYTE, *line.argv[at + 1 :])
        for parameter in app.build(row).params:
            option = next((name for name in parameter.opts if name.startswith("--")), None)
            if option and not getattr(parameter, "is_flag", False):
                yield (*line.argv, option, BYTE)


def test_bytes_that_are_no_text_are_refused_in_every_argument(world: World) -> None:
    for argv in typed_with_a_byte():
        done = world.lwc(*argv, stdin="[]")
        if done.status:
            assert done.error["code"] != "internal_error", argv
            assert BYTE not in done.err


@pytest.mark.parametrize(
    "argv, stdin",
    [
        (put("alone"), "body \0 body"),
        (("page", "put-many", "-"), json.dumps({"slug": "n", "title": "N", "body": "a\0b"})),
        (("page", "patch", "alone", "--file", "-"), None),
        (("ingest", "analyze", "2", "--agent", "anna", "--file", "-"), "a\0b"),
        (("schema", "set", "-"), "a\0b"),
    ],
    ids=lambda value: value[0] + " " + value[1] if isinstance(value, tuple) else "",
)
def test_a_nul_is_kept_nowhere(argv: tuple[str, ...], stdin: str | None, world: World) -> None:
    if stdin is None:
        body = world.do("page", "show", "alone")["page"]["body"]
        stdin = json.dumps([{"old": body, "new": "a\0b"}])
    before = world.digest()
    error = world.lwc(*argv, stdin=stdin).error
    assert error["reason"] in ("unsafe_characters", "binary_source")
    assert world.digest() == before


@pytest.mark.parametrize(
    "text",
    [" ", "\u3164", "\u2800", "\u115f\u1160", "\u200b", "\u00a0\u2003", "\u034f", "\ufe0f"],
    ids=ascii,
)
def test_what_shows_nothing_is_no_title_and_no_reason(text: str, world: World) -> None:
    page = world.lwc("page", "put", "blank", "--title", text, "--file", "-", stdin="x").error
    assert page["reason"] in ("blank", "unsafe_characters")
    world.write("blank.md", "some text of its own")
    source = world.lwc("source", "add", "blank.md", "--title", text)
    assert source.status == 0 or source.error["reason"] in ("blank", "unsafe_characters")
    reason = world.lwc("ingest", "fail", "2", "--agent", "anna", "--message", text).error
    assert reason["reason"] in ("blank", "unsafe_characters")


@pytest.mark.parametrize("char", ["\uffff", "\ufdd0", "\U0010fffe", "\ue000"], ids=ascii)
def test_what_will_never_be_a_character_stands_in_no_title(char: str, world: World) -> None:
    words = ("page", "put", "odd", "--title", f"a{char}b", "--file", "-")
    assert world.lwc(*words, stdin="x").error["reason"] == "unsafe_characters"


def test_a_refused_kind_names_every_kind_once(world: World) -> None:
    error = world.lwc(*put("alone", "--kind", "weird"), stdin="x").error
    known = error["details"]["known"]
    assert len(known) == len(set(known))


@pytest.mark.parametrize(
    "quote",
    ["the store", " … ".join(["one", "time"] * 8), "The store keeps one writer at a time"],
)
def test_what_stands_everywhere_is_not_counted_everywhere(quote: str) -> None:
    source = SourceText("the store keeps one writer at a time. " * 3_000)
    mark = CitationMark(label="a", source_id=1, quote=quote, start=None, end=None, line=1)
    (state,) = judge([mark], lambda _: source)
    assert state.places <= 101
    assert state.weak
