"""The terms a text is found by: words folded and stemmed, pairs of CJK characters, parts of names.

A term holds letters, marks and digits only, so that a full-text tokenizer that keeps those
categories (by default FTS5 parts words at marks, which Thai and Hindi write vowels with) leaves it
whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log
from operator import add

from lwc.domain.letters import WORD_LIMIT, is_cjk, is_kana, runs
from lwc.domain.porter import stem
from lwc.domain.stopwords import CJK_ASIDES, CJK_STOP_CHARACTERS, STOP_WORDS

QUERY_LIMIT = 64
_QUERY_CHARACTERS = 10_000
_KEY_CHARACTERS = 100_000
_PIECE_CHARACTERS = 100_000

_ASCII_PARTED = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
CAMEL_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a question asks for."""

    terms: tuple[str, ...]
    cut: bool
    """Whether it held more than `QUERY_LIMIT` terms, or was too long to be read whole."""


def index_terms(text: str) -> str:
    """The terms of a text, in order and repeated, joined by spaces, as the index keeps them.

    A run of CJK becomes its pairs of neighbours, and its last character once more alone: so each
    character begins some term, and a query for one alone is a prefix (`match_expression`).
    """
    return " ".join(filter(None, (" ".join(_index_terms(piece)) for piece in _pieces(text))))


def parts_terms(text: str) -> str:
    """The terms within names such as `sessionTimeout`, joined by spaces: `session timeout`."""
    return " ".join(chain.from_iterable(map(_camel_parts, _pieces(text))))


def query_terms(text: str) -> Query:
    """The terms to look for: each once, in order, without the words every question has.

    Those words stay when nothing else would be left. Names in camelCase are looked for whole and
    in parts.
    """
    asked = text[:_QUERY_CHARACTERS]
    telling = _terms(asked, without=STOP_WORDS, asides=CJK_ASIDES)
    terms = [*telling, *_camel_parts(asked)] or [*_terms(asked)]
    distinct = tuple(dict.fromkeys(terms))
    cut = len(distinct) > QUERY_LIMIT or len(text) > _QUERY_CHARACTERS
    return Query(terms=distinct[:QUERY_LIMIT], cut=cut)


def match_expression(terms: Iterable[str]) -> str:
    """The terms as a full-text query: any of them may occur, nothing in them is syntax.

    A single CJK character stands for every term it begins.
    """
    quoted = (
        '"' + term.replace('"', '""').replace("\0", " ") + ('"*' if is_prefix(term) else '"')
        for term in terms
    )
    return " OR ".join(quoted) or '""'


def is_prefix(term: str) -> bool:
    """Whether a term asks for every term it begins: a single CJK character does."""
    return len(term) == 1 and is_cjk(term)


def key_terms(text: str, *, limit: int) -> tuple[str, ...]:
    """The most telling terms of a text, best first: frequent, long, early, in headings.

    Only its first 100,000 characters are read, so that a large source costs no more than a page.
    """
    text = text[:_KEY_CHARACTERS]
    counts = Counter(_terms(text, without=STOP_WORDS))
    opening = set(_terms(text[:1000]))
    heading = set(_terms("\n".join(_headings(text))))
    weights = {
        term: (1 + log(count)) * _weight(term) * (1 + 0.5 * (term in opening) + (term in heading))
        for term, count in counts.items()
        if len(term) > 1 and not term.isdigit()
    }
    # The sort is stable and the terms stand in order of first use: equal weights keep that order.
    return tuple(sorted(weights, key=weights.__getitem__, reverse=True)[:limit])


def pairs(run: str) -> Iterator[str]:
    """The neighbours of a run of CJK, two by two; of a run of one, that one."""
    return map(add, run, run[1:]) if len(run) > 1 else iter((run,))


def _index_terms(text: str) -> list[str]:
    terms: list[str] = []
    for run, cjk in runs(text):
        if not cjk:
            terms.append(stem(run) if run.isascii() else run)
            continue
        terms.extend(pairs(run))
        if len(run) > 1:
            terms.append(run[-1])
    return terms


def _terms(
    text: str, *, without: frozenset[str] = frozenset(), asides: Sequence[str] = ()
) -> Iterator[str]:
    """The terms of a text without these words, and without these pieces of CJK runs."""
    for run, cjk in runs(text):
        if cjk:
            for kept in _without_asides(run, asides) if asides else (run,):
                yield from pairs(kept)
        elif run not in without:
            yield stem(run) if run.isascii() else run


def _without_asides(run: str, asides: Sequence[str]) -> list[str]:
    for aside in asides:
        run = run.replace(aside, " ")
    return [kept for kept in run.split() if len(kept) > 1 or not _is_aside(kept)]


def _is_aside(char: str) -> bool:
    return char in CJK_STOP_CHARACTERS or is_kana(char)


def _camel_parts(text: str) -> Iterator[str]:
    plain = text if text.isascii() else text.encode("ascii", "replace").decode("ascii")
    for word in plain.translate(_ASCII_PARTED).split():
        if word[1:].islower() or word.isupper() or word.islower() or word.isdigit():
            continue
        parts = CAMEL_PART.findall(word[:WORD_LIMIT])
        if len(parts) > 1:
            yield from (stem(part.lower()) for part in parts if len(part) > 1)


def _weight(term: str) -> float:
    """Long words say more; a pair of CJK characters says as much as a word of six letters."""
    if not is_cjk(term[0]):
        return min(len(term), 12) / 8
    return 0.25 if any(map(_is_aside, term)) else 0.75


def _headings(text: str) -> Iterator[str]:
    return (line for line in text.split("\n") if line.startswith("#"))


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces cut between words, so that a large one is never held analysed at once."""
    start = 0
    while len(text) - start > _PIECE_CHARACTERS:
        end = start + _PIECE_CHARACTERS
        end = max(text.rfind(" ", end - 1000, end), text.rfind("\n", end - 1000, end)) + 1 or end
        yield text[start:end]
        start = end
    yield text[start:]
