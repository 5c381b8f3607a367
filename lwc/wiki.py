"""An open wiki: reading, writing against what was seen, and answering a repeated request once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from lwc import clock, wire, workspace
from lwc.domain.projection_state import ProjectionState
from lwc.errors import (
    CHANGESET_COMMAND_UNSUPPORTED,
    INVALID_AGENT,
    INVALID_REQUEST_ID,
    MIGRATION_REQUIRED,
    REQUEST_ID_REUSED,
    REQUEST_UNDONE,
    STALE_REVISION,
    STORE_CORRUPT,
    STORE_UNFINISHED,
    LwcError,
    Typed,
)
from lwc.store import journal, layers, meta
from lwc.store.database import Database
from lwc.store.layers import Draft
from lwc.store.tables import SCHEMA
from lwc.workspace import Scope, Workspace

if TYPE_CHECKING:
    # Only the store speaks SQL; a connection passes through here unopened.
    from sqlalchemy import Connection

NOT_CONTENT = "it changes the wiki itself, not what stands in it"

P = ParamSpec("P")
A = TypeVar("A", bound="Changed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Who calls, and what the call is bound to.

    `command` and `arguments` are what a request id stands for: the same id with other arguments is
    refused. `if_revision` is the wiki revision the caller has seen.
    """

    agent: str = "python"
    request_id: str | None = None
    if_revision: int | None = None
    command: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (0 < len(self.agent) <= 128 and self.agent.isprintable()):
            raise INVALID_AGENT()
        name = self.request_id
        if name is not None and not (
            0 < len(name) <= 128 and name.isascii() and name.isprintable() and " " not in name
        ):
            raise INVALID_REQUEST_ID()

    @property
    def arguments_digest(self) -> str:
        return wire.digest({"command": self.command, "arguments": self.arguments})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What every answer about one wiki says: which wiki."""

    scope: str
    database: str
    # The draft it was asked in; left out of live answers.
    changeset: str | None = wire.left_out()


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed(Answer):
    """What every changing command answers: the revision it left, and whether it was done before.

    `revision` is the live wiki's, which staging does not move; `draft_revision` is the draft's.
    """

    revision: int
    replayed: bool = False
    draft_revision: int | None = wire.left_out()
    # Told only when files for readers are behind what was committed.
    projection: ProjectionState | None = wire.left_out()  # noqa: RUF009


class Change:
    """One writing transaction: its connection, its moment, and the journal entries it makes."""

    def __init__(self, wiki: Wiki, conn: Connection, call: Call, draft: Draft | None) -> None:
        self.wiki = wiki
        self.conn = conn
        self.call = call
        self.now: datetime = clock.now()
        # What `record` writes to; none is the live journal.
        self.draft = draft

    @property
    def agent(self) -> str:
        return self.call.agent

    def record(self, action: str, target: str | int | None = None, **detail: Any) -> int:
        """Append an operation to the journal; answers the revision it makes.

        In a draft it is the draft's journal, which goes on behind the live one.
        """
        facts: dict[str, Any] = {
            "target": None if target is None else str(target),
            "detail": detail,
            "agent": self.call.agent,
            "request_id": self.call.request_id,
            "now": self.now,
        }
        if self.draft is not None:
            from lwc.store import drafts

            return drafts.record(self.conn, self.draft, action, **facts)
        return journal.record(self.conn, action, **facts)

    @property
    def revision(self) -> int:
        return journal.revision(self.conn)

    def finish(self, answer: A, *, keep: Any = None) -> A:
        """The answer of this change, kept under its request id when it has one.

        `keep` is stored instead of the answer where the answer is rebuilt on a replay.
        """
        if self.draft is not None:
            from lwc.store import drafts

            answer = replace(answer, draft_revision=drafts.revision(self.conn, self.draft.id))
        if self.call.request_id is not None:
            journal.keep(
                self.conn,
                self.call.request_id,
                command=self.call.command,
                arguments_digest=self.call.arguments_digest,
                answer=wire.plain(answer if keep is None else keep),
                now=self.now,
            )
        return answer


class AlreadyDone(Exception):
    """A request id that was already used for this very command; carries what was kept."""

    def __init__(self, kept: Any) -> None:
        super().__init__()
        self.kept = kept


class Wiki:
    """The open thing: a workspace and its database. Close it, or use it in a `with`.

    With a `changeset` it is the wiki as this draft will leave it: reads see the draft laid over
    the live wiki, and what is written is staged.
    """

    def __init__(
        self, place: Workspace, database: Database, *, changeset: str | None = None
    ) -> None:
        self.workspace = place
        self.database = database
        self.changeset = changeset

    def __enter__(self) -> Wiki:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self.database.close()

    def label(self) -> dict[str, Any]:
        """The fields of `Answer`, to be spread into one."""
        label: dict[str, Any] = {
            "scope": self.workspace.scope.value,
            "database": str(self.workspace.database),
        }
        return label if self.changeset is None else {**label, "changeset": self.changeset}

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One moment of the wiki, or of the draft laid over it."""
        with self.database.reading() as conn:
            if self.changeset is None:
                yield conn
                return
            with layers.laid(conn, _opened(conn, self.changeset), reading=True):
                yield conn

    @contextmanager
    def writing(self, call: Call) -> Iterator[Change]:
        """One change: all of it is committed, with its journal entries, or nothing.

        Refuses with `stale_revision` when the wiki is not at `call.if_revision`, and raises
        `AlreadyDone` when the call's request id was used before. It is of the live wiki: a service
        that can be staged asks for `staging`, one that works on live jobs for `claiming`.
        """
        if self.changeset is not None:
            raise CHANGESET_COMMAND_UNSUPPORTED(command=Typed(call.command), why=NOT_CONTENT)
        with self.database.writing() as conn:
            self._check(conn, call, None)
            yield Change(self, conn, call, None)

    @contextmanager
    def staging(self, call: Call) -> Iterator[Change]:
        """As `writing`, for content: in a draft it is staged, and `if_revision` is the draft's."""
        if self.changeset is None:
            with self.writing(call) as change:
                yield change
            return
        with self.database.writing() as conn:
            draft = _opened(conn, self.changeset)
            self._check(conn, call, draft)
            with layers.laid(conn, draft, reading=False):
                yield Change(self, conn, call, draft)

    @contextmanager
    def claiming(self, call: Call) -> Iterator[Change]:
        """As `writing`, for what is live by design also in a draft: claims, windows, analyses.

        What the draft adds is seen, but jobs and the journal are the live ones.
        """
        if self.changeset is None:
            with self.writing(call) as change:
                yield change
            return
        with self.database.writing() as conn:
            self._check(conn, call, None)
            with layers.laid(conn, _opened(conn, self.changeset), reading=False):
                yield Change(self, conn, call, None)

    def _check(self, conn: Connection, call: Call, draft: Draft | None) -> None:
        """Refuse a call whose request was answered before, or that has seen another revision."""
        kept = self._kept(conn, call)
        if kept is not None:
            raise AlreadyDone(kept.answer)
        if call.if_revision is None:
            return
        found = journal.revision(conn) if draft is None else draft.revision
        if found != call.if_revision:
            raise STALE_REVISION(expected=call.if_revision, found=found)

    def revision(self) -> int:
        """The end of the live journal."""
        with self.reading() as conn:
            return journal.revision(conn)

    def store_id(self) -> str:
        """The wiki's own name, 64 hexadecimal digits, given at its making for ever."""
        with self.reading() as conn:
            found = meta.value(conn, "store_id")
        if found is None:
            raise STORE_UNFINISHED()
        return found

    def kept(self, call: Call) -> journal.Kept | None:
        """What the call's request id already stands for; none when it is new or there is none."""
        if call.request_id is None:
            return None
        # Live: a request is remembered also when the draft it was made in has ended.
        with self.database.reading() as conn:
            return self._kept(conn, call)

    def _kept(self, conn: Connection, call: Call) -> journal.Kept | None:
        if call.request_id is None:
            return None
        kept = journal.kept(conn, call.request_id)
        if kept is not None and kept.arguments_digest != call.arguments_digest:
            raise REQUEST_ID_REUSED(request_id=call.request_id, command=kept.command)
        if kept is not None and kept.undone is not None:
            raise REQUEST_UNDONE(
                request_id=call.request_id, command=kept.command, revision=kept.undone
            )
        return kept


