"""Whether texts that differ in the case of letters still say the same: MW and mW do not."""

from __future__ import annotations

import re

from lwc.domain.fold import WIDE
from lwc.domain.measures import SPELLED

_A = rf"[^\W\d_{WIDE}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
_WORD = re.compile(f"{_A}+")
_COUNTED = re.compile(
    rf"\b(?:\d(?:[\d.,]{{0,18}}\d)?|(?:{SPELLED}))"
    rf"[\s-]{{0,2}}(?:{_A}{{1,6}}[/·⋅*]){{0,3}}\Z",
    re.IGNORECASE,
)
_UNIT_LIKE = re.compile(
    "[kmgtpeµμnc]?(?:i?b|bps|wh?|hz|pa|ev|v|a|m|g|s|l|mol)|[kmgtpe]i?(?:bits?|bytes?)",
    re.IGNORECASE,
)
# A sentence begins: after its end and whitespace, with whatever opens it, or where a text begins.
_SENTENCE_HEAD = re.compile(r"(?:\A|[.!?:;…。！？]['\")\]]{0,2}\s|\n)[\s'\"(\[>#*•\d.)-]{0,12}\Z")
_LEAST_SHOUTED = 8


def case_agrees(passage: str, quote: str, *, before: str) -> bool:
    """Whether two texts that differ in case only still say the same.

    A capital where a sentence begins does, and a whole heading in capitals. What differs elsewhere
    may be a name: BRCA1 and Brca1, Polish and polish, US and us. `before` is what stands in front
    of the passage.
    """
    if passage == quote:
        return True
    shouted = _is_heading(passage) or _is_heading(quote)
    for word in _WORD.finditer(passage):
        there, here = word.group(), quote[word.start() : word.end()]
        if there != here and not (
            _may_be_shouted(passage, word, before)
            if shouted
            else _may_be_capital(passage, word, here, before)
        ):
            return False
    return True


def _is_heading(text: str) -> bool:
    """Whether it is all in capitals, and long enough to be no name."""
    letters = sum(map(str.isalpha, text))
    return text.isupper() and letters >= _LEAST_SHOUTED and len(text.split()) > 1


def _may_be_shouted(passage: str, word: re.Match[str], before: str) -> bool:
    around = passage[: word.start()][-1:] + passage[word.end() :][:1]
    there = word.group()
    symbol = len(there) <= 3 and word.start() > 0 and not (there.isupper() or there.islower())
    joined = any(char.isdecimal() or char == "_" for char in around)
    return not symbol and not joined and not _is_unit(passage, word, before)


def _may_be_capital(passage: str, word: re.Match[str], here: str, before: str) -> bool:
    there, front = word.group(), passage[: word.start()]
    if there[1:] != here[1:] or not (there[1:].islower() or there in "aA"):
        return False
    if passage[word.end() :][:1].isdecimal() or _is_unit(passage, word, before):
        return False
    if _SENTENCE_HEAD.search(front):
        # A quote may begin with a capital of its own; one that it lowers must head a sentence.
        return bool(front) or here[0].isupper() or _heads_sentence(before)
    return False


def _heads_sentence(before: str) -> bool:
    return _SENTENCE_HEAD.search(before) is not None


def _is_unit(passage: str, word: re.Match[str], before: str) -> bool:
    there = word.group()
    if len(there) > 1 and _UNIT_LIKE.fullmatch(there):
        return True
    return len(there) <= 4 and _COUNTED.search((before + passage[: word.start()])[-40:]) is not None
