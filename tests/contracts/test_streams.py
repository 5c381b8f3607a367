"""Commands whose output cannot be written, that are interrupted, or are read at a terminal."""

from __future__ import annotations

import errno
import json
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bad_inputs import listing
from state import digest, unsound
from storefiles import closed_store
from worlds import World, put

HOSTILE = "Title \x1b]0;owned\x07 then \x9b31m, \u202eright to left\u2028 and \x1b[2Jgone.\n"
# What no terminal may be sent: everything that it obeys, but for colours.
OBEYED = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
FILES, POINTS = 150, 8
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class TestOutputThatIsNotWritten:
    """The commit came before, and stands; asking again with the same request id shows it."""

    def test_a_reader_that_leaves_early_is_no_error(self, world: World) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        status, err = self.run(world, writing)
        assert (status, err) == (141, b"")
        self.assert_it_stands(world)

    def test_a_reader_that_takes_one_byte_is_none_either(self, world: World) -> None:
        done = subprocess.run(
            f"{sys.executable} -m lwc context | head -c1",
            shell=True,
            cwd=world.project,
            capture_output=True,
            check=True,
        )
        assert (done.stdout, done.stderr) == (b"{", b"")

    def test_a_full_disk_is_told_with_what_was_done(self, world: World) -> None:
        status, err = self.run(world, os.open("/dev/full", os.O_WRONLY))
        error = json.loads(err)["error"]
        assert (status, error["reason"], error["committed"]) == (1, "output_not_written", True)
        self.assert_it_stands(world)

    def test_a_closed_output_is_told_or_nobody_is_there_to_be_told(self, world: World) -> None:
        done = subprocess.run(
            f"{sys.executable} -m lwc page put fresh --title T --file late.md --request-id r1 >&-",
            shell=True,
            cwd=world.project,
            capture_output=True,
            check=False,
        )
        assert b"Traceback" not in done.stderr
        self.assert_it_stands(world)

    def run(self, world: World, stdout: int) -> tuple[int, bytes]:
        words = ["page", "put", "fresh", "--title", "T", "--file", "late.md", "--request-id", "r1"]
        try:
            done = subprocess.run(
                [sys.executable, "-m", "lwc", *words],
                cwd=world.project,
                stdout=stdout,
                stderr=subprocess.PIPE,
                check=False,
            )
        finally:
            os.close(stdout)
        return done.returncode, done.stderr

    def assert_it_stands(self, world: World) -> None:
        again = world.do(
            *("page", "put", "fresh", "--title", "T", "--file", "late.md", "--request-id", "r1")
        )
        assert (again["replayed"], again["created"]) == (True, True)
        assert world.do("page", "show", "fresh")["page"]["revision"] == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda it: it.name)
def test_an_interrupted_manifest_is_in_whole_or_not_at_all(
    number: signal.Signals, world: World, tmp_path: Path
) -> None:
    for name in range(FILES):
        world.write(f"more/many-{name:03d}.md", f"The document {name} of many.\n" * 20)
    listing(*(f"more/many-{name:03d}.md" for name in range(FILES)))(world)
    before = copied(world.project, tmp_path / "before")
    began = spent()
    assert interrupted(world.project, None, 60)[0] == 0
    whole = spent() - began
    wanted = digest(before), digest(world.project)
    met = set()
    for point in range(1, POINTS + 1):
        project = copied(before, tmp_path / f"point-{point}")
        status, err = interrupted(project, number, whole * 0.8 * point / POINTS)
        left = digest(project)
        assert left in wanted
        assert unsound(project) == []
        assert {name.name for name in (project / ".lwc").iterdir()} <= {
            *("wiki.db", "wiki.db-wal", "wiki.db-shm", "init.lock"),
            *("raw", "wiki", "schema.md", "purpose.md", ".obsidian"),
            *("projection.json", "projection.lock", "checkpoints"),
        }
        met.add(status)
        if status == 0:
            assert left == wanted[1]
            continue
        # Before it listened for signals it is ended by them, and has nothing to say.
        assert status in (128 + number, -number), err
        if err:
            error = json.loads(err)["error"]
            assert error["code"] == "interrupted"
            assert error["committed"] in (left == wanted[1], "unknown")
    assert 128 + number in met


