"""Kills changing commands at random moments and looks at what they left; a program of its own.

`killer.py FOLDER SEED POINTS` prints one JSON line a point. It forks: the child runs one command by
`main(argv)` and is killed with SIGKILL; no other thread runs here, so a fork is a clean process.
"""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from mutations import MUTATIONS, Mutation, prepare
from state import content, digest, unsound

from lwc.__main__ import main
from lwc.cli import app
from lwc.cli.commands import COMMANDS
from lwc.wire import encode


def run_points(folder: Path, seed: int, points: int) -> None:
    chance = random.Random(seed)
    for row in COMMANDS:
        # Imported here once, a command's own work is what a kill falls into.
        app.load(row)
    template = folder / "template"
    template.mkdir(parents=True)
    _command(template)("init", "--no-git-exclude")
    prepare(template, _command(template))
    for mutation in MUTATIONS:
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
            # The commit stands near the end; the root moves the kills towards it.
            delay = whole * 1.1 * chance.random() ** 0.5
            point = _point(copy, mutation, delay, wanted)
            print(json.dumps({"command": mutation.name, **point}), flush=True)
            if not point["wrong"]:
                shutil.rmtree(copy)


def _point(project: Path, mutation: Mutation, after: float, wanted: tuple[str, str]) -> Any:
    """Kill one command after so many seconds; say what was wrong with what it left."""
    acknowledged = _fork(project, mutation, request_id="r1", kill_after=after)
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
    project: Path, mutation: Mutation, *, request_id: str, kill_after: float | None = None
) -> dict[str, Any] | None:
    """Run the command in a child; answers its JSON, none when it was killed before it answered."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.close(reading)
            os.dup2(writing, 1)
            os.chdir(project)
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
    run_points(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
