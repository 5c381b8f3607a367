"""Locates quotes in their source: exact, near but for typography, or missing; never altered."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice

from lwc.domain.citation import CitationMark, CitationState, QuoteState, is_weak, quote_parts
from lwc.domain.denials import denies
from lwc.domain.edges import may_begin, may_end, may_meet, stands_alone
from lwc.domain.fold import SPACED, TYPESET, Stage, Trace, folded, link_targets, lowered
from lwc.domain.lettercase import case_agrees
from lwc.domain.nearest import likeness, nearest

# A source is folded in blocks: 64 MiB need little memory and a match is mapped back cheaply.
_BLOCK = 65_536
_LONGEST_BLOCK = 2 * _BLOCK
_TRACES_KEPT = 8

# A quote of one common letter is not looked at in a million places; a quote is counted in fewer
# than its parts are, which must be found near each other.
_MOST_EXAMINED = 1_000
_MOST_COUNTED = 100
_ANSWERS_KEPT = 500

# A quote of more parts is none; each part is looked for behind each place of the one before.
_MOST_PARTS = 16

# How many characters a claimed range may be off at either end.
_RANGE_SLACK = 20

Range = tuple[int, int]
# Where a quote stands: one range, or one for each part that an ellipsis joins.
Place = tuple[Range, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Where a quote stands in its source, in code points; places are counted up to a hundred.

    `found` is the real text: for `near` what to paste, for `missing` the most similar passage, with
    its `score` from 0 to 100. `range_wrong` says that the claimed range does not hold the quote.
    """

    state: QuoteState
    start: int | None = None
    end: int | None = None
    places: int = 0
    found: str | None = None
    score: float | None = None
    range_wrong: bool = False


