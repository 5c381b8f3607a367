"""Telling git to leave a wiki alone: one line in its own exclude file, never in `.gitignore`."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lwc.errors import GIT_EXCLUDE_FAILED
from lwc.workspace import CHECKPOINTS, DATABASE_NAME, INIT_LOCK, STORE_FOLDER, Scope, Workspace

GIT_SECONDS = 20
LARGEST_EXCLUDE = 1024 * 1024
# What git says of a folder that it has nothing to do with, or of its own.
NO_WORK_TREE = (b"not a git repository", b"must be run in a work tree")
# Asked of git: all of these must be ignored, for `*.db` alone would leave the rest to be committed.
INSIDE = tuple(f"{STORE_FOLDER}/{name}" for name in (DATABASE_NAME, INIT_LOCK, f"{CHECKPOINTS}/x"))


@dataclass(frozen=True, slots=True, kw_only=True)
class GitExclude:
    """What became of telling git: not_applicable, disabled, not_git, already_ignored or added."""

    status: str
    path: str | None = None
    pattern: str | None = None


def exclude(place: Workspace, *, environ: Mapping[str, str]) -> GitExclude:
    """Have git ignore the store of a project, once."""
    if place.scope is Scope.GLOBAL:
        return GitExclude(status="not_applicable")
    root = place.root.resolve()
    top = _git(root, environ, "rev-parse", "--show-toplevel")
    if top is None:
        return GitExclude(status="not_git")
    tree = Path(top).resolve()
    if not root.is_relative_to(tree):
        return GitExclude(status="not_git")  # its settings put the work tree elsewhere
    pattern = _pattern(root.relative_to(tree))
    if ignoring := _ignoring(root, environ):
        return GitExclude(status="already_ignored", pattern=ignoring)
    shown = _git(root, environ, "rev-parse", "--git-path", "info/exclude")
    if shown is None:
        raise GIT_EXCLUDE_FAILED(what="it does not say where its exclude file is")
    path = root / shown
    path = path.parent.resolve() / path.name
    try:
        added = _add_line(path, os.fsencode(pattern))
    except OSError as error:
        raise GIT_EXCLUDE_FAILED(what=_said(error)) from error
    if not added:
        return GitExclude(status="already_ignored", pattern=pattern)
    return GitExclude(status="added", path=str(path), pattern=pattern)


def _pattern(relative: Path) -> str:
    """The line for the store in this folder below the top, its name taken by the letter."""
    folders = "/".join((*relative.parts, STORE_FOLDER))
    escaped = re.sub(r"[\\*?[]", r"\\\g<0>", folders)
    # A line cannot hold a line break; `?` stands for any one character.
    one_line = re.sub(r"[\r\n]", "?", escaped)
    return f"/{one_line}/"


def _ignoring(root: Path, environ: Mapping[str, str]) -> str | None:
    """The pattern by which git ignores the store already; none when it does not, or not all."""
    options = ("--verbose", "-z", "--no-index", "--stdin")
    said = _git(root, environ, "check-ignore", *options, asked="\0".join(INSIDE))
    # source NUL line NUL pattern NUL path NUL, for each path that a pattern matches
    patterns = (said or "").split("\0")[2::4]
    if len(patterns) < len(INSIDE) or any(pattern.startswith("!") for pattern in patterns):
        return None
    return patterns[0]


def _add_line(path: Path, line: bytes) -> bool:
    """Append a line unless it is there, also when several processes do it; whether it was added.

    A repository may come from anybody: what stands there is written only when it is a plain file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab+", buffering=0, opener=_plain_file) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        text = file.read(LARGEST_EXCLUDE + 1) or b""
        if len(text) > LARGEST_EXCLUDE:
            raise GIT_EXCLUDE_FAILED(what="its exclude file is too large")
        if line in text.splitlines():
            return False
        file.write(b"\n" * (text != b"" and not text.endswith(b"\n")) + line + b"\n")
    return True


def _said(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "its exclude file is a symbolic link"
    return error.strerror or type(error).__name__


def _plain_file(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "its exclude file is no plain file")
    return descriptor


def _git(folder: Path, environ: Mapping[str, str], *words: str, asked: str = "") -> str | None:
    """What git answers; none when there is no git, no work tree here, or nothing to tell."""
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=folder,
            env={**environ, "LC_ALL": "C"},  # its messages are read
            capture_output=True,
            input=asked.encode(),
            timeout=GIT_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        return None
    except subprocess.TimeoutExpired as error:
        raise GIT_EXCLUDE_FAILED(what=f"git took longer than {GIT_SECONDS} seconds") from error
    except OSError as error:
        raise GIT_EXCLUDE_FAILED(what=_said(error)) from error
    if done.returncode == 0:
        return os.fsdecode(done.stdout.removesuffix(b"\n"))
    found_nothing = words[0] == "check-ignore" and done.returncode == 1
    if found_nothing or any(said in done.stderr for said in NO_WORK_TREE):
        return None
    raise GIT_EXCLUDE_FAILED(what=f"`git {words[0]}` ended with {done.returncode}")
