"""What the demo's agent writes of a document: an analysis, a source page, concept pages.

It thinks nothing: it takes headings, leading sentences and frequent words, and cites every sentence
by the exact words of the source. The same documents give the same pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from lwc.demo.prose import Prose, words_of

QUOTES_PER_SOURCE = 5
CONCEPTS_PER_SOURCE = 2
CONSIDERED = 10
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")
# A concept page gathers this many sources and then rests.
SOURCES_PER_CONCEPT = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A page to be put."""

    slug: str
    title: str
    kind: str
    summary: str
    body: str
    source_id: int


def slug_of(source_id: int, title: str) -> str:
    """`source-12-the-title`: ASCII letters and digits of the title, and always the id."""
    words = "".join(char if char.isascii() and char.isalnum() else " " for char in title).split()
    return "-".join(["source", str(source_id), *words])[:60].rstrip("-.").lower()


def concepts_of(
    prose: Prose, known: Collection[str], *, shared: Callable[[str], bool]
) -> tuple[str, ...]:
    """The words this document is integrated under: known ones first, then its most telling.

    A word of a concept stands in several documents, which `shared` tells; where none does, it
    stands in a heading, or is the most frequent.
    """
    quotable = [word for word in prose.words[:CONSIDERED] if _about(prose, word)]
    chosen = [word for word in quotable if word in known][:CONCEPTS_PER_SOURCE]
    for word in quotable:
        if len(chosen) == CONCEPTS_PER_SOURCE:
            break
        if word not in chosen and shared(word):
            chosen.append(word)
    alone = [word for word in prose.words[: prose.titled or 1] if word in quotable]
    return tuple(chosen or alone[:CONCEPTS_PER_SOURCE])


def analysis(prose: Prose, concepts: Sequence[str]) -> str:
    """The analysis handed in before writing."""
    lines = [
        f"Title: {_plain(prose.title)}",
        f"Sentences worth quoting: {len(prose.sentences)}",
        f"Telling words: {', '.join(prose.words[:10]) or 'none'}",
        f"To integrate into: {', '.join(concepts) or 'no concept'}",
        "Outline:",
        *(f"- {_plain(heading)}" for heading in prose.headings[:20]),
    ]
    return "\n".join(lines) + "\n"


def source_page(source_id: int, prose: Prose, concepts: Sequence[str]) -> Draft:
    """The page of the source itself: what it says, in its own words, cited."""
    chosen = prose.sentences[:QUOTES_PER_SOURCE]
    lines = [f"# {_plain(prose.title)}", ""]
    for number, sentence in enumerate(chosen, start=1):
        lines += [f"{_plain(sentence)}[^s{number}]", ""]
    if concepts:
        lines += ["See also " + ", ".join(f"[[{word}]]" for word in concepts) + ".", ""]
    lines += [
        f'[^s{number}]: source:{source_id} "{sentence}"'
        for number, sentence in enumerate(chosen, start=1)
    ]
    return Draft(
        slug=slug_of(source_id, prose.title),
        title=_plain(prose.title)[:200],
        kind="source",
        summary=_plain(chosen[0])[:300],
        body="\n".join(lines) + "\n",
        source_id=source_id,
    )


def concept_page(word: str, source_id: int, prose: Prose, body: str | None) -> Draft | None:
    """The page of a concept with what this source says of it added; none when the page is full."""
    if body is not None and body.count("[^c") >= 2 * SOURCES_PER_CONCEPT:
        return None
    sentence = _about(prose, word)[0]
    label = f"c{source_id}"
    text, notes = _parts(body or f"# {word.capitalize()}\n\nWhat the sources say of {word}.\n")
    text += f"\n{_plain(sentence)}[^{label}] ([[{slug_of(source_id, prose.title)}]])\n"
    notes += f'[^{label}]: source:{source_id} "{sentence}"\n'
    return Draft(
        slug=word,
        title=word.capitalize(),
        kind="concept",
        summary=f"What the sources say of {word}.",
        body=f"{text}\n{notes}",
        source_id=source_id,
    )


def _parts(body: str) -> tuple[str, str]:
    """A concept page's text and its footnotes, which this agent keeps at the end."""
    at = body.find("\n[^c")
    while at >= 0 and "]: " not in body[at : at + 40]:
        at = body.find("\n[^c", at + 1)
    return (body, "") if at < 0 else (body[:at], body[at + 1 :])


def _about(prose: Prose, word: str) -> list[str]:
    """The sentences that have a word as a word."""
    return [sentence for sentence in prose.sentences if word in words_of(sentence)]


def _plain(text: str) -> str:
    """Source text as page text: nothing in it that Markdown would obey."""
    kept = "".join(char for char in _LINK.sub(r"\1", text) if char.isprintable())
    return kept.translate(str.maketrans("[]<>`|", "()()' ")).strip()
