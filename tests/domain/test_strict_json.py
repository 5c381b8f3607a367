from __future__ import annotations

import json
from types import NoneType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.strict_json import JsonTooLarge, StrictJsonError, members, parse

LIMIT = 1_000_000


def refused(content: str | bytes, *, most_bytes: int = LIMIT) -> StrictJsonError:
    with pytest.raises(StrictJsonError) as caught:
        parse(content, most_bytes=most_bytes)
    return caught.value


@pytest.mark.parametrize(
    "content, said",
    [
        pytest.param("", "expecting value", id="empty"),
        pytest.param("hello", "expecting value", id="no-json"),
        pytest.param("[1,]", "", id="comma-at-the-end"),
        pytest.param("[1] x", "extra data", id="more-after-it"),
        pytest.param("{'a': 1}", "expecting property name", id="single-quotes"),
        pytest.param("[1] // why", "extra data", id="comment"),
        pytest.param('"a\nb"', "invalid control character", id="newline-in-a-text"),
        pytest.param('"a\0b"', "invalid control character", id="nul-in-a-text"),
        pytest.param("\u00a0[]", "expecting value", id="blank-that-json-does-not-know"),
        pytest.param("[NaN]", "NaN", id="nan"),
        pytest.param("[Infinity]", "Infinity", id="infinity"),
        pytest.param("[-Infinity]", "-Infinity", id="minus-infinity"),
        pytest.param("[1e999]", "too large", id="float-overflow"),
        pytest.param("[01]", "", id="leading-zero"),
        pytest.param("[+1]", "expecting value", id="plus"),
        pytest.param("[9223372036854775808]", "64 bits", id="beyond-int64"),
        pytest.param("[" + "9" * 5_000 + "]", "64 bits", id="more-digits-than-int-takes"),
        pytest.param("[-" + "9" * 500_000 + "]", "64 bits", id="half-a-million-digits"),
        pytest.param("[" * 100_000, "nested", id="lists-in-lists"),
        pytest.param("[" * 100_000 + "]" * 100_000, "nested", id="lists-in-lists-closed"),
        pytest.param('{"a":' * 100_000, "nested", id="objects-in-objects"),
        pytest.param('"\\ud800"', "surrogate", id="half-a-pair-escaped"),
        pytest.param('{"\\udc00x": 1}', "surrogate", id="half-a-pair-in-a-key"),
        pytest.param('"\ud800"', "surrogate", id="half-a-pair"),
        pytest.param(b"\xff\xfe[\x00]\x00", "not UTF-8", id="utf-16"),
        pytest.param(b'"\xed\xa0\x80"', "not UTF-8", id="surrogate-in-utf-8"),
    ],
)
def test_what_is_no_strict_json_is_refused(content: str | bytes, said: str) -> None:
    error = refused(content)
    assert said in error.what
    assert len(str(error)) < 250


@pytest.mark.parametrize(
    "content, key",
    [
        pytest.param('{"a": 1, "a": 1}', "a", id="twice"),
        pytest.param('{"path": "ok.md", "path": "../x"}', "path", id="other-value"),
        pytest.param('[{"x": {"b": 1, "a": 2, "b": 3}}]', "b", id="deep"),
        pytest.param('{"a": 1, "\\u0061": 2}', "a", id="escaped"),
        pytest.param('{"": 1, "": 2}', "", id="empty"),
        pytest.param(json.dumps("k" * 500).join(["{", ":1,", ":2}"]), "k" * 79 + "…", id="long"),
    ],
)
def test_a_key_twice_is_named(content: str, key: str) -> None:
    assert refused(content).key == key


def test_line_and_column_are_told() -> None:
    error = refused('{\n  "a": oops\n}')
    assert (error.line, error.column) == (2, 8)
    assert str(error) == "expecting value at line 2, column 8"
    error = refused('["ä",\n "ö'.encode() + b'\xff"]')
    assert (error.line, error.column) == (2, 4)


@pytest.mark.parametrize("content", ['"aä"', '"aä"'.encode()], ids=["text", "bytes"])
def test_the_limit_counts_bytes_and_comes_before_parsing(content: str | bytes) -> None:
    assert parse(content, most_bytes=5) == "aä"
    assert isinstance(refused(content, most_bytes=4), JsonTooLarge)
    assert isinstance(refused("[" * 100, most_bytes=99), JsonTooLarge)


@pytest.mark.parametrize("content", ["\ufeff[1]", "\ufeff[1]".encode()], ids=["text", "bytes"])
def test_a_byte_order_mark_is_passed_over(content: str | bytes) -> None:
    assert parse(content, most_bytes=100) == [1]


def test_a_whole_pair_of_surrogates_is_a_character() -> None:
    assert parse('"\\ud834\\udd1e"', most_bytes=100) == "𝄞"


def test_true_is_no_whole_number() -> None:
    with pytest.raises(StrictJsonError, match="the n of it is true or false, not a whole number"):
        members({"n": True}, required={"n": (int,)}, optional={}, called="it")


@pytest.mark.parametrize(
    "value, said",
    [
        pytest.param([], "entry 1 is a list, not an object", id="no-object"),
        pytest.param(None, "entry 1 is null, not an object", id="null"),
        pytest.param({}, "entry 1 has no path", id="missing"),
        pytest.param({"path": "a", "size": 1}, "entry 1 has the unknown field size", id="unknown"),
        pytest.param({"path": 1.0}, "the path of entry 1 is a number, not a text", id="type"),
        pytest.param({"path": "a", "t": 1}, "the t of entry 1 is a whole number, not", id="other"),
    ],
)
def test_another_shape_is_refused_in_words(value: Any, said: str) -> None:
    with pytest.raises(StrictJsonError) as caught:
        members(value, required={"path": (str,)}, optional={"t": (str, NoneType)}, called="entry 1")
    assert caught.value.what.startswith(said)


_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(_values, st.booleans())
def test_what_json_can_say_comes_back(value: Any, escaped: bool) -> None:
    text = json.dumps(value, ensure_ascii=escaped)
    assert parse(text, most_bytes=LIMIT) == value
    assert parse(text.encode(), most_bytes=LIMIT) == value


_SCRAPS = ["{", "}", "[", "]", ":", ",", '"', "\\", "\\ud800", "1", "-", "e9", "NaN", "true", "\n"]


@given(st.lists(st.sampled_from(_SCRAPS)).map("".join) | st.text() | st.binary())
def test_anything_is_a_value_or_a_refusal(content: str | bytes) -> None:
    try:
        value = parse(content, most_bytes=LIMIT)
    except StrictJsonError:
        return
    assert parse(json.dumps(value, ensure_ascii=False).encode(), most_bytes=LIMIT) == value
