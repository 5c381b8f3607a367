"""What a character is to a search: how it is folded, whether it parts words, whether it is CJK."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

# A longer word is a digest, an address or Base64: its beginning is enough to find it by.
WORD_LIMIT = 64

# Sorting marks behind a letter costs the square of their number (40,000 of them ten seconds), so
# text that nobody vouches for is composed in runs of at most this many characters.
_COMPOSED_AT_ONCE = 256

_ASCII_FOLD = "".join(chr(code).lower() if chr(code).isalnum() else " " for code in range(128))

# Characters with no shape of their own that count as letters or marks: joiners, fillers, selectors.
_INVISIBLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
_ZERO_WIDTH_SPACE = "\u200b"
_BLANK_BRAILLE = "\u2800"

# Scripts written without spaces, and hangul, whose words carry their particles: first, last.
_CJK = (
    (0x1100, 0x11FF),  # hangul jamo
    (0x2E80, 0x2FDF),  # Han radicals
    (0x3005, 0x3007),  # Han iteration mark, zero
    (0x3021, 0x3029),
    (0x3031, 0x3035),
    (0x3041, 0x33FF),  # kana, bopomofo, hangul compatibility jamo
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF),
    (0x1AFF0, 0x1B16F),  # more kana
    (0x20000, 0x3FFFF),
)
_KANA = ((0x3041, 0x30FF), (0x31F0, 0x31FF))


@dataclass(frozen=True, slots=True, kw_only=True)
class Alphabet:
    """The characters of one text: asked once each, however often they occur."""

    folds: dict[int, str]
    """For `str.translate`: what each becomes; a space parts words."""
    cjk: frozenset[str]
    """Those of the folded characters that are CJK."""
    composes: bool
    """Whether some of them join with the one before."""
    marks: str
    """Those that are marks: no word begins with one."""


def alphabet(text: str) -> Alphabet:
    """The alphabet of a text that is not plain ASCII."""
    folds = {ord(char): fold_char(char) for char in set(text)}
    folded = set("".join(folds.values()))
    return Alphabet(
        folds=folds,
        cjk=frozenset(filter(is_cjk, folded)),
        composes=any(map(joins_the_one_before, folded)),
        marks="".join(filter(_is_mark, folded)),
    )


def fold_char(char: str) -> str:
    """Casefold and NFKC of one character: letters, marks and digits; a space for all that parts
    words; nothing for what no reader sees."""
    if _is_plain_cjk(char):
        return char
    if char in _INVISIBLE:
        return ""
    if unicodedata.category(char) == "Cf":
        return " " if char == _ZERO_WIDTH_SPACE else ""
    folded = unicodedata.normalize("NFKC", char).casefold()
    folded = unicodedata.normalize("NFKC", folded).casefold()
    return "".join(part if in_word(part) else " " for part in folded if part not in _INVISIBLE)


def is_invisible(char: str) -> bool:
    """Whether it counts as a letter or a mark and yet shows nothing."""
    return char in _INVISIBLE


def shows_nothing(text: str) -> bool:
    """Whether a reader sees a blank, whatever the characters are."""
    return all(
        char.isspace()
        or char in _INVISIBLE
        or char == _BLANK_BRAILLE
        or unicodedata.category(char) == "Cf"
        for char in text
    )


def in_word(char: str) -> bool:
    """Whether it is a letter, a mark or a digit, of any script."""
    return char.isalnum() or unicodedata.category(char)[0] in "LMN"


def is_cjk(char: str) -> bool:
    return char > "\u10ff" and (_is_plain_cjk(char) or _within(char, _CJK))


def is_kana(char: str) -> bool:
    return _within(char, _KANA)


def joins_the_one_before(char: str) -> bool:
    """Whether composing (NFC) may make one character of this and the one before it."""
    if _is_plain_cjk(char):
        return False
    return _is_mark(char) or "\u1160" < char < "\u1200"


def runs(text: str) -> Iterator[tuple[str, bool]]:
    """The words of a text, folded, in order, and whether each is a run of CJK.

    Words that are not CJK are cut at `WORD_LIMIT`.
    """
    if text.isascii():
        for word in text.translate(_ASCII_FOLD).split():
            yield word[:WORD_LIMIT], False
        return
    letters = alphabet(text)
    for word in text.translate(letters.folds).split():
        if word.isascii():
            yield word[:WORD_LIMIT], False
        elif letters.composes:
            yield from _composed_runs(word, letters)
        elif letters.cjk.isdisjoint(word):
            yield word[:WORD_LIMIT], False
        elif letters.cjk.issuperset(word):
            yield word, True
        else:
            yield from _by_script(word, letters.cjk.__contains__)


def _composed_runs(word: str, letters: Alphabet) -> Iterator[tuple[str, bool]]:
    for run, cjk in _by_script(composed(word.lstrip(letters.marks)), is_cjk):
        # A mark behind a CJK character belongs to neither script and begins a run of its own.
        if kept := run.lstrip(letters.marks):
            yield kept, cjk


def composed(word: str) -> str:
    """NFC at a bounded price."""
    if len(word) <= _COMPOSED_AT_ONCE:
        return unicodedata.normalize("NFC", word)
    starts = range(0, len(word), _COMPOSED_AT_ONCE)
    return "".join(unicodedata.normalize("NFC", word[at : at + _COMPOSED_AT_ONCE]) for at in starts)


def _by_script(word: str, cjk_of: Callable[[str], bool]) -> Iterator[tuple[str, bool]]:
    for cjk, chars in groupby(word, cjk_of):
        run = "".join(chars)
        yield (run, True) if cjk else (run[:WORD_LIMIT], False)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"


def _is_plain_cjk(char: str) -> bool:
    """A Han character, kana or hangul syllable of the common blocks: nothing folds or joins it."""
    return (
        "\u4e00" <= char <= "\u9fff" or "\u3041" <= char <= "\u3096" or "\uac00" <= char <= "\ud7a3"
    )


def _within(char: str, ranges: Iterable[tuple[int, int]]) -> bool:
    code = ord(char)
    return any(first <= code <= last for first, last in ranges)