def replayable(
    kind: type[A],
) -> Callable[[Callable[Concatenate[Wiki, Call, P], A]], Callable[Concatenate[Wiki, Call, P], A]]:
    """For a changing service: a repeated request id answers what was answered, and does nothing.

    It is asked before the service reads any file, and again inside the writing transaction.
    """

    def wrap(
        service: Callable[Concatenate[Wiki, Call, P], A],
    ) -> Callable[Concatenate[Wiki, Call, P], A]:
        @wraps(service)
        def once(wiki: Wiki, call: Call, /, *args: P.args, **kwargs: P.kwargs) -> A:
            kept = wiki.kept(call)
            if kept is not None:
                return _replayed(kind, kept.answer)
            try:
                return _projected(wiki, service(wiki, call, *args, **kwargs))
            except AlreadyDone as done:
                return _replayed(kind, done.kept)
            except LwcError as error:
                # A twin of this very request may have been done while this one was prepared.
                kept = wiki.kept(call) if error.committed is False else None
                if kept is None:
                    raise
                return _replayed(kind, kept.answer)

        return once

    return wrap


def _projected(wiki: Wiki, answer: A) -> A:
    """Bring the files for readers up to what was committed; the command stands either way."""
    if wiki.changeset is not None:
        return answer
    # Only who changes the wiki pays for it.
    from lwc import projection

    behind = projection.catch_up(wiki.database, wiki.workspace.store)
    return answer if behind is None else replace(answer, projection=behind)


