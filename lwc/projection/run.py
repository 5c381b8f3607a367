"""One run of the projection: files written, files taken away, and the outbox told what is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lwc.domain.changeset import Entity
from lwc.domain.projection import INDEX, OBSIDIAN, OBSIDIAN_SETTINGS
from lwc.domain.projection_state import FileError, Reason, file_error
from lwc.errors import LwcError
from lwc.projection import index, log, steps, wanted
from lwc.projection.steps import Step
from lwc.projection.tree import Tree, UnsafePlaceError
from lwc.projection.wanted import File, Wish
from lwc.store import outbox, projectable
from lwc.store.database import Connection, Database
from lwc.store.outbox import Owner, Waiting, Written

# So many bytes are in memory before they are written.
TOGETHER = 8 * 1024 * 1024


@dataclass(slots=True, kw_only=True)
class Run:
    """What a run may do and what it has done; whoever runs it holds the lock.

    `complete` is one that trusts no file to be what it wrote. `room` is how many bytes it may
    write: what does not fit stays behind.
    """

    database: Database
    tree: Tree
    force: bool = False
    complete: bool = False
    room: int | None = None
    written: int = 0
    removed: int = 0
    unchanged: int = 0
    kept: list[str] = field(default_factory=list)
    errors: list[FileError] = field(default_factory=list)
    # What waits for another run.
    failed: set[Owner] = field(default_factory=set)

    def project(self, waiting: Sequence[Waiting], *, whole: bool) -> None:
        """Bring the files of these entities up, and with `whole` those that gather all.

        Before a file is touched, what it is to hold is kept, so that a run which is killed leaves
        no file behind that nobody knows as ours.
        """
        with self.database.reading() as conn:
            wishes, known = self._wished(conn, waiting, whole=whole)
        part = Part(run=self, wishes=wishes, known=known)
        part.announce(whole=whole)
        part.act()
        if whole:
            part.bring_up_log()
            self._furnish()
        self.tree.settle()
        part.record()

    def _wished(
        self, conn: Connection, waiting: Sequence[Waiting], *, whole: bool
    ) -> tuple[tuple[Wish, ...], dict[str, Written]]:
        wishes = wanted.wishes(conn, waiting)
        known = outbox.written(
            conn,
            of=[wish.waiting.owner for wish in wishes] + [outbox.WHOLE] * whole,
            at=[INDEX, *(file.path for wish in wishes for file in wish.files)],
        )
        if whole:
            text = index.content(conn, self.tree, wishes, known, anew=self.complete)
            wishes = (*wishes, wanted.whole(conn, text))
        return wishes, known

    def _furnish(self) -> None:
        """Give the vault its settings, when it has none; from then on they are its reader's."""
        try:
            if self.tree.digest(OBSIDIAN) is None:
                self.tree.replace(OBSIDIAN, OBSIDIAN_SETTINGS.encode())
                self.written += 1
        except UnsafePlaceError:
            return  # settings that are shared by a link, for example
        except OSError as error:
            self.errors.append(steps.told(OBSIDIAN, error))


