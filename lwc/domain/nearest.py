"""The passage most like a quote that is missing: a hint to a reader, never a proof."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz import fuzz

from lwc.domain.fold import WIDE, lowered

# Looking for a hint in a longer text is not worth the wait.
MOST_SEARCHED = 8_000_000
LEAST_SCORE = 50.0

_WHOLE = 2_000  # a text this short is one window
_MOST_WORDS = 48
_MOST_OCCURRENCES = 400
_MOST_WINDOWS = 6
_ALIGNED = (
    160  # aligning costs the product of both lengths, so the ends of a long quote stand for it
)

_TERM = re.compile(rf"[{WIDE}]{{2}}|[^\W_{WIDE}]{{3,60}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A range of a text and how like the quote it is, from 0 to 100."""

    start: int
    end: int
    score: float


def nearest(quote: str, text: str) -> Passage | None:
    """The passage of the text that is most like the quote; none when nothing is like it."""
    if len(text) > MOST_SEARCHED or not quote.strip():
        return None
    low, wanted = _lowered(text), _lowered(quote.strip())
    spans = [_aligned(wanted, low, *window) for window in _windows(wanted, low)]
    found = (likeness(quote, text, *span) for span in spans if span is not None)
    best = max(found, key=lambda passage: passage.score, default=None)
    return best if best is not None and best.score >= LEAST_SCORE else None


def likeness(quote: str, text: str, start: int, end: int) -> Passage:
    """A passage of the text with its score against the quote."""
    score = fuzz.ratio(" ".join(quote.split()), " ".join(text[start:end].split()))
    return Passage(start=start, end=end, score=round(score, 1))


def _lowered(text: str) -> str:
    return lowered(text.replace("İ", "I"))


def _windows(wanted: str, text: str) -> Iterator[tuple[int, int]]:
    """Where the rarer words of the quote stand together."""
    if len(text) <= max(_WHOLE, 2 * len(wanted)):
        yield 0, len(text)
        return
    size = max(60, len(wanted) // 2)
    votes: Counter[int] = Counter()
    for term, offset in _terms(wanted):
        places = _occurrences(term, text)
        for place in places:
            votes[max(0, place - offset) // size] += 1_000 // (10 + len(places))
    for bucket, _ in votes.most_common(_MOST_WINDOWS):
        start = max(0, (bucket - 1) * size)
        yield start, min(len(text), (bucket + 2) * size + len(wanted))


def _terms(wanted: str) -> list[tuple[str, int]]:
    first: dict[str, int] = {}
    for found in _TERM.finditer(wanted):
        first.setdefault(found.group(), found.start())
    # Longer words are rarer; the sort is stable, so that the answer never changes.
    return sorted(first.items(), key=lambda term: -len(term[0]))[:_MOST_WORDS]


def _occurrences(term: str, text: str) -> list[int]:
    """Where a term stands; nowhere when it stands almost everywhere."""
    places: list[int] = []
    at = text.find(term)
    while at >= 0:
        places.append(at)
        if len(places) > _MOST_OCCURRENCES:
            return []
        at = text.find(term, at + len(term))
    return places


def _aligned(wanted: str, text: str, start: int, end: int) -> tuple[int, int] | None:
    """The range within a window that is most like the quote, on whole words."""
    window = text[start:end]
    head = fuzz.partial_ratio_alignment(wanted[:_ALIGNED], window)
    tail = fuzz.partial_ratio_alignment(wanted[-_ALIGNED:], window)
    if head is None or tail is None:
        return None
    first, last = start + head.dest_start, start + tail.dest_end
    if last <= first or last - first > 2 * len(wanted) + 40:
        last = min(end, first + len(wanted))
    return _on_words(text, first, last)


def _on_words(text: str, first: int, last: int) -> tuple[int, int]:
    reach = 30
    while reach and first > 0 and _parts_a_word(text, first):
        first, reach = first - 1, reach - 1
    reach = 30
    while reach and last < len(text) and _parts_a_word(text, last):
        last, reach = last + 1, reach - 1
    passage = text[first:last]
    return first + len(passage) - len(passage.lstrip()), last - len(passage) + len(passage.rstrip())


_SPACED = re.compile(rf"[^\W{WIDE}]")


def _parts_a_word(text: str, at: int) -> bool:
    return bool(_SPACED.match(text, at - 1) and _SPACED.match(text, at))
