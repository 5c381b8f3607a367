"""Where a wiki is: finding `.lwc/` from a folder, and proving its path is safe to open."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lwc.errors import (
    FILE_UNREADABLE,
    HOME_IS_GLOBAL,
    HOME_NOT_SET,
    MULTIPLE_LINKS,
    PROJECT_ROOT_ESCAPE,
    PROJECT_ROOT_INVALID,
    PROJECT_ROOT_MISMATCH,
    PROJECT_SCOPE_CONFLICT,
    STORE_EXPOSED,
    STORE_FOREIGN,
    STORE_NOT_FOUND,
    STORE_PATH_INVALID,
    LwcError,
)
from lwc.filesystem import EFFECTIVE_RIGHTS
from lwc.filesystem import STORE_FOLDER as STORE_FOLDER

DATABASE_NAME = "wiki.db"
# Held while `init` makes a wiki; the copies from before migrations stand in the folder.
INIT_LOCK = "init.lock"
CHECKPOINTS = "checkpoints"
# What must be a plain file of ours wherever it exists.
FILES = (DATABASE_NAME, f"{DATABASE_NAME}-wal", f"{DATABASE_NAME}-shm", INIT_LOCK)


class Scope(StrEnum):
    PROJECT = "project"
    GLOBAL = "global"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A folder with `.lwc/` in it (or where it would be made): the project's, or the user's."""

    scope: Scope
    root: Path

    @property
    def store(self) -> Path:
        return self.root / STORE_FOLDER

    @property
    def database(self) -> Path:
        return self.store / DATABASE_NAME

    @property
    def project_root(self) -> Path | None:
        """The folder sources must be in; none for the global wiki, which has no such rule."""
        return self.root if self.scope is Scope.PROJECT else None


def find(start: Path, *, scope: Scope, environ: Mapping[str, str]) -> Workspace:
    """The workspace of `start`, or `store_not_found`. Nothing is made."""
    found: Workspace | None
    if scope is Scope.GLOBAL:
        found = Workspace(scope=scope, root=home(environ))
        found = found if _is_there(found) else None
    else:
        # A folder that is not there has no wiki; one above its name would be somebody else's.
        found = _project(start, environ) if start.is_dir() else None
    if found is None:
        raise STORE_NOT_FOUND(scope=scope.value)
    prove_safe(found, environ=environ)
    return found


def place(start: Path, *, scope: Scope, environ: Mapping[str, str]) -> Workspace:
    """Where `init` works: the workspace that is found, else a new one at `start`.

    With LWC_PROJECT_ROOT set, a new one is at that root.
    """
    if scope is Scope.GLOBAL:
        made = Workspace(scope=scope, root=home(environ))
    else:
        fallback = _boundary(start, environ) or start.resolve()
        made = _project(start, environ) or Workspace(scope=scope, root=fallback)
        if made.root == _home_or_none(environ):
            raise HOME_IS_GLOBAL()
    prove_safe(made, environ=environ)
    return made


def home(environ: Mapping[str, str]) -> Path:
    """The user's folder, which holds the global wiki; a relative path names none."""
    drive = environ.get("HOMEDRIVE", "") + environ.get("HOMEPATH", "")
    for candidate in (environ.get("HOME"), environ.get("USERPROFILE"), drive):
        if candidate and os.path.isabs(candidate):
            return Path(candidate)
    raise HOME_NOT_SET()


def _project(start: Path, environ: Mapping[str, str]) -> Workspace | None:
    boundary = _boundary(start, environ)
    user = _home_or_none(environ)
    found = [
        workspace
        for folder in _upwards(start.resolve(), boundary=boundary, user=user)
        if _is_there(workspace := Workspace(scope=Scope.PROJECT, root=folder))
        # The global wiki is never taken for a project's.
        and not (user is not None and folder == user)
    ]
    if boundary is not None and len(found) > 1:
        raise PROJECT_SCOPE_CONFLICT(stores=[str(one.root.relative_to(boundary)) for one in found])
    return found[0] if found else None


