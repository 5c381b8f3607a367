"""What has to be done to the files, found by comparing them with what they are to hold."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lwc.domain.projection import LOG
from lwc.domain.projection_state import FileError, Reason, file_error
from lwc.projection.tree import Tree, UnsafePlaceError
from lwc.projection.wanted import File, Wish
from lwc.store.outbox import Owner, Written


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Write a file, or take one away that nothing is wished of any more.

    `standing` is what the file holds now; `aside` says that somebody else wrote that.
    """

    path: str
    owner: Owner
    file: File | None
    standing: str | None
    aside: bool = False


@dataclass(slots=True, kw_only=True)
class Comparison:
    """What differs, what is as it should be, and what cannot be helped.

    `early` is taken away before the others are written: files whose names may be one with a new
    one, where the disk knows no capitals.
    """

    early: list[Step] = field(default_factory=list)
    writes: list[Step] = field(default_factory=list)
    stale: list[Step] = field(default_factory=list)
    same: list[Written] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    errors: list[tuple[Owner, FileError]] = field(default_factory=list)


def compare(
    tree: Tree, wishes: Sequence[Wish], known: Mapping[str, Written], *, force: bool = False
) -> Comparison:
    """Look at the files that are wished for and those that are known of the same owners.

    What lwc did not write is left where it stands, unless that is forced.
    """
    found = Comparison()
    # On a disk that knows no capitals, a page's new name may stand for its old file.
    ours: defaultdict[str, set[str]] = defaultdict(set)
    for row in known.values():
        ours[_folded(row.path)].update(row.digests)
    for wish in wishes:
        for file in wish.files:
            _look(tree, wish.waiting.owner, file, known, ours, found, force=force)
        if wish.damaged is not None:
            found.errors.append((wish.waiting.owner, file_error(wish.damaged, Reason.DAMAGED)))
    _look_for_stale(tree, wishes, known, found)
    return found


def _look(
    tree: Tree,
    owner: Owner,
    file: File,
    known: Mapping[str, Written],
    ours: Mapping[str, set[str]],
    found: Comparison,
    *,
    force: bool,
) -> None:
    try:
        standing = tree.digest(file.path)
    except OSError as error:
        found.errors.append((owner, told(file.path, error)))
        return
    digests = ours.get(_folded(file.path), set())
    is_by_another_name = bool(digests) and file.path not in known
    if standing == file.digest and not is_by_another_name:
        found.same.append(Written(path=file.path, owner=owner, digests=(file.digest,)))
    elif standing is None or standing in digests:
        found.writes.append(Step(path=file.path, owner=owner, file=file, standing=standing))
    elif file.path in known or force:
        step = Step(path=file.path, owner=owner, file=file, standing=standing, aside=True)
        found.writes.append(step)
    else:
        found.errors.append((owner, file_error(file.path, Reason.FOREIGN)))


def _look_for_stale(
    tree: Tree, wishes: Sequence[Wish], known: Mapping[str, Written], found: Comparison
) -> None:
    wished = {LOG, *(file.path for wish in wishes for file in wish.files)}
    sound = {wish.waiting.owner for wish in wishes if wish.damaged is None}
    written = {_folded(path) for path in wished}
    for row in known.values():
        if row.owner not in sound or row.path in wished:
            continue
        try:
            standing = tree.digest(row.path)
        except UnsafePlaceError:
            standing = None  # what stands there now is nothing of ours
        except OSError as error:
            found.errors.append((row.owner, told(row.path, error)))
            continue
        if standing is None:
            found.gone.append(row.path)
            continue
        aside = standing not in row.digests
        step = Step(path=row.path, owner=row.owner, file=None, standing=standing, aside=aside)
        (found.early if _folded(row.path) in written else found.stale).append(step)


def told(path: str, error: OSError) -> FileError:
    """An error of the operating system as one of a file, without the paths that it tells."""
    if isinstance(error, UnsafePlaceError):
        return file_error(path, Reason.UNSAFE, f"there is {error.what} in its way")
    return file_error(path, Reason.DISK, (error.strerror or "input/output error").lower())


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
