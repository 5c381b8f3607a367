"""Reads a document the plain way: its title, headings, sentences worth quoting, telling words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lwc.domain.stopwords import STOP_WORDS

LEAST, MOST = 40, 320
LEAST_CJK = 12
_FENCES = ("```", "~~~")
_NOT_PROSE = ("#", "|", "<", "    ", "\t", "[", "!", "+++", "---", "===", "***", ":::", "$")
_ITEM = re.compile(r" {0,3}(?:[-*+]|[0-9]{1,3}[.)]) +")
_END = re.compile(r"(?<=[.!?])[\"')\]]{0,2} +|(?<=[。！？])")
_WORD = re.compile(r"[^\W\d_]{5,24}")
# Addresses and code have letters, and no words that a page could be about.
_NO_WORDS = re.compile(r"https?://[^\s<>()]*|www\.[^\s<>()]*|`[^`]*`")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
# Words that are often written and that no page is about.
_ASIDES = frozenset(
    """
    above across almost along already although always among another anything around aside
    because becomes behind below beside besides better beyond certain could doing
    early either enough especially every everything example except finally finer first
    former general given gives goes going great greater hence however inside instead large larger
    later latter least lesser little longer makes maybe means meanwhile mostly nearly
    needs never newer nothing often older others otherwise outside particular perhaps plain quite
    rather really right second several shown since small smaller someone something sometimes still
    taken takes theirs third though three throughout together towards twice unless unlike usual
    usually using various where whereas wherever whole whose within without worth wrong
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """What the plain reading found; sentences are as they stand in the text, on one line.

    `words` are those of `headings` first, by how often the sentences have them; `titled` tells how
    many of them stand in a heading.
    """

    title: str
    headings: tuple[str, ...]
    sentences: tuple[str, ...]
    words: tuple[str, ...]
    titled: int


def read(text: str, *, fallback: str) -> Prose:
    """Read a document; `fallback` is its title when it has no heading."""
    text, titled = _past_front_matter(text)
    headings: list[str] = [titled] if titled else []
    paragraphs: list[list[str]] = [[]]
    cells: list[str] = []
    for line in _outside_code(text):
        if line.startswith("#"):
            heading = line.lstrip("#").strip().strip("#").strip()
            if heading:
                headings.append(heading)
        if line.startswith("|"):
            cells += line.split("|")
        item = _ITEM.match(line)
        if not line.strip() or line.startswith(_NOT_PROSE) or item:
            paragraphs.append([])
        if item:
            paragraphs[-1].append(line[item.end() :])
        elif line.strip() and not line.startswith(_NOT_PROSE):
            paragraphs[-1].append(line)
    # A document of nothing but tables says what it says in their cells.
    sentences = _sentences(" ".join(lines) for lines in paragraphs) or _sentences(cells)
    words = _telling(headings, sentences)
    return Prose(
        title=headings[0] if headings else fallback,
        headings=tuple(headings),
        sentences=sentences,
        words=words,
        titled=len({*words} & {*words_of(" ".join(headings))}),
    )


def _past_front_matter(text: str) -> tuple[str, str]:
    """The text behind its front matter, and the title that says."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---":
        return text, ""
    end = next((at for at, line in enumerate(lines[1:40], 1) if line.rstrip() == "---"), 0)
    if not end:
        return text, ""
    titles = [line[6:].strip(" \"'") for line in lines[1:end] if line.startswith("title:")]
    return "\n".join(lines[end + 1 :]), titles[0] if titles else ""


def _outside_code(text: str) -> Iterator[str]:
    fence = ""
    for line in text.splitlines():
        mark = line.lstrip()[:3]
        if fence:
            fence = "" if mark == fence else fence
        elif mark in _FENCES:
            fence = mark
        else:
            yield line


def _sentences(paragraphs: Iterable[str]) -> tuple[str, ...]:
    """Each sentence that is worth quoting, once, with its white space folded."""
    found = (
        sentence.strip()
        for paragraph in paragraphs
        for sentence in _END.split(" ".join(paragraph.split()))
    )
    return tuple(dict.fromkeys(sentence for sentence in found if _is_worth_quoting(sentence)))


def _is_worth_quoting(sentence: str) -> bool:
    least = LEAST_CJK if _WIDE.search(sentence) else LEAST
    return (
        least <= len(sentence) <= MOST
        and sentence[0] not in "*_`\"'“”(|"
        and sum(char.isalpha() for char in sentence) * 2 > len(sentence)
    )


def _telling(headings: Sequence[str], sentences: Sequence[str]) -> tuple[str, ...]:
    """Words of headings that the sentences have, then those they have more than once."""
    in_headings = {*words_of(" ".join(headings))}
    counts = Counter(word for sentence in sentences for word in words_of(sentence))
    ranked = sorted(
        (word for word, count in counts.items() if count > 1 or word in in_headings),
        key=lambda word: (word not in in_headings, -counts[word], word),
    )
    return tuple(ranked[:20])


def words_of(text: str) -> Iterator[str]:
    """The words of a text that a page could be about, in lower case."""
    for found in _WORD.finditer(_NO_WORDS.sub(" ", text)):
        word = found.group().lower()
        if word not in STOP_WORDS and word not in _ASIDES:
            yield word
