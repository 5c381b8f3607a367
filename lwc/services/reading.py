"""Reading a claimed source window by window; what is handed over is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lwc.domain import ranges
from lwc.domain.ingest import JobEvent
from lwc.domain.source import Source, Window, window
from lwc.errors import INVALID_OFFSET, LIMIT_OUT_OF_RANGE
from lwc.services import holder
from lwc.services.job_views import JobView, view
from lwc.services.packet import WINDOW_MOST
from lwc.store import jobs, readings, settings, sources, texts
from lwc.wiki import AlreadyDone, Call, Change, Changed, Wiki


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSource:
    """The source that is read; `content` is the window."""

    id: int
    title: str
    origin: str
    content_hash: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRead(Changed):
    """A window of a claimed source.

    `remaining_chars` were not handed over in this attempt yet; `next` is the command that reads on,
    null when everything was.
    """

    job: JobView
    source: ReadSource
    window: Window
    remaining_chars: int
    next: str | None


def read(
    wiki: Wiki,
    call: Call,
    source_id: int,
    *,
    offset_chars: int | None = None,
    max_chars: int | None = None,
    token: str | None = None,
) -> SourceRead:
    """Read a window and record that it was handed over; the lease is renewed.

    Without an offset it is the first part not handed over yet in this attempt, and empty when there
    is none. A repeated request id reads the same window again: a lost answer loses nothing. The
    wiki's revision does not move.
    """
    if max_chars is not None and not 1 <= max_chars <= WINDOW_MOST:
        raise LIMIT_OUT_OF_RANGE(option="--max-chars", least=1, most=WINDOW_MOST)
    again: Mapping[str, Any] | None = None
    kept = wiki.kept(call)
    if kept is not None:
        again = kept.answer
    else:
        try:
            with wiki.claiming(call) as change:
                return _read(change, source_id, start=offset_chars, size=max_chars, token=token)
        except AlreadyDone as done:
            again = done.kept
    with wiki.claiming(replace(call, request_id=None, if_revision=None)) as change:
        answer = _read(change, source_id, start=again["start"], size=again["size"], token=token)
        return replace(answer, replayed=True)


def _read(
    change: Change, source_id: int, *, start: int | None, size: int | None, token: str | None
) -> SourceRead:
    conn = change.conn
    job = holder.held(change, source_id, JobEvent.READ, token=token)
    source = sources.find(conn, source_id)
    size = settings.load(conn).number("window_chars") if size is None else size
    if start is None:
        start, size = _unread(source, readings.ranges(conn, source_id, job.attempt), size=size)
    if not 0 <= start <= source.chars:
        raise INVALID_OFFSET(most=source.chars)
    content = texts.window(conn, source.digest, offset=start, size=size)
    readings.deliver(conn, source_id, job.attempt, start, start + len(content))
    job = jobs.renew(conn, job, now=change.now)
    remaining = source.chars - ranges.size(readings.ranges(conn, source_id, job.attempt))
    words = ("ingest", "read", source_id)
    answer = SourceRead(
        **change.wiki.label(),
        revision=change.revision,
        job=view(job, now=change.now),
        source=ReadSource(
            id=source.id,
            title=source.title,
            origin=source.origin,
            content_hash=source.digest,
            content=content,
        ),
        window=window(offset=start, returned=len(content), total=source.chars),
        remaining_chars=remaining,
        next=holder.command(change.wiki, *words, agent=change.agent, token=token)
        if remaining
        else None,
    )
    return change.finish(answer, keep={"start": start, "size": size})


def _unread(source: Source, delivered: tuple[ranges.Range, ...], *, size: int) -> tuple[int, int]:
    """Where the first part not handed over begins, and how much of it to hand over."""
    gaps = ranges.missing(delivered, source.chars)
    if not gaps:
        return source.chars, size
    start, end = gaps[0]
    return start, min(size, end - start)
