"""A source as answers show it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from lwc.domain.source import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceView:
    """A source without its text; `content_hash` is the SHA-256 of its UTF-8 bytes."""

    id: int
    title: str
    origin: str
    path: str
    content_hash: str
    chars: int
    bytes: int
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceExcerpt(SourceView):
    """A source with a window of its text as `content`."""

    content: str


def view(source: Source) -> SourceView:
    return SourceView(
        id=source.id,
        title=source.title,
        origin=source.origin,
        path=source.path,
        content_hash=source.digest,
        chars=source.chars,
        bytes=source.bytes,
        created_at=source.created_at,
    )


def excerpt(source: Source, content: str) -> SourceExcerpt:
    return SourceExcerpt(**asdict(view(source)), content=content)
