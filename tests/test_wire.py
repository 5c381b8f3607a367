from __future__ import annotations

import importlib
import json
import pkgutil
import sys
import types
import typing
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, StrEnum
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lwc.services
from lwc import wire
from lwc.wiki import Changed

EVERY_CHARACTER = "".join(map(chr, range(sys.maxunicode + 1)))
UNSAFE = {"Cc", "Cf", "Zl", "Zp", "Cs"}


def raw_in(text: str) -> set[str]:
    """The characters of a text that a terminal could obey, but for its line breaks and tabs."""
    return {c for c in text if unicodedata.category(c) in UNSAFE and c not in "\n\t"}


@pytest.mark.parametrize("compact", [True, False], ids=["compact", "indented"])
def test_no_character_that_a_terminal_obeys_stands_raw_in_a_document(compact: bool) -> None:
    document = wire.encode({"key": EVERY_CHARACTER}, compact=compact)
    assert raw_in(document) == set()
    assert "\t" not in document
    document.encode("utf-8")


def test_no_character_that_a_terminal_obeys_is_visible_raw() -> None:
    assert raw_in(wire.visible(EVERY_CHARACTER)) == set()


def test_a_document_gives_back_every_character_it_escapes() -> None:
    # One by one: a high surrogate beside a low one is read as the character they make.
    escaped = [c for c in EVERY_CHARACTER if unicodedata.category(c) in UNSAFE]
    assert json.loads(wire.encode(escaped)) == escaped


@pytest.mark.parametrize("text", ["维基百科", "かな 한글", "Ärger — “quoted” …", "🧭 𝛼", "e\u0301"])
def test_letters_of_any_script_cost_no_escapes(text: str) -> None:
    assert text in wire.encode({"text": text})
    assert wire.visible(text) == text


@pytest.mark.parametrize(
    "text, shown",
    [
        ("\x1b[2J", "\\u001b[2J"),
        ("\x9b31m", "\\u009b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("\u2028", "\\u2028"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\udb40\\udc41"),
        ("\ufeff", "\\ufeff"),
        ("\x7f", "\\u007f"),
    ],
    ids=[
        "escape",
        "csi",
        "bidi",
        "line separator",
        "surrogate",
        "tag",
        "byte order mark",
        "delete",
    ],
)
def test_what_a_terminal_obeys_is_written_out(text: str, shown: str) -> None:
    assert wire.visible(text) == shown
    assert json.loads(wire.encode(text)) == text


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_a_compact_document_is_one_line(value: Any) -> None:
    assert wire.encode(value, compact=True).splitlines() == [wire.encode(value, compact=True)]


@given(st.dictionaries(st.text(), st.integers()))
def test_equal_values_have_equal_digests(value: dict[str, int]) -> None:
    assert wire.digest(value) == wire.digest(dict(reversed(value.items())))


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    name: str
    sides: tuple[int, ...] = ()
    colour: Colour | None = None


def test_each_kind_of_value_has_its_form() -> None:
    moment = datetime(2026, 11, 30, 18, 25, 47, 123999, tzinfo=UTC)
    assert wire.plain(
        {
            1: Shape(name="a", sides=(1, 2), colour=Colour.RED),
            "when": moment.astimezone(),
            "where": PurePosixPath("a/b"),
            "set": frozenset({1}),
        }
    ) == {
        "1": {"name": "a", "sides": [1, 2], "colour": "red"},
        "when": "2026-11-30T18:25:47.123Z",
        "where": "a/b",
        "set": [1],
    }


@pytest.mark.parametrize(
    "value",
    [object(), b"bytes", Shape, float("nan"), float("inf")],
    ids=["object", "bytes", "type", "nan", "infinity"],
)
def test_what_json_does_not_know_is_refused(value: Any) -> None:
    with pytest.raises(AssertionError):
        wire.plain(value)


def answers() -> Iterator[type[Changed]]:
    """Every answer that may be kept under a request id, wherever it is declared."""
    for module in pkgutil.iter_modules(lwc.services.__path__, "lwc.services."):
        importlib.import_module(module.name)
    waiting: list[type[Changed]] = [Changed]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind is not Changed:
            yield kind


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Values of an annotation, in the form that answers have them."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*map(values, args))
    if origin is tuple:
        if len(args) == 2 and args[1] is Ellipsis:
            return st.lists(values(args[0]), max_size=2).map(tuple)
        return st.tuples(*map(values, args))
    if origin is typing.Literal:
        return st.sampled_from(args)
    if origin is not None and issubclass(origin, Mapping):
        return st.dictionaries(st.text(max_size=3), values(args[1]), max_size=2)
    if is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return st.builds(
            kind, **{field.name: values(hints[field.name]) for field in fields(kind) if field.init}
        )
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(list(kind))
    if kind is datetime:
        whole = st.integers(0, 4_000_000_000_000)
        return whole.map(lambda ms: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms))
    plain = {
        str: st.text(max_size=5),
        int: st.integers(),
        float: st.floats(allow_nan=False, allow_infinity=False),
        bool: st.booleans(),
        type(None): st.none(),
        Any: st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    }
    return plain[kind]


@pytest.mark.parametrize(
    "kind", sorted(answers(), key=lambda kind: kind.__qualname__), ids=lambda kind: kind.__name__
)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_a_kept_answer_comes_back_as_it_was(kind: type[Changed], data: st.DataObject) -> None:
    answer = data.draw(values(kind))
    kept = json.loads(wire.encode(answer, compact=True))
    assert wire.load(kind, kept) == answer
