"""A file of pages to put at once: JSON Lines, one page a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import NoneType
from typing import Any

from lwc.domain import strict_json
from lwc.domain.strict_json import StrictJsonError
from lwc.errors import INVALID_PAGES_FILE

LARGEST_PAGES_FILE = 64 * 1024 * 1024
# They are one change, which keeps all other writers waiting.
MOST_PAGES = 2_000

_REQUIRED: dict[str, tuple[type, ...]] = {"slug": (str,), "title": (str,), "body": (str,)}
_OPTIONAL: dict[str, tuple[type, ...]] = {
    "kind": (str,),
    "summary": (str,),
    "sources": (list,),
    "provenance": (list,),
    "if_revision": (int, NoneType),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLine:
    """A page as its line says it, with what `page put` takes when nothing is said.

    The types are right; slug, kind, provenance and sources are judged where the page is put.
    `line` counts from 1.
    """

    line: int
    slug: str
    title: str
    body: str
    kind: str = "concept"
    summary: str = ""
    sources: tuple[int, ...] = ()
    provenance: tuple[str, ...] = ()
    if_revision: int | None = None


def parse_page_lines(text: str) -> tuple[PageLine, ...]:
    """The pages of a file in its order, at least one; blank lines are passed over."""
    pages: list[PageLine] = []
    for line, written in _lines(text):
        try:
            if len(pages) == MOST_PAGES:
                raise StrictJsonError(f"there are more than {MOST_PAGES:,} pages")
            pages.append(_page(written, line=line))
        except StrictJsonError as error:
            details = {"column": error.column}
            raise INVALID_PAGES_FILE(line=line, what=_said(error), details=details) from error
    if not pages:
        raise INVALID_PAGES_FILE(line=1, what="there is no page")
    return tuple(pages)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    # Not splitlines: JSON texts may hold U+2028 and its like, and copies of 64 MiB are spared.
    line, start = 0, 0
    while start < len(text):
        line += 1
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        written = text[start:end]
        start = end + 1
        if written and not written.isspace():
            yield line, written


def _page(written: str, *, line: int) -> PageLine:
    value = strict_json.parse(written, most_bytes=LARGEST_PAGES_FILE)
    fields = strict_json.members(value, required=_REQUIRED, optional=_OPTIONAL, called="the page")
    fields["sources"] = _listed(fields, "sources", of=int, least=1)
    fields["provenance"] = _listed(fields, "provenance", of=str)
    if (fields.get("if_revision") or 0) < 0:
        raise StrictJsonError("the if_revision is below 0")
    return PageLine(line=line, **fields)


def _listed(fields: dict[str, Any], name: str, *, of: type, least: int = 0) -> tuple[Any, ...]:
    listed = tuple(fields.get(name, ()))
    if any(type(member) is not of for member in listed):
        wanted = "whole numbers" if of is int else "texts"
        raise StrictJsonError(f"the {name} are not all {wanted}")
    if of is int and any(member < least for member in listed):
        raise StrictJsonError(f"a number in {name} is below {least}")
    return listed


def _said(error: StrictJsonError) -> str:
    return error.what if error.column is None else f"{error.what} at column {error.column}"
