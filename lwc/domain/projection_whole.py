"""The files of the Markdown projection that gather all: the index, the overview and the log."""

from __future__ import annotations

import re
from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lwc import wire
from lwc.domain.projection import FOLDERS, OTHER, kind_folder
from lwc.domain.projection_page import quoted

# What would end the line it stands on, or begin something that reaches beyond it.
_REACHING = re.compile(r"[\\`<\[\]]|%%|\$\$|==|~~")
# A wikilink's label ends at these, and knows no escape.
_IN_LABEL = str.maketrans("[]|", "()/")


@dataclass(frozen=True, slots=True)
class IndexedPage:
    """A page as the index lists it."""

    slug: str
    title: str
    kind: str
    summary: str


def index_line(page: IndexedPage) -> str:
    """A page on its line."""
    label = page.title.translate(_IN_LABEL)
    link = f"{_target(kind_folder(page.kind), page.slug)}|{label}]]"
    return f"{link} — {on_a_line(page.summary)}" if page.summary else link


def index_file(lines: Iterable[str]) -> str:
    """The lines of all pages below their kinds: built-in ones first, then the wiki's own."""
    sections: defaultdict[str, list[str]] = defaultdict(list)
    for line in lines:
        sections[_heading(line[len(_MARK) : line.index("/")])].append(line)
    for section in sections.values():
        section.sort(key=_order)
    return _index(sections)


def changed_index(index: str, *, gone: Iterable[str], come: Iterable[str]) -> tuple[str, int]:
    """An index in which the pages that had these files have lines no more, and these lines stand.

    Answers also how many pages it lists. Only the sections that change are looked at by line.
    """
    _, *blocks = index.removesuffix("\n").split("\n\n")
    sections = {
        heading: [] if body == _NONE else body.split("\n")
        for heading, body in zip(blocks[::2], blocks[1::2], strict=True)
    }
    lost: defaultdict[str, set[str]] = defaultdict(set)
    for path in gone:
        folder, _, name = path.removeprefix("wiki/").partition("/")
        lost[_heading(folder)].add(_target(folder, name.removesuffix(".md")))
    for heading, targets in lost.items():
        lines = sections.get(heading, [])
        sections[heading] = [line for line in lines if line.partition("|")[0] not in targets]
    for line in come:
        section = sections.setdefault(_heading(line[len(_MARK) : line.index("/")]), [])
        insort(section, line, key=_order)
    return _index(sections), sum(map(len, sections.values()))


_MARK = "- [["
_NONE = "None."


def _target(folder: str, slug: str) -> str:
    return f"{_MARK}{folder}/{slug}"


def _order(line: str) -> tuple[str, str]:
    """By the title as it is shown; neither it nor a slug holds what is cut at."""
    target, _, rest = line.partition("|")
    return rest.partition("]]")[0].casefold(), target


def _heading(folder: str) -> str:
    """No two folders have one heading: names of kinds are lower case."""
    return f"## {folder[0].upper() if folder[0].isascii() else folder[0]}{folder[1:]}"


def _index(sections: Mapping[str, list[str]]) -> str:
    first, last = [_heading(folder) for folder in FOLDERS.values()], _heading(OTHER)
    own = sorted({heading for heading, lines in sections.items() if lines} - {*first, last})
    blocks = ["# Index"]
    for heading in (*first, *own, last):
        blocks += [heading, "\n".join(sections.get(heading, ())) or _NONE]
    return "\n\n".join(blocks) + "\n"


def on_a_line(text: str) -> str:
    """Words of others within a line of ours: nothing in them reaches beyond, or drives a screen."""
    line = wire.visible(" ".join(text.split()))
    return _REACHING.sub(lambda found: "".join(f"\\{char}" for char in found.group()), line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What the overview tells; the moments are stamps, none in a wiki without pages."""

    kinds: Mapping[str, int]
    sources: int
    created: str | None
    updated: str | None


def overview_file(totals: Totals, *, purpose: str) -> str:
    """How much there is of what, and what for."""
    head = ["---", 'type: "overview"', 'title: "Overview"']
    if totals.created is not None and totals.updated is not None:
        head += [f"created: {quoted(totals.created)}", f"updated: {quoted(totals.updated)}"]
    body = [
        "---",
        "",
        "# Overview",
        "",
        f"- Pages: {sum(totals.kinds.values())}",
        f"- Sources: {totals.sources}",
        "",
        "## Kinds of page",
        "",
        *([f"- {kind}: {count}" for kind, count in sorted(totals.kinds.items())] or ["None."]),
        "",
    ]
    if purpose.strip():
        body += [purpose.strip("\n"), ""]
    return "\n".join([*head, *body])


@dataclass(frozen=True, slots=True)
class LoggedOperation:
    """An entry of the journal as it is stored: the moment a stamp, the detail JSON on one line."""

    id: int
    action: str
    target: str | None
    detail: str
    agent: str
    created_at: str


LOG_HEAD = "# Log\n"


def log_entries(operations: Sequence[LoggedOperation]) -> str:
    """What the log says of these operations, in their order; it stands behind what it has."""
    return "".join(map(_entry, operations))


def _entry(operation: LoggedOperation) -> str:
    target = f" {on_a_line(operation.target)}" if operation.target else ""
    return (
        f"\n## {operation.created_at[:10]} {operation.action}{target}\n\n"
        f"{operation.created_at}, operation {operation.id}, {on_a_line(operation.agent)}\n\n"
        f"```json\n{operation.detail}\n```\n"
    )
