"""What lint says of a page's own text, noted when the page is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from lwc.domain.citation import CitationMark
from lwc.domain.pagetext import PageText

# A page that has more of one kind is told about these; the rest is the same again.
MOST_OF_A_KIND = 200


class NoteCode(StrEnum):
    """What can be noted; lint reports each under the same code."""

    CLAIM_UNCITED = "claim_uncited"
    FOOTNOTE_UNREFERENCED = "footnote_unreferenced"
    FOOTNOTE_DUPLICATE = "footnote_duplicate"
    FOOTNOTE_UNDEFINED = "footnote_undefined"
    POSSIBLE_DUPLICATE = "possible_duplicate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One thing noted; `target` is the footnote's label, or the slug of the page that is alike."""

    code: NoteCode
    line: int
    target: str = ""


def notes_of(page: PageText, citations: tuple[CitationMark, ...]) -> tuple[Note, ...]:
    """The notes of a page text, each once, in the order of the codes and of the text."""
    found: list[Note] = []
    for make in (_uncited, _unreferenced, _duplicate, _undefined):
        found += list(dict.fromkeys(make(page, citations)))[:MOST_OF_A_KIND]
    return tuple(found)


def _uncited(page: PageText, citations: tuple[CitationMark, ...]) -> Iterator[Note]:
    cited = {citation.label for citation in citations}
    for paragraph in page.paragraphs:
        if cited.isdisjoint(paragraph.labels):
            yield Note(code=NoteCode.CLAIM_UNCITED, line=paragraph.line)


def _unreferenced(page: PageText, citations: tuple[CitationMark, ...]) -> Iterator[Note]:
    for footnote in page.footnotes:
        if not footnote.referenced:
            yield Note(
                code=NoteCode.FOOTNOTE_UNREFERENCED, line=footnote.line, target=footnote.label
            )


def _duplicate(page: PageText, citations: tuple[CitationMark, ...]) -> Iterator[Note]:
    for footnote in page.footnotes:
        if footnote.duplicate:
            yield Note(code=NoteCode.FOOTNOTE_DUPLICATE, line=footnote.line, target=footnote.label)


def _undefined(page: PageText, citations: tuple[CitationMark, ...]) -> Iterator[Note]:
    for mark in page.marks:
        if not mark.defined:
            yield Note(code=NoteCode.FOOTNOTE_UNDEFINED, line=mark.line, target=mark.label)
