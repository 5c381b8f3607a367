"""Reads the Markdown of a page body into the links, footnotes and paragraphs that matter here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

from markdown_it.token import Token

from lwc.domain.citation import QUOTATION_MARKS, opens_citation
from lwc.domain.markdown_rules import FOOTNOTE_MARK, WIKILINK, parse
from lwc.domain.pagetext import Footnote, Heading, Link, LinkKind, Mark, PageText, Paragraph

MOST_LEAD = 400

_STRUCTURAL = ("总览文档", "文档目录", "table of contents", "navigation index", "document index")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_UNSAFE = re.compile(r"[/\\:\x00-\x1f\x7f-\x9f\u2028\u2029\ufffd]")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")
_MARKUP = frozenset({"html_inline", FOOTNOTE_MARK})


def read_page(body: str) -> PageText:
    """What a body holds.

    Links and marks come from text only: never from code, HTML or comments, and not from the quoted
    words of a citation. Time grows with the length of the body, whatever it holds.
    """
    reader = _Reader()
    for token in parse(body):
        reader.take(token)
    lowered = body.lower()
    return reader.page(structural=any(words in lowered for words in _STRUCTURAL))


@dataclass(slots=True)
class _Definition:
    """A footnote definition while its tokens pass by."""

    label: str
    text: str
    line: int
    citation: bool
    quotes: int = 0
    # Links and marks wait until the number of quotation marks is known.
    links: list[tuple[int, Link]] = field(default_factory=list)
    marks: list[tuple[int, str, int]] = field(default_factory=list)

    def is_quoted(self, quotes_before: int) -> bool:
        return self.citation and 0 < quotes_before < self.quotes


@dataclass(slots=True)
class _Block:
    """One block of running text: where it begins and what was found in it."""

    line: int
    links: list[tuple[int, Link]]
    marks: list[tuple[int, str, int]]


class _Reader:
    """Walks the tokens once and gathers."""

    def __init__(self) -> None:
        self._links: list[Link] = []
        self._marks: list[tuple[str, int]] = []
        self._headings: list[Heading] = []
        self._paragraphs: list[tuple[int, list[str]]] = []
        self._definitions: list[_Definition] = []
        self._open: list[_Definition] = []
        self._above: list[tuple[str, int, str]] = []
        self._line = 1
        self._lead = ""

    def take(self, token: Token) -> None:
        if token.map is not None:
            self._line = token.map[0] + 1
        if token.type == "inline":
            self._read(token)
        elif token.nesting == 1:
            self._above.append((token.type, token.level, token.tag))
            if token.type == "footnote_reference_open":
                self._define(token)
        elif token.nesting == -1:
            self._above.pop()
            if token.type == "footnote_reference_close":
                self._settle(self._open.pop())

    def page(self, *, structural: bool) -> PageText:
        labels = {definition.label for definition in self._definitions}
        marked = {label for label, _ in self._marks}
        return PageText(
            links=tuple(sorted(self._links, key=lambda link: link.line)),
            footnotes=self._footnotes(marked),
            marks=tuple(
                Mark(label=label, line=line, defined=label in labels)
                for label, line in sorted(self._marks, key=lambda mark: mark[1])
            ),
            headings=tuple(self._headings),
            paragraphs=tuple(
                Paragraph(line=line, labels=tuple(label for label in found if label in labels))
                for line, found in self._paragraphs
            ),
            structural=structural,
            lead=self._lead,
        )

    def _footnotes(self, marked: set[str]) -> tuple[Footnote, ...]:
        seen: set[str] = set()
        footnotes = []
        for definition in self._definitions:
            footnotes.append(
                Footnote(
                    label=definition.label,
                    text=definition.text,
                    line=definition.line,
                    referenced=definition.label in marked,
                    duplicate=definition.label in seen,
                )
            )
            seen.add(definition.label)
        return tuple(footnotes)

    def _define(self, token: Token) -> None:
        text = token.meta["text"]
        definition = _Definition(
            label=token.meta["label"],
            text=text,
            line=self._line,
            citation=opens_citation(text),
        )
        self._definitions.append(definition)
        self._open.append(definition)

    def _settle(self, definition: _Definition) -> None:
        self._links += [
            link for before, link in definition.links if not definition.is_quoted(before)
        ]
        self._marks += [
            (label, line)
            for before, label, line in definition.marks
            if not definition.is_quoted(before)
        ]

    def _read(self, token: Token) -> None:
        children = token.children or []
        kind, level, tag = self._above[-1] if self._above else ("", 0, "")
        block = self._gather(token.content, children)
        if self._open:
            definition = self._open[-1]
            definition.links += block.links
            definition.marks += block.marks
            definition.quotes += _quotation_marks(token.content)
            return
        self._links += [link for _, link in block.links]
        self._marks += [(label, line) for _, label, line in block.marks]
        if kind == "heading_open":
            heading = Heading(level=int(tag[1:]), text=_plain(children), line=block.line)
            self._headings.append(heading)
        elif kind == "paragraph_open" and level == 0:
            self._lead = self._lead or _shortened(_plain(children))
            if _is_prose(children):
                self._paragraphs.append((block.line, [label for _, label, _ in block.marks]))

    def _gather(self, content: str, children: Sequence[Token]) -> _Block:
        """The links and marks of one block, each with the quotation marks that stand before it."""
        line, read = self._line, 0
        quotes = self._open[-1].quotes if self._open else 0
        block = _Block(line=line, links=[], marks=[])
        for child in children:
            if child.type not in (WIKILINK, FOOTNOTE_MARK, "link_open"):
                continue
            if child.markup == "autolink":
                continue  # `<https://…>` and `<a@b.c>` always lead out of the wiki
            at = child.meta["at"]
            line += content.count("\n", read, at)
            quotes += _quotation_marks(content[read:at]) if self._open else 0
            read = at
            if child.type == FOOTNOTE_MARK:
                block.marks.append((quotes, child.meta["label"], line))
            elif child.type == WIKILINK:
                link = Link(target=child.meta["target"], line=line, kind=LinkKind.WIKI)
                block.links.append((quotes, link))
            elif target := _linked_page(str(child.attrs.get("href", ""))):
                link = Link(target=target, line=line, kind=LinkKind.MARKDOWN)
                block.links.append((quotes, link))
        return block


def _linked_page(href: str) -> str:
    """The page that an ordinary link names; empty when it leads anywhere else."""
    path = re.split(r"[?#]", href, maxsplit=1)[0]
    if path.startswith(("/", "\\")) or _SCHEME.match(path):
        return ""
    name = unquote(path.rpartition("/")[2]).strip()
    if not name.lower().endswith(".md") or _UNSAFE.search(name):
        return ""
    return name[: -len(".md")].strip()


def _quotation_marks(text: str) -> int:
    return sum(text.count(mark) for mark in QUOTATION_MARKS)


def _plain(children: Sequence[Token]) -> str:
    """The words a reader sees, on one line."""
    shown = (
        " " if child.type in ("softbreak", "hardbreak") else child.content
        for child in children
        if child.type not in _MARKUP
    )
    return " ".join("".join(shown).split())


def _is_prose(children: Sequence[Token]) -> bool:
    """Whether a paragraph says something of its own beside its links, code and pictures."""
    own, depth = [], 0
    for child in children:
        if child.type == "link_open":
            depth += 1
        elif child.type == "link_close":
            depth -= 1
        elif depth == 0 and child.type in ("text", "text_special"):
            own.append(child.content)
    text = "".join(own)
    letters = sum(character.isalpha() for character in text)
    return letters >= (5 if _WIDE.search(text) else 12)


def _shortened(text: str) -> str:
    if len(text) <= MOST_LEAD:
        return text
    cut = text[: MOST_LEAD - 1]
    return (cut.rpartition(" ")[0] if cut.count(" ") > 3 else cut) + "…"
