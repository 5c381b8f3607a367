"""Porter's stemmer (1980) for lower-case ASCII words: `relational` and `relate` become one term.

A library would do, but importing one costs more than a whole search; this is the algorithm with its
author's two amendments (`bli`, `logi`), as SQLite and Snowball know it.
"""

from __future__ import annotations

from functools import lru_cache

_SHAPE = str.maketrans({c: "v" if c in "aeiou" else "c" for c in "abcdefghijklmnopqrstuvwxz"})
_DIGITS = str.maketrans("0123456789", "c" * 10)

# Of the suffixes a word ends in, the longest decides; so each stands before those it ends in.
_STEP_2 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
)
_STEP_3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"),
    *("ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a word of `a-z` and digits; words of one or two letters stay as they are.

    Remembered, because a text repeats its words and the answer depends on nothing else.
    """
    if len(word) < 3:
        return word
    word = _without_plural(word)
    word = _without_participle(word)
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2)
    word = _replaced(word, _STEP_3)
    word = _without_suffix(word)
    return _tidied(word)


def _without_plural(word: str) -> str:
    if not word.endswith("s") or word.endswith("ss"):
        return word
    return word[:-2] if word.endswith(("sses", "ies")) else word[:-1]


def _without_participle(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    rest = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    shape = _shape(rest)
    if "v" not in shape:
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if shape.endswith("c") and rest[-1:] == rest[-2:-1] and rest[-1] not in "lsz":
        return rest[:-1]
    if shape.count("vc") == 1 and _ends_short(rest):
        return rest + "e"
    return rest


def _replaced(word: str, steps: tuple[tuple[str, str], ...]) -> str:
    for suffix, replacement in steps:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + replacement if _measure(rest) > 0 else word
    return word


def _without_suffix(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            if suffix == "ion" and not rest.endswith(("s", "t")):
                return word
            return rest if _measure(rest) > 1 else word
    return word


def _tidied(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


def _measure(word: str) -> int:
    """How many times vowels are followed by consonants: Porter's m."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Whether the word ends consonant, vowel, consonant, the last none of w, x, y."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _shape(word: str) -> str:
    """A `v` for each vowel and a `c` for each consonant; y is a vowel after a consonant."""
    shape = word.translate(_SHAPE).translate(_DIGITS)
    while (at := shape.find("y")) >= 0:
        shape = f"{shape[:at]}{'v' if shape[at - 1 : at] == 'c' else 'c'}{shape[at + 1 :]}"
    return shape
