"""Reasons and messages: the short texts people give for what they do, kept in the history."""

from __future__ import annotations

import unicodedata

from lwc.domain.letters import shows_nothing
from lwc.errors import BLANK, TOO_LONG, UNSAFE_CHARACTERS

LONGEST = 4_000


def checked(text: str, *, field: str) -> str:
    """The text without blanks around it; refused when blank, too long or not printable."""
    text = text.strip()
    if shows_nothing(text):
        raise BLANK(field=field)
    if len(text) > LONGEST:
        raise TOO_LONG(field=field, most=LONGEST)
    for letter in text:
        if letter not in "\n\t" and unicodedata.category(letter) in ("Cc", "Cs"):
            raise UNSAFE_CHARACTERS(field=field, character=f"U+{ord(letter):04X}")
    return text


def checked_if_given(text: str | None, *, field: str) -> str | None:
    """`checked`, but nothing stays nothing."""
    return None if text is None else checked(text, field=field)
