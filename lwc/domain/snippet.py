"""The passage of a text that answers a query best, and which of its characters were asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log

from lwc.domain.letters import (
    WORD_LIMIT,
    Alphabet,
    alphabet,
    composed,
    in_word,
    is_cjk,
    joins_the_one_before,
)
from lwc.domain.porter import stem
from lwc.domain.terms import CAMEL_PART

SNIPPET_WIDTH = 180
_READ_CHARACTERS = 1_000_000
_HITS_PER_TERM = 5_000
_SENTENCE_ENDS = ("\n\n", ". ", "! ", "? ", "。", "！", "？")
_VISIBLE = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A passage as it is shown: on one line, each run of white space one space."""

    text: str
    start: int
    """Where it begins in the whole text, in code points."""
    end: int
    marks: tuple[tuple[int, int], ...]
    """Ranges of the shown text that match the query, in order and apart."""


@dataclass(frozen=True, slots=True)
class _Match:
    start: int
    end: int
    term: str


def best_window(text: str, terms: Iterable[str], *, width: int = SNIPPET_WIDTH) -> Snippet:
    """The passage of at most `width` characters with the most, and the rarest, of the terms.

    The terms are those of `query_terms`. Only the first million characters are looked at. Without
    any match it is how the text begins.
    """
    text = text[:_READ_CHARACTERS]
    matches = _matches(text, tuple(dict.fromkeys(terms)))
    chosen = _densest(matches, width)
    start, end = _edges(text, chosen, width) if chosen else _opening(text, width)
    inside = [match for match in matches if start <= match.start and match.end <= end]
    return _shown(text, start, end, inside)


def _matches(text: str, terms: Sequence[str]) -> list[_Match]:
    folded, origins = _folded(text)
    found = [
        _Match(start, end, term)
        for term in terms
        if term
        for start, end in _places(term, folded=folded, origins=origins, text=text)
    ]
    return sorted(found, key=lambda match: (match.start, match.end))


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """The text folded, and where each folded character (and the end) came from."""
    if text.isascii():
        return text.lower(), range(len(text) + 1)
    letters = alphabet(text)
    if not letters.composes and all(len(fold) == 1 for fold in letters.folds.values()):
        return text.translate(letters.folds), range(len(text) + 1)
    folded: list[str] = []
    origins: list[int] = []
    done = 0
    for odd in _odd(letters).finditer(text):
        folded.append(text[done : odd.start()].translate(letters.folds))
        origins.extend(range(done, odd.start()))
        folded.append(composed(odd.group().translate(letters.folds)))
        origins.extend([odd.start()] * len(folded[-1]))
        done = odd.end()
    folded.append(text[done:].translate(letters.folds))
    return "".join(folded), [*origins, *range(done, len(text) + 1)]


def _odd(letters: Alphabet) -> re.Pattern[str]:
    """Finds a letter with its marks, and a character that does not fold to just one."""
    folds = letters.folds.items()
    marks = _class(code for code, fold in folds if fold and joins_the_one_before(fold[0]))
    others = _class(code for code, fold in folds if len(fold) != 1)
    lettered = rf"[^\s{marks}]?[{marks}]+" if marks else ""
    return re.compile("|".join(filter(None, (lettered, f"[{others}]" if others else ""))))


def _class(codes: Iterable[int]) -> str:
    return "".join(re.escape(chr(code)) for code in codes)


def _places(
    term: str, *, folded: str, origins: Sequence[int], text: str
) -> Iterator[tuple[int, int]]:
    """Where the term stands, as ranges of the text."""
    # Porter changes at most the last letter of what it leaves of a word.
    needle = term[:-1] if term.isascii() and len(term) > 2 else term
    at = folded.find(needle)
    for _ in range(_HITS_PER_TERM):
        if at < 0:
            return
        end = _end_of_hit(term, at, folded=folded, origins=origins, text=text)
        if end > at:
            yield origins[at], max(origins[end], origins[at] + 1)
        at = folded.find(needle, max(end, at + 1))


