"""Made prose: words that come as often as words do, in documents that are about something.

Nothing is taken from outside, and the same seed gives the same text.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import accumulate

WORDS = 30_000
WORDS_OF_A_SUBJECT = 40
# Of a document's words so many are those of its subject.
SHARE_OF_THE_SUBJECT = 0.25

_STARTS = (*"bcdfghklmnprstvw", "st", "tr", "pl", "gr", "br", "cl", "fr", "sp")
_VOWELS = (*"aeiou", "ea", "ou", "ai")
_ENDS = (*"nrstlmd", "nd", "st", "rt", "ck")
_SMALL = "the of and to in a is that it for was on are as with at be this by from or not"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text in Markdown, and sentences that stand in it word for word."""

    title: str
    text: str
    sentences: tuple[str, ...]


def document(seed: str, *, chars: int) -> Document:
    """A document of about so many characters; the seed decides all of it."""
    chance = random.Random(seed)
    subject = chance.choices(VOCABULARY[200:], k=WORDS_OF_A_SUBJECT)
    title = " ".join(chance.choices(subject, k=3)).capitalize()
    lines, sentences, size = [f"# {title}", ""], [], 0
    while size < chars:
        paragraph = [_sentence(chance, subject) for _ in range(chance.randint(3, 7))]
        if chance.random() < 0.15:
            lines += [f"## {' '.join(chance.choices(subject, k=2)).capitalize()}", ""]
        lines += [" ".join(paragraph), ""]
        sentences += paragraph
        size += len(lines[-2])
    return Document(title=title, text="\n".join(lines), sentences=tuple(sentences))


def length(seed: str) -> int:
    """How long a document is: most are short, few are long."""
    return int(min(40_000, 400 + random.Random(f"size {seed}").lognormvariate(7.8, 0.8)))


def _sentence(chance: random.Random, subject: list[str]) -> str:
    words = chance.choices(VOCABULARY, cum_weights=_WEIGHTS, k=chance.randint(7, 20))
    for place in range(len(words)):
        if chance.random() < SHARE_OF_THE_SUBJECT:
            words[place] = chance.choice(subject)
    if chance.random() < 0.2:
        words[chance.randrange(len(words))] = str(chance.randint(2, 4000))
    return f"{' '.join(words).capitalize()}."


def _vocabulary() -> list[str]:
    """Words by rank, the commonest first: small ones, then made ones of two to four syllables."""
    chance = random.Random("vocabulary")
    made = dict.fromkeys(_SMALL.split())
    while len(made) < WORDS:
        syllables = (
            chance.choice(_STARTS) + chance.choice(_VOWELS)
            for _ in range(chance.choice((1, 2, 2, 3)))
        )
        made["".join(syllables) + chance.choice(_VOWELS[:5]) + chance.choice(_ENDS)] = None
    return list(made)


VOCABULARY = _vocabulary()
# Zipf: the word of rank n comes 1/n as often as the first.
_WEIGHTS = list(accumulate(1 / (rank + 2) for rank in range(WORDS)))
