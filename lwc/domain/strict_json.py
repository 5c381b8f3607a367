"""JSON from outside, taken strictly: no key twice, no NaN, no bomb, and exact types."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from types import NoneType
from typing import Any, NoReturn

_WHOLE = range(-(2**63), 2**63)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SHOWN = 80
_NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    NoneType: "null",
}


class StrictJsonError(Exception):
    """Why a document is not taken; callers turn it into a row of their own.

    `key` is the key that stands twice in one object. `line` and `column` count from 1 and are
    missing where the parser does not tell them.
    """

    def __init__(
        self,
        what: str,
        *,
        line: int | None = None,
        column: int | None = None,
        key: str | None = None,
    ) -> None:
        self.what = what
        self.line = line
        self.column = column
        self.key = key
        super().__init__(what if line is None else f"{what} at line {line}, column {column}")

    @property
    def place(self) -> dict[str, int | None]:
        """Line and column as the details of a refusal."""
        return {"line": self.line, "column": self.column}


class JsonTooLarge(StrictJsonError):
    """The document was not parsed: it has more bytes than are allowed."""


def parse(content: str | bytes, *, most_bytes: int) -> Any:
    """The value of one JSON document in UTF-8.

    Whole numbers fit in 64 bits, other numbers are finite, every text can be written as UTF-8, and
    no object has a key twice. A byte order mark at the head is passed over.
    """
    text = _text(content, most_bytes)
    try:
        value = json.loads(
            text.removeprefix("\ufeff"),
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_int=_whole,
            parse_float=_finite,
        )
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        what = error.msg[:1].lower() + error.msg[1:]
        raise StrictJsonError(what, line=error.lineno, column=error.colno) from error
    except UnicodeEncodeError as error:
        raise StrictJsonError("a text holds half a surrogate pair") from error
    except RecursionError as error:
        raise StrictJsonError("it is nested too deeply") from error
    return value


def members(
    value: Any,
    *,
    required: Mapping[str, tuple[type, ...]],
    optional: Mapping[str, tuple[type, ...]],
    called: str,
) -> dict[str, Any]:
    """The members of an object that has these keys, no other, and values of exactly these types.

    `True` is no whole number here. `called` names the object in the refusal ("entry 3").
    """
    if type(value) is not dict:
        raise StrictJsonError(f"{called} is {_name(value)}, not an object")
    for key in required:
        if key not in value:
            raise StrictJsonError(f"{called} has no {key}")
    shape = {**required, **optional}
    for key, member in value.items():
        if key not in shape:
            raise StrictJsonError(f"{called} has the unknown field {_shown(key)}")
        if type(member) not in shape[key]:
            wanted = " or ".join(_NAMES[kind] for kind in shape[key])
            raise StrictJsonError(f"the {key} of {called} is {_name(member)}, not {wanted}")
    return value


def _text(content: str | bytes, most_bytes: int) -> str:
    if len(content) > most_bytes:  # characters are never more than bytes
        raise JsonTooLarge(f"it is larger than {most_bytes} bytes")
    try:
        if isinstance(content, bytes):
            return content.decode("utf-8")
        size = len(content) if content.isascii() else len(content.encode("utf-8"))
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")  # type: ignore[union-attr]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise StrictJsonError("it is not UTF-8", line=line, column=column) from error
    except UnicodeEncodeError as error:
        raise StrictJsonError("it holds half a surrogate pair") from error
    if size > most_bytes:
        raise JsonTooLarge(f"it is larger than {most_bytes} bytes")
    return content


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        shown = _shown(key)
        raise StrictJsonError(f"the key {shown} stands twice in one object", key=shown)
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise StrictJsonError(f"{name} is not JSON")


def _whole(digits: str) -> int:
    # Measured before it is converted: int() takes quadratic time and stops at 4,300 digits.
    if len(digits) > 20 or (number := int(digits)) not in _WHOLE:
        raise StrictJsonError(f"the number {_shown(digits)} does not fit in 64 bits")
    return number


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise StrictJsonError(f"the number {_shown(digits)} is too large")
    return number


def _name(value: Any) -> str:
    return _NAMES[type(value)]


def _shown(text: str) -> str:
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
