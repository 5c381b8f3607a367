"""Both sides of what a changeset touches: each thing as it was, and as it is left."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

from lwc.domain.changeset import Entity
from lwc.domain.slug import collision_key

F = TypeVar("F")

PAGE_FIELDS = ("slug", "title", "kind", "summary", "source_ids", "provenance")

Key = tuple[Entity, int | str]


class Done(StrEnum):
    """What becomes of a thing; it is kept when it was touched and is as it was."""

    CREATED = "created"
    CHANGED = "changed"
    REMOVED = "removed"
    KEPT = "kept"


class Written(Protocol):
    """What a page and each of its revisions show beside the text."""

    @property
    def slug(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def source_ids(self) -> tuple[int, ...]: ...
    @property
    def provenance(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFace:
    """A page by what is compared of it."""

    slug: str
    title: str
    kind: str
    summary: str
    source_ids: tuple[int, ...]
    provenance: tuple[str, ...]
    text_digest: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CharterFace:
    """The schema or the purpose."""

    text_digest: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFace:
    """A source; all is none where only its id is known any more."""

    title: str | None = None
    path: str | None = None
    chars: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PathFace:
    """Which source a path holds; none where that is not known any more."""

    source_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFace:
    """A retrieval check; all is none where only its id is known any more."""

    page: str | None = None
    query: str | None = None
    paraphrases: tuple[str, ...] = ()
    top: int | None = None


Face = PageFace | SourceFace | PathFace | CharterFace | CheckFace


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides(Generic[F]):
    """A thing before and after; a side is none where it is not there.

    `moved` says that live has changed it since the draft touched it first.
    """

    key: int | str
    before: F | None
    after: F | None
    moved: bool = False

    @property
    def done(self) -> Done:
        if self.before is None:
            return Done.CREATED
        if self.after is None:
            return Done.REMOVED
        return Done.KEPT if _content(self.before) == _content(self.after) else Done.CHANGED

    @property
    def shown(self) -> F:
        """The side to call it by: as it is left, or as it was."""
        face = self.before if self.after is None else self.after
        assert face is not None, "what was never there is not told"
        return face


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that a changeset touches, in the order of names or ids."""

    pages: tuple[Sides[PageFace], ...]
    charter: tuple[Sides[CharterFace], ...]
    sources: tuple[Sides[SourceFace], ...]
    paths: tuple[Sides[PathFace], ...]
    checks: tuple[Sides[CheckFace], ...]

    def of_pages(self, keys: Collection[str]) -> Comparison:
        """These pages, by the collision keys of a name they have or had, and their checks."""
        pages = tuple(one for one in self.pages if not keys_of(one).isdisjoint(keys))
        named = {key for one in pages for key in keys_of(one)}
        checks = (one for one in self.checks if one.shown.page is not None)
        return replace(
            self,
            pages=pages,
            charter=(),
            sources=(),
            paths=(),
            checks=tuple(one for one in checks if collision_key(one.shown.page or "") in named),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """What became of one field of a page that is not its text."""

    field: str
    before: Any
    after: Any


def compare(
    before: Mapping[Key, Face], after: Mapping[Key, Face], *, moved: Collection[Key] = ()
) -> Comparison:
    """Both sides of everything that stands on one of them at least."""

    def sides(entity: Entity, kind: type[F]) -> list[Sides[F]]:
        keys = {key for side in (before, after) for key in side if key[0] is entity}
        found = [
            Sides(
                key=key[1],
                before=_face(before.get(key), kind),
                after=_face(after.get(key), kind),
                moved=key in moved,
            )
            for key in keys
        ]
        return sorted(found, key=_number)

    pages = sides(Entity.PAGE, PageFace)
    checks = sides(Entity.CHECK, CheckFace)
    return Comparison(
        pages=tuple(sorted(pages, key=lambda one: one.shown.slug)),
        charter=tuple(sides(Entity.CHARTER, CharterFace)),
        sources=tuple(sides(Entity.SOURCE, SourceFace)),
        paths=tuple(sides(Entity.PATH, PathFace)),
        checks=tuple(sorted(checks, key=lambda one: one.shown.page or "")),
    )


def keys_of(page: Sides[PageFace]) -> set[str]:
    """The collision keys of the names a page has, one for each side."""
    return {collision_key(face.slug) for face in (page.before, page.after) if face is not None}


def changed_fields(before: Written | None, after: Written | None) -> tuple[FieldChange, ...]:
    """The fields of a page that differ, each as it was and as it is.

    Of a page that comes or goes these are all that say something.
    """
    pairs = (
        (name, getattr(before, name, None), getattr(after, name, None)) for name in PAGE_FIELDS
    )
    return tuple(
        FieldChange(field=name, before=was, after=now)
        for name, was, now in pairs
        if was != now and (was or now)
    )


def _face(face: Face | None, kind: type[F]) -> F | None:
    assert face is None or isinstance(face, kind), "an entity has the face of its kind"
    return face


def _number(one: Sides[Any]) -> tuple[int, str]:
    """Ids as numbers, names as words."""
    return (one.key, "") if isinstance(one.key, int) else (0, one.key)


def _content(face: object) -> object:
    """A face without the number of its revision, which may count on while nothing changes."""
    match face:
        case PageFace():
            return face.text_digest, *(getattr(face, name) for name in PAGE_FIELDS)
        case CharterFace():
            return face.text_digest
        case _:
            return face