def _end_of_hit(term: str, at: int, *, folded: str, origins: Sequence[int], text: str) -> int:
    """Where the word at this place ends, or 0 when it is not the term."""
    if is_cjk(term[0]):
        return at + len(term)
    if at == 0 or not _joined(folded[at - 1]):
        end = at + 1
        while end < len(folded) and end - at < WORD_LIMIT and _joined(folded[end]):
            end += 1
        word = folded[at:end]
        if (stem(word) if word.isascii() else word) == term:
            return end
    part = CAMEL_PART.match(text, origins[at], min(origins[at] + WORD_LIMIT, len(text)))
    if part and stem(part.group().lower()) == term and _parts_there(text, part.start()):
        return at + len(part.group())
    return 0


def _joined(char: str) -> bool:
    return in_word(char) and not is_cjk(char)


def _parts_there(text: str, at: int) -> bool:
    """Whether a name in camelCase may be parted before this character."""
    if at == 0 or not text[at - 1].isalnum():
        return True
    return text[at].isupper() or text[at].isdigit() != text[at - 1].isdigit()


def _densest(matches: Sequence[_Match], width: int) -> Sequence[_Match]:
    """Those neighbours within `width` whose distinct terms weigh most, the first of equals."""
    counts = Counter(match.term for match in matches)
    # Whole numbers, so that adding and taking away leaves no rest.
    weights = {term: int(1000 / (1 + log(count))) for term, count in counts.items()}
    inside: Counter[str] = Counter()
    weight = left = 0
    best, chosen = (0, 0), (0, 0)
    for right, match in enumerate(matches):
        inside[match.term] += 1
        weight += weights[match.term] * (inside[match.term] == 1)
        while match.end - matches[left].start > width and left < right:
            gone = matches[left].term
            inside[gone] -= 1
            weight -= weights[gone] * (inside[gone] == 0)
            left += 1
        if (weight, right - left) > best:
            best, chosen = (weight, right - left), (left, right + 1)
    return matches[slice(*chosen)]


def _edges(text: str, chosen: Sequence[_Match], width: int) -> tuple[int, int]:
    """The passage around the chosen matches: from the beginning of a sentence, if there is room."""
    first, last = chosen[0].start, max(match.end for match in chosen)
    spare = max(0, width - (last - first))
    start = max(0, min(first - spare // 3, len(text) - width))
    if start > 0:
        start = _sentence_start(text, start, first) or _word_start(text, start, first)
    end = min(len(text), start + width)
    return _whole_letters(text, start, _word_end(text, end, last), at_least=last)


def _opening(text: str, width: int) -> tuple[int, int]:
    start = len(text) - len(text.lstrip())
    end = min(len(text), start + width)
    return _whole_letters(text, start, _word_end(text, end, start), at_least=start)


def _sentence_start(text: str, start: int, first: int) -> int:
    """Behind the last end of a sentence in the range, or 0."""
    ends = ((text.rfind(mark, start, first), len(mark)) for mark in _SENTENCE_ENDS)
    return max((at + length for at, length in ends if at >= 0), default=0)


def _word_start(text: str, start: int, first: int) -> int:
    space = text.find(" ", start, first)
    return space + 1 if space >= 0 else start


def _word_end(text: str, end: int, last: int) -> int:
    if end == len(text) or text[end].isspace():
        return end
    space = text.rfind(" ", last, end)
    return space if space >= max(last, end - 40) else end


def _whole_letters(text: str, start: int, end: int, *, at_least: int) -> tuple[int, int]:
    """The range without a letter's marks at its start, or a letter without its marks at its end."""
    while start < at_least and joins_the_one_before(text[start]):
        start += 1
    while at_least < end < len(text) and joins_the_one_before(text[end]):
        end -= 1
    return start, end


def _shown(text: str, start: int, end: int, matches: Iterable[_Match]) -> Snippet:
    shown: list[str] = []
    length = 0
    places: dict[int, int] = {}  # of each visible character: where it is shown
    for piece in _VISIBLE.finditer(text, start, end):
        if shown:
            shown.append(" ")
            length += 1
        shown.append(piece.group())
        places.update(
            zip(range(*piece.span()), range(length, length + len(piece.group())), strict=True)
        )
        length += len(piece.group())
    marks: list[tuple[int, int]] = []
    for match in matches:
        mark = places[match.start], places[match.end - 1] + 1
        if marks and mark[0] <= marks[-1][1]:
            marks[-1] = marks[-1][0], max(marks[-1][1], mark[1])
        else:
            marks.append(mark)
    return Snippet(text="".join(shown), start=start, end=end, marks=tuple(marks))
