"""Reads a document the plain way: its title, headings, sentences worth quoting, telling words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from lwc.domain.stopwords import STOP_WORDS

LEAST, MOST = 40, 320
LEAST_CJK = 12
_FENCES = ("```", "~~~")
_NOT_PROSE = ("#", "|", "<", "    ", "\t", "[", "!", "+++", "---", "===", "***", ":::", "$")
_ITEM = re.compile(r" {0,3}(?:[-*+]|[0-9]{1,3}[.)]) +")
_END = re.compile(r"(?<=[.!?])[\"')\]]{0,2} +|(?<=[。！？])")
_WORD = re.compile(r"[^\W\d_]{5,24}")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """What the plain reading found; sentences are as they stand in the text, on one line."""

    title: str
    headings: tuple[str, ...]
    sentences: tuple[str, ...]
    words: tuple[str, ...]


def read(text: str, *, fallback: str) -> Prose:
    """Read a document; `fallback` is its title when it has no heading."""
    text, titled = _past_front_matter(text)
    headings: list[str] = [titled] if titled else []
    paragraphs: list[list[str]] = [[]]
    for line in _outside_code(text):
        if line.startswith("#"):
            heading = line.lstrip("#").strip().strip("#").strip()
            if heading:
                headings.append(heading)
        item = _ITEM.match(line)
        if not line.strip() or line.startswith(_NOT_PROSE) or item:
            paragraphs.append([])
        if item:
            paragraphs[-1].append(line[item.end() :])
        elif line.strip() and not line.startswith(_NOT_PROSE):
            paragraphs[-1].append(line)
    sentences = [
        sentence
        for paragraph in paragraphs
        for sentence in _END.split(" ".join(" ".join(paragraph).split()))
        if _is_worth_quoting(sentence)
    ]
    return Prose(
        title=headings[0] if headings else fallback,
        headings=tuple(headings),
        sentences=tuple(dict.fromkeys(sentence.strip() for sentence in sentences)),
        words=_telling(headings, sentences),
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


def _is_worth_quoting(sentence: str) -> bool:
    sentence = sentence.strip()
    least = LEAST_CJK if _WIDE.search(sentence) else LEAST
    return (
        least <= len(sentence) <= MOST
        and sentence[0] not in "*_`\"'“”(|"
        and sum(char.isalpha() for char in sentence) * 2 > len(sentence)
    )


def _telling(headings: list[str], sentences: list[str]) -> tuple[str, ...]:
    """Words by how often they occur, those of headings first; no stop words."""
    in_headings = set(_words(" ".join(headings)))
    counts = Counter(_words(" ".join(sentences)))
    ranked = sorted(
        (word for word, count in counts.items() if count > 1),
        key=lambda word: (word not in in_headings, -counts[word], word),
    )
    return tuple(ranked[:20])


def _words(text: str) -> Iterator[str]:
    for found in _WORD.finditer(text):
        word = found.group().lower()
        if word not in STOP_WORDS:
            yield word