def spent() -> float:
    """The processor's time that children have taken."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def copied(project: Path, to: Path) -> Path:
    with closed_store():
        return Path(shutil.copytree(project, to))


def interrupted(project: Path, number: signal.Signals | None, after: float) -> tuple[int, bytes]:
    """Run the manifest in a child that sends itself a signal after some seconds of its own work."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            from lwc.__main__ import main

            os.close(reading)
            os.dup2(writing, 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            for name, descriptor in (("stdout", 1), ("stderr", 2)):
                setattr(sys, name, os.fdopen(descriptor, "w", encoding="utf-8", closefd=False))
            os.chdir(project)
            if number is not None:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                signal.signal(signal.SIGPROF, lambda *_: os.kill(os.getpid(), number))
                signal.setitimer(signal.ITIMER_PROF, after)
            status = main(["source", "add-manifest", "m.json", "--output", "json"])
        finally:
            os._exit(int(status or 0))
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        err = pipe.read()
    _, ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended), err


@pytest.fixture
def hostile(world: World) -> World:
    """A wiki in which everything that can hold hostile characters does."""
    world.write("hostile.md", HOSTILE)
    world.do("source", "add", "hostile.md")
    world.do(*put("hostile", "--source", "4"), stdin=HOSTILE)
    world.do(*put("hostile", "--source", "4"), stdin=f"Now {HOSTILE}")
    world.do("ingest", "claim", "4", "--agent", "anna")
    analysis = HOSTILE.replace("\x9b", "")
    world.do("ingest", "analyze", "4", "--agent", "anna", "--file", "-", stdin=analysis)
    return world


NO_TEXT = ("links", "coverage")
SHOWN = (
    ("page", "show", "hostile"),
    ("page", "diff", "hostile"),
    ("page", "links", "hostile"),
    ("source", "show", "4"),
    ("source", "show", "4", "--output", "json"),
    ("source", "coverage", "4"),
    ("ingest", "show", "4"),
    ("search", "title"),
    ("context",),
    ("log",),
    ("lint",),
    ("db", "SELECT body FROM text_parts"),
    ("db", "SELECT body FROM text_parts", "--format", "csv"),
    ("db", "SELECT body FROM text_parts", "--format", "table"),
    ("page", "show", "\x1b]0;owned\x07\x9b"),
    ("page", "\x1b]0;owned\x07\x9b"),
    ("page", "list", "--\x1b]0;owned\x07"),
)


@pytest.mark.parametrize("argv", SHOWN, ids=lambda argv: ascii(" ".join(argv)))
def test_nothing_at_a_terminal_is_obeyed_by_it(argv: tuple[str, ...], hostile: World) -> None:
    shown = at_terminal(hostile, *argv, NO_COLOR="")
    assert OBEYED.findall(COLOURS.sub("", shown)) == []
    # What was to be obeyed is there to be read, where the text itself is shown.
    assert "owned" in shown or argv[0] in ("log", "lint", "context") or argv[1] in NO_TEXT


@pytest.mark.parametrize(
    "argv", [("page", "show", "hostile"), ("page", "show", "nowhere")], ids=str
)
def test_colours_are_for_terminals_that_want_them(argv: tuple[str, ...], hostile: World) -> None:
    assert COLOURS.search(at_terminal(hostile, *argv, NO_COLOR=""))
    assert "\x1b" not in at_terminal(hostile, *argv, NO_COLOR="1")


def at_terminal(world: World, *argv: str, **environ: str) -> str:
    """What a command prints at a terminal of its own, both streams."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "lwc", *argv],
        cwd=world.project,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "200", **environ},
    )
    os.close(theirs)
    said = b"".join(pieces(ours))
    os.close(ours)
    running.wait()
    return said.decode("utf-8").replace("\r\n", "\n")


def pieces(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            piece = os.read(descriptor, 65536)
        except OSError as error:
            if error.errno == errno.EIO:  # how Linux tells that the other side is closed
                return
            raise
        if not piece:
            return
        yield piece
