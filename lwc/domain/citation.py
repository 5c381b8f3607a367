"""Citations written as footnotes: `source:12 "the words a claim rests on"`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from lwc.domain.pagetext import Footnote, PageText
from lwc.errors import INVALID_SPAN, TOO_LONG, TOO_MANY

MOST_CITATIONS = 2_000
MOST_QUOTED = 4_000

QUOTATION_MARKS = '"“”„‟＂'

# A quote says little when it is shorter than this, or stands in more places than this.
LEAST_TELLING = 20
LEAST_TELLING_WIDE = 8
MOST_PLACES = 3

_MOST_ID = 2**63 - 1
_CITATION = re.compile(rf"source:([1-9][0-9]{{0,18}})(?:#([^\s{QUOTATION_MARKS}]*))?(?![\w#])")
_SPAN = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
_QUOTATION = re.compile(f"[{QUOTATION_MARKS}]")
_JOINT = re.compile(r"\[(?:…|\.\.\.)\]|\((?:…|\.\.\.)\)|…|(?<!\S)\.\.\.(?!\S)|^\.\.\.|\.\.\.$")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]")


class QuoteState(StrEnum):
    """How a quote stands in its source; only `exact` and `near` are located."""

    EXACT = "exact"
    NEAR = "near"
    MISSING = "missing"
    NONE = "unquoted"


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationMark:
    """A citation as the page states it; `start` and `end` are the range it claims."""

    label: str
    source_id: int
    quote: str | None
    start: int | None
    end: int | None
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationState:
    """A citation as it was judged against its source.

    `start` and `end` are code points of the source where the quote was located. `found` is the real
    text: to paste when the quote is `near`, the nearest there is (with its `score`) when `missing`.
    """

    source_id: int
    label: str
    quote: str | None
    state: QuoteState
    start: int | None
    end: int | None
    score: float | None
    found: str | None
    line: int
    places: int
    weak: bool
    range_wrong: bool


def opens_citation(text: str) -> bool:
    """Whether the text of a footnote makes it a citation."""
    found = _CITATION.match(text)
    return found is not None and int(found.group(1)) <= _MOST_ID


def citation_marks(page: PageText) -> tuple[CitationMark, ...]:
    """The citations of a page; of several definitions with one label the first counts.

    A footnote that is no citation is left alone. Refuses a range that cannot be.
    """
    cited = [note for note in page.footnotes if not note.duplicate and opens_citation(note.text)]
    if len(cited) > MOST_CITATIONS:
        raise TOO_MANY(most=MOST_CITATIONS, what="citations")
    return tuple(_mark(note) for note in cited)


def _mark(note: Footnote) -> CitationMark:
    found = _CITATION.match(note.text)
    assert found is not None, "only a footnote that opens as a citation is read as one"
    start, end = _claimed(found.group(2), label=note.label)
    return CitationMark(
        label=note.label,
        source_id=int(found.group(1)),
        quote=_quoted(note.text, label=note.label),
        start=start,
        end=end,
        line=note.line,
    )


def _claimed(span: str | None, *, label: str) -> tuple[int, int] | tuple[None, None]:
    if span is None:
        return None, None
    found = _SPAN.fullmatch(span)
    if found is None:
        raise INVALID_SPAN(label=label, span=f"#{span}")
    start, end = int(found.group(1)), int(found.group(2))
    if start >= end:
        raise INVALID_SPAN(label=label, span=f"#{span}")
    return start, end


def _quoted(text: str, *, label: str) -> str | None:
    """The raw words from the first to the last quotation mark."""
    marks = [found.start() for found in _QUOTATION.finditer(text)]
    if len(marks) < 2:
        return None
    quote = text[marks[0] + 1 : marks[-1]].strip()
    if len(quote) > MOST_QUOTED:
        raise TOO_LONG(field=f"The quote of footnote {label}", most=MOST_QUOTED)
    return quote or None


def quote_parts(quote: str) -> tuple[str, ...]:
    """The parts that an ellipsis joins, those that hold a letter or digit."""
    parts = (part.strip() for part in _JOINT.split(quote))
    return tuple(part for part in parts if any(character.isalnum() for character in part))


def is_weak(quote: str, places: int) -> bool:
    """Whether a quote is too short, too common or too chopped to prove much."""
    parts = [" ".join(part.split()) for part in quote_parts(quote)]
    least = LEAST_TELLING_WIDE if is_wide(quote) else LEAST_TELLING
    if places > MOST_PLACES or sum(map(len, parts)) < least:
        return True
    return len(parts) > 1 and any(len(part) < 8 and " " not in part for part in parts)


def is_wide(text: str) -> bool:
    """Whether most letters are Han, kana or hangul, where eight characters say a sentence."""
    return 2 * len(_WIDE.findall(text)) > sum(character.isalpha() for character in text)
