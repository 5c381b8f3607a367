"""Slugs: what a page may be called, when two names are one, and which names look alike."""

from __future__ import annotations

import unicodedata
from typing import NewType

from lwc.domain.letters import is_invisible
from lwc.errors import INVALID_SLUG, SLUG_RESERVED

Slug = NewType("Slug", str)

CHARACTERS = 80
BYTES = 200

# NFC makes at most one character of four; a longer text cannot become a slug, and composing it
# could cost the square of its length.
_RAW_CHARACTERS = 4 * CHARACTERS

_TOO_LONG = f"it is longer than {CHARACTERS} characters"

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_BETWEEN = frozenset("-_. ")

# The projection's own files, and names that Windows gives to devices, whatever their extension.
_OWN_FILES = frozenset(("index", "log", "overview"))
_DEVICES = frozenset(
    (
        "con",
        "prn",
        "aux",
        "nul",
        *(f"{port}{digit}" for port in ("com", "lpt") for digit in range(10)),
    )
)

_HAN_ZERO = "\u3007"  # a digit, though Unicode files it under numbers

# Cyrillic and Greek letters that are drawn like Latin ones.
_LOOK_ALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԚԜаеѕіјкорсухһԁԛԝӏ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορυχ",
    "ABESIJKMHOPCTYXQWaesijkopcyxhdqwl" + "ABEZHIKMNOPTYXaikvopux",
)
_MIXED = (("LATIN", "CYRILLIC"), ("LATIN", "GREEK"), ("CYRILLIC", "GREEK"))


def parse_slug(text: str) -> Slug:
    """The slug this text is, in NFC; refused with what is wrong with it otherwise."""
    if len(text) > _RAW_CHARACTERS:
        raise INVALID_SLUG(slug=text[:CHARACTERS], what=_TOO_LONG)
    slug = unicodedata.normalize("NFC", text)
    if is_reserved(slug):
        raise SLUG_RESERVED(slug=slug)
    if what := _flaw(slug):
        raise INVALID_SLUG(slug=slug, what=what)
    return Slug(slug)


def collision_key(text: str) -> str:
    """What two names of one page have in common: case and compatibility forms folded away.

    Any text has a key, and the key of a key is itself.
    """
    if text.isascii():
        return text.lower()
    if len(text) > _RAW_CHARACTERS:
        return text.casefold()
    return _folded(_folded(text))


def is_reserved(slug: str) -> bool:
    """Whether no page may take this name: our own files, Windows devices, hidden files."""
    key = collision_key(slug)
    return (
        key in _OWN_FILES
        or key.partition(".")[0].rstrip(" ") in _DEVICES
        or (slug.startswith(".") and not _flaw(slug.lstrip(".")))
    )


def confusable(slug: str) -> bool:
    """Whether a word of it mixes letters of scripts that are drawn alike."""
    return not slug.isascii() and any(map(_is_mixed, _words(slug)))


def skeleton(slug: str) -> str:
    """What the slug looks like: equal for names that a reader cannot tell apart."""
    if slug.isascii():
        return collision_key(slug)
    # Twice, because folding case can bring a look-alike to light (an iota written below).
    return _drawn(_drawn(slug[:_RAW_CHARACTERS]))


def _flaw(slug: str) -> str:
    """What is wrong with it as a name, or nothing."""
    if not slug.strip():
        return "it is blank"
    if len(slug) > CHARACTERS:
        return _TOO_LONG
    for char in slug:
        if char not in _PLAIN and char not in _BETWEEN and not _is_wordly(char):
            return f"it holds {_named(char)}"
    if len(slug.encode()) > BYTES:
        return f"it is longer than {BYTES} bytes"
    if not _begins_a_name(slug[0]):
        return "it does not begin with a letter or a digit"
    if slug[-1] in ".- ":
        return f"it ends with {_named(slug[-1])}"
    return "it holds two spaces in a row" if "  " in slug else ""


def _is_wordly(char: str) -> bool:
    """Whether it is a letter, a mark or a digit that can be seen."""
    category = unicodedata.category(char)
    lettered = category[0] in "LM" or category == "Nd" or char == _HAN_ZERO
    return lettered and not is_invisible(char)


def _begins_a_name(char: str) -> bool:
    return char in _PLAIN or (char not in _BETWEEN and unicodedata.category(char)[0] != "M")


def _named(char: str) -> str:
    if char == " ":
        return "a space"
    return f"`{char}`" if "!" <= char <= "~" else f"the character U+{ord(char):04X}"


def _drawn(slug: str) -> str:
    apart = unicodedata.normalize("NFKD", slug).translate(_LOOK_ALIKES)
    return collision_key(unicodedata.normalize("NFC", apart))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _words(slug: str) -> list[str]:
    return slug.translate(dict.fromkeys(map(ord, _BETWEEN), " ")).split()


def _is_mixed(word: str) -> bool:
    scripts = {unicodedata.name(char, "").partition(" ")[0] for char in word}
    return any(scripts.issuperset(pair) for pair in _MIXED)
