"""Rewriting the wikilinks of a body that lead to a page which got another name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from lwc.domain.markdown import read_page
from lwc.domain.slug import collision_key

# What may be a wikilink: only the parser knows which of these stand in text and not in code.
_CANDIDATE = re.compile(r"\[\[([^\[\]\n`|#\\]{1,400})")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a target that may have to change stands."""

    start: int
    end: int


def relink(body: str, *, keys: Collection[str], slug: str) -> tuple[str, int]:
    """The body with every wikilink to one of `keys` leading to `slug`, and how many were changed.

    Labels, headings and spaces stay as they are. Code, comments and quoted words are no links.
    """
    places = [place for place in _places(body, keys) if body[place.start : place.end] != slug]
    if not places:
        return body, 0
    name = _unused(body)
    marked = _replaced(body, places, [f"{name}{at}n" for at in range(len(places))])
    # One reading tells all: what the parser still takes for a link carries its number.
    real = {link.target for link in read_page(marked).links}
    chosen = [place for at, place in enumerate(places) if f"{name}{at}n" in real]
    return _replaced(body, chosen, [slug] * len(chosen)), len(chosen)


def _places(body: str, keys: Collection[str]) -> Iterator[_Place]:
    for found in _CANDIDATE.finditer(body):
        named = found.group(1)
        target = named.strip()
        if collision_key(target) in keys:
            start = found.start(1) + len(named) - len(named.lstrip())
            yield _Place(start=start, end=start + len(target))


def _replaced(body: str, places: list[_Place], words: list[str]) -> str:
    parts, read = [], 0
    for place, word in zip(places, words, strict=True):
        parts += [body[read : place.start], word]
        read = place.end
    return "".join([*parts, body[read:]])


def _unused(body: str) -> str:
    """A name that stands nowhere in the body."""
    name = "relink"
    while name in body:
        name += "x"
    return name
