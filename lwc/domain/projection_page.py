"""The file of one page in the Markdown projection: front matter, and the body with its sources."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from lwc import clock
from lwc.domain.citation import QuoteState

# Every page stands two folders deep.
_UP = "../../"
_CITATION = re.compile(r"source:([1-9][0-9]{0,18})(?:#[0-9]{1,18}-[0-9]{1,18})?(?![\w#])")
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedAt:
    """A footnote that cites a source: where the body defines it, and how its quote stands."""

    label: str
    line: int
    source_id: int
    state: QuoteState


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectedPage:
    """All that the file of a page shows; `sources` are the raw files it cites, by their ids."""

    title: str
    kind: str
    summary: str
    body: str
    sources: tuple[tuple[int, str], ...]
    provenance: tuple[str, ...]
    aliases: tuple[str, ...]
    citations: tuple[CitedAt, ...]
    created_at: datetime
    updated_at: datetime


def page_file(page: ProjectedPage) -> str:
    """The file: its own front matter, whatever the body begins with, and one line's end at last."""
    return f"{_front_matter(page)}\n{_with_sources(page)}\n"


def _front_matter(page: ProjectedPage) -> str:
    lines = [
        "---",
        f"type: {quoted(page.kind)}",
        f"title: {quoted(page.title)}",
        *_list("sources", (path for _, path in page.sources)),
        *_list("provenance", page.provenance),
        f"created: {quoted(clock.stamp(page.created_at))}",
        f"updated: {quoted(clock.stamp(page.updated_at))}",
    ]
    if page.summary:
        lines.append(f"summary: {quoted(page.summary)}")
    if page.aliases:
        lines += _list("aliases", page.aliases)
    return "\n".join([*lines, "---", ""])


def _list(name: str, items: Iterable[str]) -> list[str]:
    return [f"{name}:", *([f"  - {quoted(item)}" for item in items] or ["  []"])]


def quoted(text: str) -> str:
    """A YAML scalar in double quotes that is this text to every reader, whatever it holds."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if unicodedata.category(char) not in _UNSEEN:
        return char
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _with_sources(page: ProjectedPage) -> str:
    """The body, in which every citation names the file of its source and how its quote stands.

    The citation itself stays as it is written, so that what is copied back still cites.
    """
    lines = page.body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    files = dict(page.sources)
    for cited in page.citations:
        place = _place(lines, cited)
        if place is not None and cited.source_id in files:
            at, end = place
            link = _link(files[cited.source_id], cited.state)
            lines[at] = f"{lines[at][:end]} {link}{lines[at][end:]}"
    return "\n".join(lines).rstrip("\n")


def _place(lines: list[str], cited: CitedAt) -> tuple[int, int] | None:
    """The line on which a footnote's citation stands, and where it ends there."""
    at = cited.line - 1
    if not 0 <= at < len(lines):
        return None
    opening = f"[^{cited.label}]:"
    start = lines[at].find(opening)
    if start < 0:
        return None
    start += len(opening)
    # What a footnote says may begin on a later line.
    while not lines[at][start:].strip(" \t>"):
        at, start = at + 1, 0
        if at == len(lines):
            return None
    start = len(lines[at]) - len(lines[at][start:].lstrip(" \t>"))
    found = _CITATION.match(lines[at], start)
    if found is None or int(found.group(1)) != cited.source_id:
        return None
    return at, found.end()


def _link(path: str, state: QuoteState) -> str:
    name = path.rpartition("/")[2]
    told = "" if state is QuoteState.NONE else f", {state.value}"
    return f"([{name}]({_UP}{path}){told})"