class Part:
    """A part of a run: entities whose files are compared, written and recorded together."""

    def __init__(self, *, run: Run, wishes: Sequence[Wish], known: Mapping[str, Written]) -> None:
        self.run = run
        self.wishes = wishes
        self.known = known
        self.found = steps.compare(run.tree, wishes, known, force=run.force)
        self.failed: set[Owner] = set()
        self.done: list[Step] = []
        self.logged: list[Written] = []
        for owner, error in self.found.errors:
            self._fail(owner, error)
        run.unchanged += len(self.found.same)

    def announce(self, *, whole: bool) -> None:
        """Keep what the files are to hold, before any of them is touched."""
        rows = [
            Written(path=step.path, owner=step.owner, digests=_either(step, step.file))
            for step in self.found.writes
            if step.file is not None
        ]
        listed = self.known.get(INDEX)
        if not whole and listed is not None and index.UNSETTLED not in listed.digests:
            # Pages are going to be done whose lines in it are not.
            digests = (*listed.digests, index.UNSETTLED)
            rows.append(Written(path=INDEX, owner=outbox.WHOLE, digests=digests))
        if rows:
            with self.run.database.writing() as conn:
                outbox.note(conn, rows)

    def act(self) -> None:
        """Write and take away; what fails is told, and nothing else waits for it."""
        for step in self.found.early:
            self._take_away(step)
        batch: list[tuple[Step, bytes]] = []
        size = 0
        for step in self.found.writes:
            content = self._content(step)
            if content is None:
                continue
            batch.append((step, content))
            size += len(content)
            if size > TOGETHER:
                self._write(batch)
                batch, size = [], 0
        self._write(batch)
        for step in self.found.stale:
            # Until its new file stands, the old one is better than none.
            if step.owner not in self.failed:
                self._take_away(step)

    def _take_away(self, step: Step) -> None:
        try:
            if step.aside:
                self.run.kept.append(self.run.tree.set_aside(step.path))
            else:
                self.run.tree.remove(step.path)
                self.run.removed += 1
        except OSError as error:
            self._fail(step.owner, steps.told(step.path, error))
        else:
            self.done.append(step)

    def _content(self, step: Step) -> bytes | None:
        """What to write; none when there is no room for it, or the wiki has gone on meanwhile."""
        run, file = self.run, step.file
        assert file is not None, "what is written has content"
        if run.room is not None and run.room <= 0 and step.owner != outbox.WHOLE:
            self.failed.add(step.owner)
            return None
        content = file.content
        try:
            if content is None:
                with run.database.reading() as conn:
                    text = projectable.text(conn, file.digest)
                content = None if text is None else text.encode()
            if step.aside:
                run.kept.append(run.tree.set_aside(step.path))
        except (LwcError, OSError) as error:
            self._fail(step.owner, _told(step.path, error))
            return None
        if content is None:
            self.failed.add(step.owner)
        elif run.room is not None:
            run.room -= len(content)
        return content

    def _write(self, batch: Sequence[tuple[Step, bytes]]) -> None:
        failures = self.run.tree.replace_all([(step.path, content) for step, content in batch])
        for (step, _), error in zip(batch, failures, strict=True):
            if error is None:
                self.done.append(step)
                self.run.written += 1
            else:
                self._fail(step.owner, steps.told(step.path, error))

    def bring_up_log(self) -> None:
        """Have the log tell what the journal does."""
        run = self.run
        logged = log.bring_up(run.database, run.tree, whole=run.complete, force=run.force)
        if logged.error is not None:
            self._fail(outbox.WHOLE, logged.error)
        elif logged.written:
            run.written += 1
        else:
            run.unchanged += 1
        run.kept += [] if logged.kept is None else [logged.kept]
        self.logged = [] if logged.row is None else [logged.row]

    def _fail(self, owner: Owner, error: FileError) -> None:
        self.failed.add(owner)
        self.run.errors.append(error)

    def record(self) -> None:
        """Tell the outbox what is done, and keep what the files hold now."""
        waited = (wish.waiting for wish in self.wishes if wish.waiting.owner not in self.failed)
        settled = [one for one in waited if one.operation_id is not None]
        again = self._again()
        rows = [
            Written(path=step.path, owner=step.owner, digests=(step.file.digest,))
            for step in self.done
            if step.file is not None
        ]
        rows += [row for row in (*self.found.same, *self.logged) if self.known.get(row.path) != row]
        gone = [*self.found.gone, *(step.path for step in self.done if step.file is None)]
        if not (settled or again or rows or gone):
            return
        with self.run.database.writing() as conn:
            outbox.settle(conn, settled)
            for entity, key in again:
                outbox.put(conn, Entity(entity), key)
            outbox.forget(conn, gone)
            is_settled = outbox.count(conn) == 0
            outbox.note(conn, [row if is_settled else _unsettled(row) for row in rows])

    def _again(self) -> list[Owner]:
        """What must wait for the next run though nothing has changed.

        A file that gathers all waits under the purpose, for the overview copies that.
        """
        waiting = (wish.waiting for wish in self.wishes)
        waits = {one.owner for one in waiting if one.operation_id is not None} & self.failed
        purpose = (Entity.CHARTER.value, "purpose")
        failed = {purpose if owner == outbox.WHOLE else owner for owner in self.failed}
        self.run.failed |= failed
        return sorted(failed - waits)


def _either(step: Step, file: File) -> tuple[str, ...]:
    """What the file may hold while it is being written, of what is ours."""
    if step.standing is None or step.aside:
        return (file.digest,)
    return (step.standing, file.digest)


def _unsettled(row: Written) -> Written:
    if row.path != INDEX:
        return row
    return Written(path=row.path, owner=row.owner, digests=(*row.digests, index.UNSETTLED))


def _told(path: str, error: LwcError | OSError) -> FileError:
    if isinstance(error, OSError):
        return steps.told(path, error)
    is_damage = error.problem.code == "corrupt_store"
    return file_error(path, Reason.DAMAGED if is_damage else Reason.STORE, error.message)