def _replayed(kind: type[A], answer: Any) -> A:
    try:
        loaded: A = wire.load(kind, answer)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = "the answer kept under this request id cannot be read"
        raise STORE_CORRUPT(what=what, committed=True) from error
    return replace(loaded, replayed=True)


def open_wiki(
    start: Path | str | None = None,
    *,
    scope: str = "project",
    environ: Mapping[str, str] | None = None,
    migrate: bool = True,
    changeset: str | None = None,
) -> Wiki:
    """Open the wiki that `start` (the current folder) belongs to, or a draft of it by its name.

    An older wiki is migrated first, after a backup; with `migrate=False`, or where it may not be
    written, that is refused with `migration_required`.
    """
    place = workspace.find(
        Path.cwd() if start is None else Path(start),
        scope=Scope(scope),
        environ=os.environ if environ is None else environ,
    )
    database = Database(place.database)
    try:
        found = database.version()
        if found == 0:
            raise STORE_UNFINISHED()
        if found < int(SCHEMA):
            if not migrate or database.mode != "rw":
                raise MIGRATION_REQUIRED(found=found, known=int(SCHEMA))
            database.close()
            _bring_up(place.database)
            database = Database(place.database)
        wiki = Wiki(place, database, changeset=changeset)
        if changeset is not None:
            with database.reading() as conn:
                _opened(conn, changeset)
    except BaseException:
        database.close()
        raise
    return wiki


def _opened(conn: Connection, changeset: str) -> Draft:
    # Only who works in a draft pays for the tables of drafts.
    from lwc.store import drafts

    return drafts.opened(conn, changeset)


def _bring_up(path: Path) -> None:
    # Alembic costs 0.4 s to import; only an older wiki pays.
    from lwc.store import migrate

    migrate.bring_up(path)
