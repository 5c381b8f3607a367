"""Refusals for a person at a terminal: what is so, a line for each thing in the way, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lwc import wire
from lwc.errors import LwcError

LISTED_MOST = 20


def worded(error: LwcError, *, colours: bool) -> str:
    """A refusal in words, with every detail of it that is more than one value."""
    red, dim, plain = ("\x1b[1;31m", "\x1b[2m", "\x1b[0m") if colours else ("", "", "")
    row = error.problem
    # Scripts see both words; a person looking one up must find it.
    code = f" ({row.code})" if row.code != row.name else ""
    lines = [f"{red}{row.name}{plain}{code} {_flat(error.message)}"]
    lines += [f"{dim}{line}{plain}" for line in _details(error)]
    return "\n".join([*lines, wire.visible(error.hint)]) + "\n"


def misquote(quote: Mapping[str, Any]) -> str:
    """A quote that does not stand in its source, and what stands there instead."""
    place = f"{quote.get('slug', '')}[^{quote.get('label', '')}]"
    words = [f'{place} "{quote.get("quote", "")}"']
    if quote.get("found"):
        words.append(f'the source has "{quote["found"]}"')
    return _flat("; ".join(words))


def _details(error: LwcError) -> Iterator[str]:
    details = wire.plain(error.details)
    gates = details.pop("gates", None)
    if gates:
        # The gates tell what the details of the first one tell.
        for gate in gates:
            yield from _gate(gate, told=error.message)
        return
    for name, value in details.items():
        if isinstance(value, list | dict) and value:
            yield from _detail(name, value)


def _gate(gate: Mapping[str, Any], *, told: str) -> Iterator[str]:
    quotes = gate["details"].get("citations", ())
    for quote in quotes:
        yield f"{gate['gate']}: {misquote(quote)}"
    if not quotes and gate["message"] != told:
        yield _flat(f"{gate['gate']}: {gate['message']}")


def _detail(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        for item in value[:LISTED_MOST]:
            yield f"{_label(name)}: {_entry(item)}"
        if len(value) > LISTED_MOST:
            yield f"{_label(name)}: {len(value) - LISTED_MOST} more"
        return
    yield f"{_label(name)}: {_said(value)}"


def _entry(item: Mapping[str, Any]) -> str:
    if "quote" in item and "label" in item:
        return misquote(item)
    if "message" in item:
        word = item.get("reason") or item.get("code")
        return _flat(item["message"]) + (f" ({_flat(word)})" if word else "")
    return _said(item)


def _said(value: Any) -> str:
    """Any value in words: no braces, no brackets but those of the texts themselves."""
    if isinstance(value, dict):
        told = ", ".join(f"{_label(name)} {_said(item)}" for name, item in value.items())
        return told or "none"
    if isinstance(value, list):
        if _is_range(value):
            return f"{value[0]}–{value[1]}"
        shown = ", ".join(_said(item) for item in value[:LISTED_MOST])
        more = f" and {len(value) - LISTED_MOST} more" if len(value) > LISTED_MOST else ""
        return f"{shown}{more}" or "none"
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _flat(value)


def _is_range(value: list[Any]) -> bool:
    return len(value) == 2 and all(type(item) is int for item in value) and value[0] < value[1]


def _label(name: str) -> str:
    return _flat(name.replace("_", " "))


def _flat(value: Any) -> str:
    return wire.visible(" ".join(str(value).split()))
