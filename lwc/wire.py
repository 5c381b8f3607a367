"""Values to JSON and back: the one encoder that commands, tools and views share."""

from __future__ import annotations

import json
import math
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import field, fields, is_dataclass
from datetime import datetime
from enum import Enum
from hashlib import sha256
from pathlib import PurePath
from typing import Any

from lwc import clock


def plain(value: Any) -> Any:
    """A value as JSON knows it: dataclasses become objects, moments stamps, tuples lists."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {
            one.name: plain(item)
            for one in fields(value)
            for item in (getattr(value, one.name),)
            if item is not None or "left_out" not in one.metadata
        }
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, datetime):
        return clock.stamp(value)
    if isinstance(value, PurePath):
        return str(value)
    raise AssertionError(f"{type(value).__name__} has no JSON form")


def left_out() -> Any:
    """The default of a field that JSON shows only when it says something."""
    return field(default=None, metadata={"left_out": True})


def encode(value: Any, *, compact: bool = False) -> str:
    """One JSON document, keys in alphabetical order.

    Text stays UTF-8 (a Han character must not cost six); control, format and separator characters
    and lone surrogates are escaped, so that no document can drive a terminal.
    """
    text = json.dumps(
        plain(value),
        ensure_ascii=False,
        sort_keys=True,
        indent=None if compact else 2,
        separators=(",", ":") if compact else None,
    )
    return text if text.isascii() and "\x7f" not in text else _escape_unsafe(text)


def digest(value: Any) -> str:
    """SHA-256 of the compact JSON form: equal values have equal digests."""
    return sha256(encode(value, compact=True).encode("utf-8")).hexdigest()


def text_digest(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes, as hex."""
    return sha256(text.encode("utf-8")).hexdigest()


def load(kind: Any, data: Any) -> Any:
    """The inverse of `plain` for the annotated shapes our answers use."""
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _load_union(typing.get_args(kind), data)
    if origin is tuple:
        return tuple(load(typing.get_args(kind)[0], item) for item in data)
    if origin in (list, set, frozenset):
        return origin(load(typing.get_args(kind)[0], item) for item in data)
    if origin is not None and issubclass(origin, Mapping):
        return {key: load(typing.get_args(kind)[1], item) for key, item in data.items()}
    if is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{name: load(hints[name], item) for name, item in data.items()})  # type: ignore[operator]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(data)
    if kind is datetime:
        return clock.parse(data)
    return data


def _load_union(members: tuple[Any, ...], data: Any) -> Any:
    if data is None:
        return None
    return load(next(member for member in members if member is not type(None)), data)


def visible(text: str) -> str:
    """The text with every character a terminal could obey written as `\\uXXXX`."""
    if text.isascii() and text.isprintable():
        return text
    return _escape_unsafe(text)


def _escape_unsafe(text: str) -> str:
    return re.sub(_unsafe(), _escaped, text)


def _unsafe() -> str:
    # C0 but newline and tab, DEL, C1, format characters, line separators, surrogates, tags.
    return (
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
        "\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
        "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
        "\U000e0001\U000e0020-\U000e007f]"
    )


def _escaped(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
