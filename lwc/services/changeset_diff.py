"""What a changeset changes: every text of it as a unified diff, and what comes and goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lwc import wire
from lwc.domain.changeset import Status
from lwc.domain.difference import Difference, difference
from lwc.domain.listing import check_part
from lwc.domain.sides import (
    CharterFace,
    CheckFace,
    Done,
    FieldChange,
    PageFace,
    PathFace,
    Sides,
    SourceFace,
    changed_fields,
    keys_of,
)
from lwc.domain.slug import collision_key, parse_slug
from lwc.errors import CHANGESET_ENTITY_NOT_STAGED, LIMIT_OUT_OF_RANGE
from lwc.services import changeset_sides
from lwc.services.changeset_sides import BothSides, JobDifference
from lwc.services.pages import DIFF_CHARS_MOST
from lwc.store import drafts, texts
from lwc.store.database import Connection
from lwc.wiki import Answer, Wiki

# Of one text; an answer may hold a hundred of them.
DIFF_CHARS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDifference:
    """What becomes of a page. Revision 0 is the page before it is there, and when it is gone.

    `live_moved` says that live has changed it since the draft touched it. `changes` are of its
    fields, `diff` is of its text; neither is there when only numbers were asked for.
    """

    slug: str
    done: Done
    live_moved: bool
    from_revision: int
    to_revision: int
    changes: tuple[FieldChange, ...] | None = wire.left_out()
    added: int
    removed: int
    diff: str | None = wire.left_out()
    total_chars: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDifference:
    """What becomes of the schema or the purpose, told as of a page."""

    name: str
    done: Done
    live_moved: bool
    from_revision: int
    to_revision: int
    added: int
    removed: int
    diff: str | None = wire.left_out()
    total_chars: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDifference:
    """A source that comes or goes; kept when live has it by now, too."""

    id: int
    title: str | None
    path: str | None
    chars: int | None
    done: Done


@dataclass(frozen=True, slots=True, kw_only=True)
class PathDifference:
    """Which source a tracked path held and holds; none when none."""

    path: str
    from_source: int | None
    to_source: int | None
    done: Done


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDifference:
    """A retrieval check that comes or goes."""

    id: int
    page: str | None
    query: str | None
    paraphrases: tuple[str, ...]
    top: int | None
    done: Done


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesetDiff(Answer):
    """What a draft makes of live as it is now, or what a publication made of what it found.

    Limit and offset hold for each of the lists; `totals` counts them whole. Where of a publication
    something is not known any more, it is none.
    """

    changeset_id: str
    name: str
    status: Status
    draft_revision: int
    pages: tuple[PageDifference, ...]
    charter: tuple[TextDifference, ...]
    sources: tuple[SourceDifference, ...]
    paths: tuple[PathDifference, ...]
    checks: tuple[CheckDifference, ...]
    jobs: tuple[JobDifference, ...]
    totals: Mapping[str, int]
    max_chars: int
    limit: int
    offset: int
    has_more: bool


def diff(
    wiki: Wiki,
    changeset: str,
    *,
    slugs: Sequence[str] = (),
    stat: bool = False,
    max_chars: int = DIFF_CHARS,
    limit: int = 100,
    offset: int = 0,
) -> ChangesetDiff:
    """What a changeset changes, in the order of names: all of it, or these pages and their checks.

    `stat` leaves the texts out and counts their lines. `max_chars` bounds the diff of one text.
    """
    check_part(limit=limit, offset=offset)
    if not 1 <= max_chars <= DIFF_CHARS_MOST:
        raise LIMIT_OUT_OF_RANGE(option="--max-chars", least=1, most=DIFF_CHARS_MOST)
    wanted = {collision_key(parse_slug(slug)): slug for slug in slugs}
    with wiki.database.reading() as conn:
        found = drafts.find(conn, changeset)
        both = changeset_sides.both(conn, found)
        if wanted:
            both = _of_pages(both, wanted, name=found.name)
        made = both.comparison
        part = slice(offset, offset + limit)
        most = None if stat else max_chars
        pages = tuple(_page(conn, one, both.named, most) for one in made.pages[part])
        charter = tuple(_text(conn, one, both.named, most) for one in made.charter[part])
    totals = {
        "pages": len(made.pages),
        "charter": len(made.charter),
        "sources": len(made.sources),
        "paths": len(made.paths),
        "checks": len(made.checks),
        "jobs": len(both.jobs),
    }
    return ChangesetDiff(
        **wiki.label(),
        changeset_id=found.changeset_id,
        name=found.name,
        status=found.status,
        draft_revision=found.draft_revision,
        pages=pages,
        charter=charter,
        sources=tuple(map(_source, made.sources[part])),
        paths=tuple(map(_path, made.paths[part])),
        checks=tuple(map(_check, made.checks[part])),
        jobs=both.jobs[part],
        totals=totals,
        max_chars=max_chars,
        limit=limit,
        offset=offset,
        has_more=max(totals.values()) > offset + limit,
    )


def _of_pages(both: BothSides, wanted: Mapping[str, str], *, name: str) -> BothSides:
    """Only what is about these pages; refused when one of them is not touched."""
    touched = {key for one in both.comparison.pages for key in keys_of(one)}
    for key, slug in wanted.items():
        if key not in touched:
            raise CHANGESET_ENTITY_NOT_STAGED(name=name, what=f"the page {slug}")
    return replace(both, comparison=both.comparison.of_pages(wanted.keys()), jobs=())


def _page(
    conn: Connection, one: Sides[PageFace], named: tuple[str, str], most: int | None
) -> PageDifference:
    slug = one.shown.slug
    was = slug if one.before is None else one.before.slug
    made = _difference(conn, one, named, most, was=was, now=slug)
    return PageDifference(
        slug=slug,
        done=one.done,
        live_moved=one.moved,
        from_revision=_revision(one.before),
        to_revision=_revision(one.after),
        changes=None if most is None else changed_fields(one.before, one.after),
        added=made.added,
        removed=made.removed,
        diff=None if most is None else made.text,
        total_chars=made.total_chars,
        has_more=most is not None and made.has_more,
    )


def _text(
    conn: Connection, one: Sides[CharterFace], named: tuple[str, str], most: int | None
) -> TextDifference:
    made = _difference(conn, one, named, most, was=str(one.key), now=str(one.key))
    return TextDifference(
        name=str(one.key),
        done=one.done,
        live_moved=one.moved,
        from_revision=_revision(one.before),
        to_revision=_revision(one.after),
        added=made.added,
        removed=made.removed,
        diff=None if most is None else made.text,
        total_chars=made.total_chars,
        has_more=most is not None and made.has_more,
    )


def _difference(
    conn: Connection,
    one: Sides[PageFace] | Sides[CharterFace],
    named: tuple[str, str],
    most: int | None,
    *,
    was: str,
    now: str,
) -> Difference:
    """The diff of two kept texts, called `was` and `now`; one that is not there is empty."""
    before, after = (
        "" if face is None else texts.whole(conn, face.text_digest)
        for face in (one.before, one.after)
    )
    names = (
        f"{was} {named[0]} {_revision(one.before)}",
        f"{now} {named[1]} {_revision(one.after)}",
    )
    return difference(before, after, names=names, most_chars=most or DIFF_CHARS)


def _revision(face: PageFace | CharterFace | None) -> int:
    return 0 if face is None else face.revision


def _source(one: Sides[SourceFace]) -> SourceDifference:
    shown = one.shown
    return SourceDifference(
        id=int(one.key), title=shown.title, path=shown.path, chars=shown.chars, done=one.done
    )


def _path(one: Sides[PathFace]) -> PathDifference:
    return PathDifference(
        path=str(one.key),
        from_source=None if one.before is None else one.before.source_id,
        to_source=None if one.after is None else one.after.source_id,
        done=one.done,
    )


def _check(one: Sides[CheckFace]) -> CheckDifference:
    shown = one.shown
    return CheckDifference(
        id=int(one.key),
        page=shown.page,
        query=shown.query,
        paraphrases=shown.paraphrases,
        top=shown.top,
        done=one.done,
    )
