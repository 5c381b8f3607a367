"""Keeping the files up: a bounded part after each command, and everything when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from lwc.domain.projection_state import (
    ERRORS_TOLD,
    HEALS,
    FileError,
    Materialized,
    ProjectionState,
    Reason,
    file_error,
)
from lwc.errors import PROJECTION_BUSY, STORE_UNFINISHED, LwcError
from lwc.projection import lock, manifest
from lwc.projection.manifest import Manifest, Standing
from lwc.projection.run import Run
from lwc.projection.steps import told
from lwc.projection.tree import Tree
from lwc.store import journal, meta, outbox, settings
from lwc.store.database import Database
from lwc.store.outbox import Waiting

V = TypeVar("V")
Progress = Callable[[int, int], None]

# A command writes the files of so many entities, some 0.1 s of an SSD's syncs, and about so many
# bytes: its answer must not wait for what a thousand sources have left. The rest stays behind.
MOST_IN_A_COMMAND = 200
MOST_BYTES_IN_A_COMMAND = 64 * 1024 * 1024
# Page bodies have at most 4 MiB, so that this many are in memory at once.
AT_ONCE = 100
# Another run is done in a moment, and does this command's work too if it comes later still.
PATIENCE = 0.2
# Who asks for all of it waits as long as the contract says.
LONG_PATIENCE = 10.0


def catch_up(database: Database, folder: Path) -> ProjectionState | None:
    """Project what was committed, as far as one command may; none when nothing is left to say.

    Never raises for what the projection meets: the command is done whatever becomes of its files.
    When nothing waits, no file is touched.
    """
    try:
        with database.reading() as conn:
            if not outbox.waits(conn) or settings.load(conn).word("projection") == "off":
                return None
        return _caught_up(database, folder)
    except LwcError as error:
        return _state(database, [file_error("", Reason.STORE, error.message)])
    except OSError as error:
        return _state(database, [told("", error)])
    except (TypeError, ValueError) as error:
        # A damaged row can hold what the schema forbids.
        what = f"a row holds what it cannot ({type(error).__name__})"
        return _state(database, [file_error("", Reason.DAMAGED, what)])


def _caught_up(database: Database, folder: Path) -> ProjectionState | None:
    with Tree(folder) as tree, lock.held(tree, patience=PATIENCE) as mine:
        if not mine:
            return _state(database, [])
        run = Run(database=database, tree=tree, room=MOST_BYTES_IN_A_COMMAND)
        _project_what_waits(run, most=MOST_IN_A_COMMAND)
        run.errors += _kept_in_mind(run)
        return _state(database, run.errors, kept=run.kept)


def _project_what_waits(run: Run, *, most: int) -> None:
    """What waits, the newest first, and what others commit meanwhile; nothing is tried twice."""
    tried: set[Waiting] = set()
    while len(tried) < most:
        with run.database.reading() as conn:
            waiting = outbox.newest(conn, limit=most + len(tried))
        new = (one for one in waiting if one not in tried and one.owner not in run.failed)
        coming = list(new)[: most - len(tried)]
        if not coming:
            return
        tried.update(coming)
        for part, is_last in _parts(coming):
            run.project(part, whole=is_last)


def materialize(
    database: Database, folder: Path, *, force: bool = False, progress: Progress | None = None
) -> Materialized:
    """Make every file be what the wiki says; repeated, it finds nothing to do.

    With `force`, files that lwc did not write and that stand where its own belong are set aside.
    """
    with Tree(folder) as tree, lock.held(tree, patience=LONG_PATIENCE) as mine:
        if not mine:
            raise PROJECTION_BUSY(seconds=int(LONG_PATIENCE))
        run = Run(database=database, tree=tree, force=force, complete=True)
        with database.reading() as conn:
            every = [one for one in outbox.owners(conn) if one.owner != outbox.WHOLE]
        done = 0
        for part, is_last in _parts(every):
            run.project(part, whole=is_last)
            done += len(part)
            if progress is not None:
                progress(done, len(every))
        _clear_unfinished(tree)
        _kept_in_mind(run)
    with database.reading() as conn:
        return Materialized(
            revision=journal.revision(conn),
            written=run.written,
            removed=run.removed,
            unchanged=run.unchanged,
            behind=outbox.count(conn),
            kept=tuple(run.kept),
            errors=tuple(run.errors[:ERRORS_TOLD]),
            errors_total=len(run.errors),
        )


def _parts(items: Sequence[V]) -> Iterator[tuple[Sequence[V], bool]]:
    """The items a part at a time, and whether it is the last; an empty part when there are none."""
    for at in range(0, max(len(items), 1), AT_ONCE):
        yield items[at : at + AT_ONCE], at + AT_ONCE >= len(items)


def _clear_unfinished(tree: Tree) -> None:
    for folder in ("", "raw/sources", ".obsidian", "wiki", *tree.folders_in("wiki")):
        tree.clear_unfinished(folder)


def _kept_in_mind(run: Run) -> list[FileError]:
    """Write down, outside the database, what was projected; what that file says of the wiki.

    Once the database was found to know less than that, it is said until all was projected anew.
    """
    with run.database.reading() as conn:
        store_id, revision = meta.value(conn, "store_id"), journal.revision(conn)
    if store_id is None:
        raise STORE_UNFINISHED()
    known = manifest.read(run.tree)
    standing = manifest.standing(known, store_id=store_id, revision=revision)
    went_back = not run.complete and standing in (Standing.WENT_BACK, Standing.ANOTHER_STORE)
    if went_back and known is not None:
        revision = max(revision, known.revision)
    new = Manifest(
        store_id=store_id,
        revision=revision,
        went_back=went_back,
        errors=tuple(run.errors[:ERRORS_TOLD]),
    )
    manifest.write(run.tree, new)
    return [file_error(manifest.NAME, Reason.WENT_BACK)] if went_back else []


def _state(
    database: Database, errors: Sequence[FileError], *, kept: Sequence[str] = ()
) -> ProjectionState | None:
    """What there is to say; none when all is written and nothing was set aside."""
    try:
        with database.reading() as conn:
            behind = outbox.count(conn)
    except LwcError:
        behind = 1  # whatever it is, this command's own change is among it
    if not (behind or errors or kept):
        return None
    is_behind = bool(behind or errors)
    return ProjectionState(
        state="behind" if is_behind else "current",
        behind=behind,
        errors=tuple(errors[:ERRORS_TOLD]),
        errors_total=len(errors),
        kept=tuple(kept) or None,
        next=HEALS if is_behind else None,
    )