class SourceText:
    """A source made ready for locating; it is folded once, and only as far as a quote needs it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._exact: _View | None = None
        self._near: _View | None = None
        self._answers: dict[tuple[QuoteState, str, int], list[Place]] = {}

    def places(self, state: QuoteState, quote: str, *, most: int = _MOST_EXAMINED) -> list[Place]:
        """The first `most` places where the quote stands: exactly, whitespace apart, or nearly,
        typography apart."""
        asked = (state, quote, most)
        if asked not in self._answers:
            if len(self._answers) >= _ANSWERS_KEPT:
                self._answers.clear()
            found = self._exactly(quote) if state is QuoteState.EXACT else self._nearly(quote)
            self._answers[asked] = list(islice(found, most))
        return self._answers[asked]

    def _exactly(self, quote: str) -> Iterator[Place]:
        if self._exact is None:
            self._exact = _View(self.text, SPACED)
        return ((span,) for span, _ in self._exact.places(quote))

    def _nearly(self, quote: str) -> Iterator[Place]:
        if self._near is None:
            self._near = _View(self.text, TYPESET, caseless=True)
        wanted = folded(quote, TYPESET).strip()
        targets = link_targets(quote)
        return (
            (_balanced(self.text, *span),)
            for span, passage in self._near.places(quote)
            if case_agrees(passage, wanted, before=self.text[max(0, span[0] - 40) : span[0]])
            and all(self._leads_to(target, span) for target in targets)
        )

    def _leads_to(self, target: str, span: Range) -> bool:
        return self.text.find(target, span[0], span[1] + len(target) + 2) >= 0


def locate(quote: str, source: SourceText, *, claimed: Range | None = None) -> Located:
    """Where the quote stands; when in several places, the claimed one, else the first.

    An ellipsis joins parts that occur in this order, in the smallest span. Neither kind of match
    forgives a changed number, negation, name or unit.
    """
    for state, places in _matches(quote.strip(), source):
        if places:
            return _located(state, places, source, claimed=claimed)
    return _missing(quote, source, claimed=claimed)


def judge(
    marks: Sequence[CitationMark], text_of: Callable[[int], SourceText]
) -> tuple[CitationState, ...]:
    """Every citation against its source, in the order given; each source is asked for once."""
    states: dict[int, CitationState] = {}
    by_source = sorted(range(len(marks)), key=lambda index: marks[index].source_id)
    source_id, source = 0, SourceText("")
    for index in by_source:
        if marks[index].source_id != source_id:
            source_id = marks[index].source_id
            source = text_of(source_id)
        states[index] = _judged(marks[index], source)
    return tuple(states[index] for index in range(len(marks)))


def _judged(mark: CitationMark, source: SourceText) -> CitationState:
    claimed = None if mark.start is None or mark.end is None else (mark.start, mark.end)
    if mark.quote is None:
        located = _unquoted(source, claimed=claimed)
    else:
        located = locate(mark.quote, source, claimed=claimed)
    return CitationState(
        source_id=mark.source_id,
        label=mark.label,
        quote=mark.quote,
        state=located.state,
        start=located.start,
        end=located.end,
        score=located.score,
        found=located.found,
        line=mark.line,
        places=located.places,
        weak=mark.quote is not None and is_weak(mark.quote, located.places),
        range_wrong=located.range_wrong,
    )


def _unquoted(source: SourceText, *, claimed: Range | None) -> Located:
    if claimed is None or claimed[1] > len(source.text):
        return Located(state=QuoteState.NONE, range_wrong=claimed is not None)
    return Located(state=QuoteState.NONE, start=claimed[0], end=claimed[1])


def _matches(quote: str, source: SourceText) -> Iterator[tuple[QuoteState, list[Place]]]:
    parts = quote_parts(quote)
    if not parts:
        return
    for state in (QuoteState.EXACT, QuoteState.NEAR):
        yield state, source.places(state, quote, most=_MOST_COUNTED)
    if parts != (quote,) and len(parts) <= _MOST_PARTS:
        exact = [source.places(QuoteState.EXACT, part) for part in parts]
        yield QuoteState.EXACT, _joined(exact, source.text)
        near = [
            found or source.places(QuoteState.NEAR, part)
            for found, part in zip(exact, parts, strict=True)
        ]
        yield QuoteState.NEAR, _joined(near, source.text)


def _located(
    state: QuoteState, places: list[Place], source: SourceText, *, claimed: Range | None
) -> Located:
    place, range_wrong = places[0], False
    if claimed is not None:
        held = [place for place in places if _holds(claimed, place)]
        range_wrong = not held or claimed[1] > len(source.text)
        place = held[0] if held else place
    words = " … ".join(source.text[start:end] for start, end in place)
    return Located(
        state=state,
        start=place[0][0],
        end=place[-1][1],
        places=len(places),
        found=words if state is QuoteState.NEAR else None,
        range_wrong=range_wrong,
    )


def _holds(claimed: Range, place: Place) -> bool:
    start, end = place[0][0], place[-1][1]
    return abs(claimed[0] - start) <= _RANGE_SLACK and abs(claimed[1] - end) <= _RANGE_SLACK


def _missing(quote: str, source: SourceText, *, claimed: Range | None) -> Located:
    passage = nearest(quote, source.text)
    if passage is not None:
        start, end = _whole(source.text, passage.start, passage.end)
        passage = likeness(quote, source.text, start, end)
    return Located(
        state=QuoteState.MISSING,
        found=source.text[passage.start : passage.end] if passage else None,
        score=passage.score if passage else None,
        range_wrong=claimed is not None,
    )


_WORD_BEFORE = re.compile(r"\S{1,40}\s{0,40}\Z")
_WORD_AFTER = re.compile(r"\s{0,40}\S{1,40}")


def _whole(text: str, start: int, end: int) -> Range:
    """The passage with the words on either side that belong to it, so that a reader sees why."""
    for _ in range(4):
        before = _WORD_BEFORE.search(text[max(0, start - 80) : start])
        if before is None or may_begin(text, start):
            break
        start -= len(before.group())
    for _ in range(4):
        after = _WORD_AFTER.match(text, end)
        if after is None or may_end(text, end):
            break
        end = after.end()
    return start, end


_EMPHASIS = re.compile(r"[*_]{1,3}|`+")


def _balanced(text: str, start: int, end: int) -> Range:
    """The range with the emphasis marks beside it whose partner stands inside."""
    inside = [found.group() for found in _EMPHASIS.finditer(text, start, end)]
    after = _EMPHASIS.match(text, end)
    if after and inside.count(after.group()) % 2:
        return start, after.end()
    before = next((sign for sign in set(inside) if text.endswith(sign, 0, start)), None)
    if before and inside.count(before) % 2:
        return start - len(before), end
    return start, end


# What an ellipsis leaves out: more than this, and its parts are no longer one quote.
_MOST_LEFT_OUT = 1_000
# Not behind `Dr.` or `3.`, nor before a small letter: what looks like an end may be none.
_SENTENCE_END = re.compile(
    r"(?<=\w\w\w)[.!?][\"'”’)\]]{0,2}(?=\s)(?!\s{1,9}[a-zß-ÿ\d])|[。！？]|\n\s*\n"
)

_WORDS = re.compile(r"[^\W_]")


def _joined(parts: Sequence[list[Place]], text: str) -> list[Place]:
    """The places in which the parts follow one another, the smallest span first.

    Of spans that end alike only the smallest counts.
    """
    join = cache(partial(_may_join, text))
    spans = [[place[0] for place in places] for places in parts]
    chains: dict[int, Place] = {}
    for first in spans[0]:
        chain = [first]
        for places in spans[1:]:
            index = bisect_left(places, (chain[-1][1], 0))
            if index == len(places) or not join(chain[-1], places[index]):
                break
            chain.append(places[index])
        else:
            chains[chain[-1][1]] = tuple(chain)  # a later start makes a smaller span
            if len(chains) > _MOST_COUNTED:
                break
    return sorted(chains.values(), key=lambda place: place[-1][1] - place[0][0])


def _may_join(text: str, left: Range, right: Range) -> bool:
    """Whether an ellipsis may join two passages.

    It may leave out whole sentences, but neither a denial of the words beside it nor both the end
    of one sentence and the beginning of another: that makes a statement which nobody made.
    """
    start, end = left[1], right[0]
    if end - start > _MOST_LEFT_OUT or not may_meet(text[slice(*left)], text[slice(*right)]):
        return False
    ends = list(_SENTENCE_END.finditer(text, start, end))
    if not ends:
        return not denies(text[start:end])
    behind, before = text[start : ends[0].start()], text[ends[-1].end() : end]
    if denies(behind) or denies(before):
        return False
    return not (_WORDS.search(behind) and _WORDS.search(before))


class _View:
    """A text after some stages of folding, searched block by block."""

    def __init__(self, text: str, stages: Sequence[Stage], *, caseless: bool = False) -> None:
        self._text = text
        self._stages = stages
        self._caseless = caseless
        self._spans = list(_blocks(text))
        self._blocks = [self._cased(folded(text[start:end], stages)) for start, end in self._spans]
        self._traces: dict[int, Trace] = {}

    def places(self, quote: str) -> Iterator[tuple[Range, str]]:
        """Where the quote stands whole: the range of the real text, and its folded words."""
        wanted = self._cased(folded(quote, self._stages).strip())
        if not wanted:
            return
        for examined, (block, at) in enumerate(self._occurrences(wanted)):
            if examined >= _MOST_EXAMINED:
                return
            start, end, passage = self._origin(block, at, len(wanted))
            if stands_alone(self._text, start, end):
                yield (start, end), passage

    def _cased(self, text: str) -> str:
        return lowered(text) if self._caseless else text

    def _occurrences(self, wanted: str) -> Iterator[tuple[int, int]]:
        for index, block in enumerate(self._blocks):
            text = block + self._beyond(index, len(wanted) - 1)
            at = text.find(wanted)
            while 0 <= at < len(block):
                yield index, at
                at = text.find(wanted, at + 1)

    def _beyond(self, index: int, length: int) -> str:
        """What follows a block, as far as a match may reach into it."""
        pieces: list[str] = []
        while length > 0 and (index := index + 1) < len(self._blocks):
            pieces.append(self._blocks[index][:length])
            length -= len(pieces[-1])
        return "".join(pieces)

    def _origin(self, index: int, at: int, length: int) -> tuple[int, int, str]:
        start, last, words = -1, -1, []
        while length > 0:
            trace = self._trace(index)
            until = min(len(trace.text), at + length)
            if until > at:
                first, beyond = trace.origin(at, until)
                base = self._spans[index][0]
                start = base + first if start < 0 else start
                last = base + beyond
                words.append(trace.text[at:until])
                length -= until - at
            index, at = index + 1, 0
        return start, last, "".join(words)

    def _trace(self, index: int) -> Trace:
        if index not in self._traces:
            if len(self._traces) >= _TRACES_KEPT:
                self._traces.clear()
            self._traces[index] = Trace(self._text[slice(*self._spans[index])], self._stages)
        return self._traces[index]


_PARTINGS = ("\n\n", "\n\r\n", ". ", " ", "\n")
_VISIBLE = re.compile(r"\S")


def _blocks(text: str) -> Iterator[Range]:
    """Cuts where folding sees no neighbour: between paragraphs, else words, else anywhere.

    A run of whitespace is never parted, so that it still folds to one space.
    """
    start = 0
    while len(text) - start > _LONGEST_BLOCK:
        least, end = start + _BLOCK, start + _LONGEST_BLOCK
        for parting in _PARTINGS:
            if (at := text.find(parting, least, end)) >= 0:
                visible = _VISIBLE.search(text, at + len(parting))
                end = visible.start() if visible else len(text)
                break
        yield start, end
        start = end
    yield start, len(text)