def _boundary(start: Path, environ: Mapping[str, str]) -> Path | None:
    value = environ.get("LWC_PROJECT_ROOT")
    if value is None:
        return None
    try:
        boundary = Path(value).resolve(strict=True) if value else None
    except (OSError, RuntimeError, ValueError) as error:
        raise PROJECT_ROOT_INVALID() from error
    if boundary is None or not boundary.is_dir():
        raise PROJECT_ROOT_INVALID()
    if not start.resolve().is_relative_to(boundary):
        raise PROJECT_ROOT_MISMATCH()
    return boundary


def _upwards(start: Path, *, boundary: Path | None, user: Path | None) -> Iterator[Path]:
    """`start` and the folders above it, to the boundary, the user's home or the root."""
    last = boundary
    if last is None and user is not None and start.is_relative_to(user):
        last = user
    for folder in (start, *start.parents):
        yield folder
        if folder == last:
            return


def _home_or_none(environ: Mapping[str, str]) -> Path | None:
    try:
        return home(environ).resolve()
    except LwcError:
        return None


def _is_there(workspace: Workspace) -> bool:
    """Whether a database stands there; a link in its place counts, so that it can be refused, and
    so does a folder that may not be entered: a wiki above it is not the one that is meant."""
    mode = _mode(workspace.database)
    if mode is None:
        return _is_closed(workspace.store)
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _is_closed(folder: Path) -> bool:
    """Whether it is a folder that this process may not look into."""
    mode = _mode(folder)
    return (
        mode is not None
        and stat.S_ISDIR(mode)
        and not os.access(folder, os.X_OK, effective_ids=EFFECTIVE_RIGHTS)
    )


def prove_safe(workspace: Workspace, *, environ: Mapping[str, str]) -> None:
    """Refuse a store reached through links, and one that others own or may write.

    Whoever may plant a folder above ours could otherwise tell us what to believe. The system's own
    user is trusted, and the one that LWC_ALLOW_OWNER names.

    Checked by name without opening: opening the database beside SQLite would lose its locks.
    """
    folder = _lstat(workspace.store)
    if folder is not None:
        if not stat.S_ISDIR(folder.st_mode):
            raise _escape(workspace, workspace.store)
        if folder.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise STORE_EXPOSED(path=STORE_FOLDER)
        if str(folder.st_uid) not in (str(os.geteuid()), "0", environ.get("LWC_ALLOW_OWNER")):
            raise STORE_FOREIGN(path=STORE_FOLDER, owner=folder.st_uid)
        if _is_closed(workspace.store):
            raise FILE_UNREADABLE(path=STORE_FOLDER, what="permission denied")
    checkpoints = _lstat(workspace.store / CHECKPOINTS)
    if checkpoints is not None and not stat.S_ISDIR(checkpoints.st_mode):
        raise _escape(workspace, workspace.store / CHECKPOINTS)
    for name in FILES:
        path = workspace.store / name
        found = _lstat(path)
        if found is None:
            continue
        if not stat.S_ISREG(found.st_mode):
            raise _escape(workspace, path)
        if found.st_nlink > 1:
            raise MULTIPLE_LINKS(path=f"{STORE_FOLDER}/{path.name}")


def _escape(workspace: Workspace, path: Path) -> LwcError:
    shown = str(path.relative_to(workspace.root))
    if workspace.scope is Scope.PROJECT:
        return PROJECT_ROOT_ESCAPE(path=shown)
    return STORE_PATH_INVALID(path=shown)


def _mode(path: Path) -> int | None:
    found = _lstat(path)
    return None if found is None else found.st_mode


def _lstat(path: Path) -> os.stat_result | None:
    """lstat, asked again a few times on a permission error, which some hosts give in passing."""
    for left in reversed(range(4)):
        try:
            return os.lstat(path)
        except PermissionError:
            if left:
                time.sleep(0.01)
        except OSError:  # not there; or above it a file, a circle of links, a name too long
            return None
    return None
