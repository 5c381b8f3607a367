"""The plain model of a wiki with drafts: dicts of what stands live, and dicts that lie over them.

Everything here is a dict of frozen values by (entity, key). A draft has a dict of its own for what
it has touched, and what each was when it was touched first. Nothing of the product is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lwc.errors import Problem

Key = tuple[str, Any]

_CODE = re.compile(r"`[^`]*`")
_LINK = re.compile(r"\[\[([a-z]+)")
_CITED = re.compile(r'^\[\^(\w+)\]: source:(\d+) "([^"]*)"$', re.MULTILINE)
_WORD = re.compile(r"[a-z]+")


class Refused(Exception):
    """The model says no, for this reason; `facts` is what the refusal must tell."""

    def __init__(self, problem: Problem, facts: Any = None) -> None:
        super().__init__(problem.name)
        self.problem = problem
        self.facts = facts


@dataclass(frozen=True, kw_only=True)
class Page:
    id: int
    slug: str
    title: str
    kind: str
    body: str
    named: frozenset[int] = frozenset()
    aliases: frozenset[str] = frozenset()
    revision: int = 0

    @property
    def written(self) -> tuple[Any, ...]:
        """What a write gives; the same again writes nothing."""
        return self.title, self.kind, self.body, self.named

    @property
    def quotes(self) -> tuple[tuple[int, str], ...]:
        return tuple((int(source), quote) for _, source, quote in _CITED.findall(self.body))

    @property
    def cited(self) -> frozenset[int]:
        return self.named | {source for source, _ in self.quotes}

    @property
    def links(self) -> frozenset[str]:
        return frozenset(_LINK.findall(_CODE.sub("", self.body)))

    @property
    def names(self) -> frozenset[str]:
        return self.aliases | {self.slug}

    @property
    def words(self) -> frozenset[str]:
        return frozenset(_WORD.findall(f"{self.title} {self.slug} {self.body}".lower()))

    def relinked(self, names: frozenset[str], to: str) -> str:
        """The body with its links to these names leading to another."""
        kept = _CODE.findall(self.body)
        parts = _CODE.split(self.body)
        wanted = re.compile(rf"\[\[(?:{'|'.join(sorted(names))})(?![a-z])")
        changed = [wanted.sub(f"[[{to}", part) for part in parts]
        return changed[0] + "".join(a + b for a, b in zip(kept, changed[1:], strict=True))


@dataclass(frozen=True, kw_only=True)
class Rev:
    """A page as a revision left it; `op` is the entry of the journal it was made under."""

    page: Page
    deed: str
    op: tuple[int, int]

    @property
    def order(self) -> tuple[Any, ...]:
        return self.op, self.page.revision


@dataclass(frozen=True, kw_only=True)
class Source:
    id: int
    title: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, kw_only=True)
class Check:
    id: int
    page: int
    queries: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Base:
    """What a draft has found when it touched an entity, and since when it was there."""

    content: Any
    number: int
    since: Any = None


@dataclass(kw_only=True)
class Job:
    state: str = "pending"
    attempts: int = 0
    attempt: int = 0
    agent: str | None = None
    token: str | None = None
    until: int | None = None
    failure: str | None = None
    reason: str | None = None
    pinned: str | None = None

    @property
    def claimed(self) -> bool:
        return self.state in ("analyzing", "generating")

    def expired(self, now: int) -> bool:
        return self.claimed and self.pinned is None and (self.until or 0) <= now

    def ended(self, state: str, **facts: Any) -> None:
        """It is nobody's any more."""
        self.state, self.agent, self.token, self.until = state, None, None, None
        for name, value in facts.items():
            setattr(self, name, value)


def content_of(kind: str, value: Any) -> Any:
    """What of an entity counts when two are compared: not its revision."""
    if value is None:
        return None
    if kind == "page":
        return value.slug, value.written, value.aliases
    if kind in ("path", "charter"):
        return value[-1][1]
    return value


