"""What the Markdown of a page holds: links, footnotes, marks, headings and paragraphs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class LinkKind(StrEnum):
    """How a link to another page is written."""

    WIKI = "wiki"
    MARKDOWN = "markdown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link to another page; the target is as written and not yet a slug."""

    target: str
    line: int
    kind: LinkKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Footnote:
    """One definition `[^label]: text`; `text` is its Markdown as it stands.

    Of several definitions with one label the first counts; the others are `duplicate`.
    """

    label: str
    text: str
    line: int
    referenced: bool
    duplicate: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A footnote mark `[^label]` in the text, whether or not the label is defined."""

    label: str
    line: int
    defined: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading with its plain text."""

    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph of prose, with the labels of the defined footnotes it carries."""

    line: int
    labels: tuple[str, ...]

    @property
    def cited(self) -> bool:
        """Whether it carries a footnote at all."""
        return bool(self.labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """A page body, read; every tuple is in the order of the text and lines count from 1.

    `structural` says that the page calls itself a table of contents or an index.
    """

    links: tuple[Link, ...]
    footnotes: tuple[Footnote, ...]
    marks: tuple[Mark, ...]
    headings: tuple[Heading, ...]
    paragraphs: tuple[Paragraph, ...]
    structural: bool
    lead: str
