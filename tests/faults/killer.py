"""Kills changing commands at random moments and looks at what they left; a program of its own.

`killer.py FOLDER SEED POINTS [drafts]` prints one JSON line a point. It forks: the child runs one
command by `main(argv)` and is killed with SIGKILL; no other thread runs here, so a fork is a clean
process. With `drafts` the commands are those that end a draft, and every second point is no kill
but a file that may not grow: each write behind some offset is an I/O error.
"""

from __future__ import annotations

import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from mutations import DRAFTS, MUTATIONS, Mutation, prepare, prepare_draft
from state import content, digest, unsound

from lwc.__main__ import main
from lwc.cli import app
from lwc.cli.commands import COMMANDS
from lwc.wire import encode


def run_points(folder: Path, seed: int, points: int, *, drafts: bool = False) -> None:
    chance = random.Random(seed)
    mutations = DRAFTS if drafts else MUTATIONS
    for row in COMMANDS:
        # Imported here once, a command's own work is what a kill falls into.
        app.load(row)
    template = folder / "template"
    template.mkdir(parents=True)
    _command(template)("init", "--no-git-exclude")
    (prepare_draft if drafts else prepare)(template, _command(template))
    for mutation in mutations:
        before = folder / f"before-{mutation.name}"
        shutil.copytree(template, before)
        if mutation.before:
            _command(before)(*mutation.before)
        after = folder / f"after-{mutation.name}"
        shutil.copytree(before, after)
        began = time.perf_counter()
        _fork(after, mutation, request_id="whole")
        whole = time.perf_counter() - began
        wanted = digest(before), digest(after)
        assert wanted[0] != wanted[1], f"{mutation.name} changes nothing"
        for number in range(points):
            copy = folder / f"{mutation.name}-{number}"
            shutil.copytree(before, copy)
            if drafts and number % 2:
                fault = {"limit": chance.randrange(1, _size(before))}
            else:
                # The commit stands near the end; the root moves the kills towards it.
                fault = {"kill_after": whole * 1.1 * chance.random() ** 0.5}
            point = _point(copy, mutation, fault, wanted)
            print(json.dumps({"command": mutation.name, **point}), flush=True)
            if not point["wrong"]:
                shutil.rmtree(copy)


def _size(project: Path) -> int:
    """Somewhat more than the largest file of a store will be."""
    return 2 * max(path.lstat().st_size for path in (project / ".lwc").iterdir())


def _point(
    project: Path, mutation: Mutation, fault: dict[str, Any], wanted: tuple[str, str]
) -> Any:
    """Have one command meet a fault; say what was wrong with what it left."""
    acknowledged = _fork(project, mutation, request_id="r1", **fault)
    wrong = list(unsound(project))
    left = digest(project)
    if left not in wanted:
        wrong.append("half applied")
    if acknowledged and left != wanted[1]:
        wrong.append("acknowledged and lost")
    again = _fork(project, mutation, request_id="r1")
    if not again:
        wrong.append("the retry failed")
    elif again.get("replayed", False) != (left == wanted[1]):
        wrong.append("the retry told the wrong story")
    if digest(project) != wanted[1]:
        wrong.append(f"the retry did not arrive: {encode(content(project), compact=True)[:2000]}")
    return {"acknowledged": bool(acknowledged), "applied": left == wanted[1], "wrong": wrong}


def _fork(
    project: Path,
    mutation: Mutation,
    *,
    request_id: str,
    kill_after: float | None = None,
    limit: int | None = None,
) -> dict[str, Any] | None:
    """Run the command in a child; answers its JSON, none when it did not come to answer.

    It is killed after so many seconds, or cannot write behind so many bytes of a file.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.close(reading)
            os.dup2(writing, 1)
            os.chdir(project)
            if limit is not None:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", closefd=False), encoding="utf-8")
            sys.stdin = io.TextIOWrapper(io.BytesIO(mutation.stdin.encode()), encoding="utf-8")
            status = main([*mutation.argv, "--request-id", request_id, "--output", "json"])
            sys.stdout.flush()
        finally:
            os._exit(int(status or 0))
    os.close(writing)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    with os.fdopen(reading, "rb") as pipe:
        out = pipe.read()
    os.waitpid(child, 0)
    try:
        answer: dict[str, Any] = json.loads(out)
    except ValueError:
        return None
    return answer


def _command(project: Path) -> Callable[..., Any]:
    def run(*argv: str, stdin: str = "") -> Any:
        mutation = Mutation(name="preparation", argv=argv, stdin=stdin)
        answer = _fork(project, mutation, request_id=f"prepare-{time.monotonic_ns()}")
        assert answer is not None, argv
        return answer

    return run


if __name__ == "__main__":
    run_points(
        Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), drafts=sys.argv[4:] == ["drafts"]
    )