@dataclass
class Live:
    """What stands live. Paths and charter texts are tuples of (revision, what they hold, …)."""

    values: dict[Key, Any] = field(default_factory=dict)
    revs: list[Rev] = field(default_factory=list)
    ops: int = 0
    jobs: dict[int, Job] = field(default_factory=dict)
    # The texts of sources by id: an id is given to a text once.
    texts: dict[int, str] = field(default_factory=dict)
    last_page: int = 0
    last_check: int = 0

    name = None

    def get(self, kind: str, key: Any) -> Any:
        return self.values.get((kind, key))

    def put(self, kind: str, key: Any, value: Any) -> None:
        self.values[kind, key] = value

    def drop(self, kind: str, key: Any) -> None:
        self.values.pop((kind, key), None)

    def touch(self, kind: str, key: Any) -> None:
        """Nothing to do: there is nothing below."""

    def of(self, kind: str) -> dict[Any, Any]:
        """All entities of a kind, by key."""
        return {key: value for (what, key), value in self.values.items() if what == kind}

    def history(self) -> list[Rev]:
        return self.revs

    def record(self, check: int | None = None) -> tuple[int, int]:
        """A new entry of the journal; of the check it is about, if it is about one."""
        self.ops += 1
        return 0, self.ops

    def job(self, source: int) -> Job | None:
        """The job of a source that is in sight."""
        return self.jobs.get(source) if self.get("source", source) else None

    def number(self, kind: str, key: Any) -> int:
        """The highest revision an entity has, or had when it is gone."""
        value = self.get(kind, key)
        if kind == "page":
            had = (rev.page.revision for rev in self.revs if rev.page.id == key)
            return int(value.revision) if value else max(had, default=0)
        return int(value[-1][0]) if value and kind in ("path", "charter") else 0

    def since(self, kind: str, key: Any) -> tuple[int, Any]:
        """Which revision stands, and of paths and sources since when."""
        value, at = self.get(kind, key), None
        if value is not None and kind in ("path", "source"):
            at = value[-1][2] if kind == "path" else value.at
        return self.number(kind, key), at

    def copy_of_job(self, source: int) -> Job | None:
        return replace(self.jobs[source]) if source in self.jobs else None


@dataclass(kw_only=True)
class Draft:
    """What a draft has touched, over what is live."""

    name: str
    live: Live
    begun: int
    id: str = ""
    values: dict[Key, Any] = field(default_factory=dict)
    revs: list[Rev] = field(default_factory=list)
    # How often it was changed, and which of these changes will stand in the live journal.
    revision: int = 0
    entries: dict[int, int | None] = field(default_factory=dict)
    staged: dict[Key, Base] = field(default_factory=dict)
    # The reason of each staged completion, by source.
    completions: dict[int, str | None] = field(default_factory=dict)

    def get(self, kind: str, key: Any) -> Any:
        if (kind, key) in self.staged:
            return self.values.get((kind, key))
        return self.of(kind).get(key) if kind == "page" else self.live.get(kind, key)

    def touch(self, kind: str, key: Any) -> None:
        if (kind, key) in self.staged:
            return
        value = self.get(kind, key)
        self.staged[kind, key] = Base(
            content=content_of(kind, value),
            number=self.live.number(kind, key),
            since=self.live.since(kind, key),
        )
        if value is not None:
            self.values[kind, key] = value

    def put(self, kind: str, key: Any, value: Any) -> None:
        self.touch(kind, key)
        self.values[kind, key] = value

    def drop(self, kind: str, key: Any) -> None:
        self.touch(kind, key)
        self.values.pop((kind, key), None)

    def of(self, kind: str) -> dict[Any, Any]:
        here = {key: value for (what, key), value in self.values.items() if what == kind}
        below = {
            key: value
            for key, value in self.live.of(kind).items()
            if (kind, key) not in self.staged
        }
        return {**(_beside(below, here) if kind == "page" else below), **here}

    def touch_completion(self, source: int, attempt: int) -> None:
        self.staged.setdefault(("completion", source), Base(content=None, number=attempt))

    def history(self) -> list[Rev]:
        return [*self._below(), *self.revs]

    def _below(self) -> Iterator[Rev]:
        """Live revisions; of a touched page those it had when it was touched."""
        for rev in self.live.revs:
            base = self.staged.get(("page", rev.page.id))
            if base is None or rev.page.revision <= base.number:
                yield rev

    def record(self, check: int | None = None) -> tuple[int, int]:
        self.revision += 1
        self.entries[self.revision] = check
        return 1, self.revision

    def job(self, source: int) -> Job | None:
        return self.live.jobs.get(source) if self.get("source", source) else None


def _beside(below: dict[int, Page], here: dict[int, Page]) -> dict[int, Page]:
    """Live pages without what a draft has given away: those names lead to its own pages."""
    taken = frozenset(name for page in here.values() for name in page.names)
    return {
        key: replace(page, aliases=page.aliases - taken)
        for key, page in below.items()
        if page.slug not in taken
    }


Layer = Live | Draft


@dataclass(kw_only=True)
class Ended:
    """A changeset that is no draft any more; `undo` leads to what was before and after."""

    name: str
    id: str
    begun: int
    status: str
    op: int = 0
    undo: dict[Key, tuple[Any, Any]] = field(default_factory=dict)


@dataclass
class World:
    """The wiki, its open drafts by name, and the changesets that ended, in the order of begin."""

    live: Live = field(default_factory=Live)
    drafts: dict[str, Draft] = field(default_factory=dict)
    ended: list[Ended] = field(default_factory=list)
    now: int = 0
    begun: int = 0

    @property
    def layers(self) -> list[Layer]:
        return [self.live, *self.drafts.values()]

    def holds_source(self, source: int) -> bool:
        """Whether a source stands live or is staged in a draft."""
        return any(("source", source) in layer.values for layer in self.layers)
