"""The one file that prints: answers and help on standard output, refusals and progress on error.

It imports nothing at its top but what the interpreter has loaded anyway, for `lwc --version`
passes through here too; JSON and colours are loaded when they are needed.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # see commands.py
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Literal, TextIO

    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from lwc.errors import Committed, LwcError

    Mode = Literal["json", "text"]

# What a shell reports for a program that its reader has left (128 + SIGPIPE).
READER_GONE = 141


class Verbatim(str):
    """An answer that is a text of its own, such as a script: printed as it is in every mode."""

    __slots__ = ()


def say(text: str) -> int:
    """Print a text that is no answer of a command (help, the version); the exit status."""
    return _deliver(text, committed=False)


def reply(answer: Any, mode: Mode | None = None, *, committed: Committed = False) -> int:
    """Print a command's answer; the exit status.

    `committed` is what the command has already done, told when the answer cannot be written.
    """
    if isinstance(answer, Verbatim):
        return _deliver(answer, committed=committed)
    if (mode or natural_mode(sys.stdout)) == "json":
        from lwc import wire

        return _deliver(wire.encode(answer) + "\n", committed=committed)
    from lwc.cli import views

    text = views.render(answer, terminal=_is_terminal(sys.stdout))
    return _deliver(text, committed=committed)


def refuse(error: LwcError, mode: Mode | None = None) -> int:
    """Print a refusal on standard error, one line of JSON or red words; the exit status."""
    if (mode or natural_mode(sys.stderr)) == "json":
        from lwc import wire

        _murmur(wire.encode({"error": error.body()}, compact=True) + "\n")
    else:
        from lwc.cli import refusal_views

        _murmur(refusal_views.worded(error, colours=_has_colours()))
    return int(error.problem.exit)


def trace() -> None:
    """Print the traceback of the exception being handled on standard error."""
    import traceback

    _murmur(traceback.format_exc())


def natural_mode(stream: TextIO | None) -> Mode:
    """Text for a person at a terminal, JSON for whatever reads a pipe or a file."""
    return "text" if _is_terminal(stream) else "json"


class progress:
    """`with progress(total, "Adding files") as advance`: a bar on standard error.

    It is drawn while that is a terminal that takes escapes; otherwise nothing is.

    `advance()` counts one more; `advance(done, total)` sets both, the form services call back with.
    """

    def __init__(self, total: int | None, words: str) -> None:
        self._total = total
        self._words = words
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> progress:
        if _has_colours():
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task(self._words, total=self._total)
            self._bar.start()
        return self

    def __call__(self, done: int | None = None, total: int | None = None) -> None:
        if self._bar is None or self._task is None:
            return
        if done is None:
            self._bar.advance(self._task)
        else:
            self._bar.update(self._task, completed=done, total=total or self._total)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def _deliver(text: str, *, committed: Committed) -> int:
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        return READER_GONE
    except OSError as error:
        from lwc.errors import OUTPUT_NOT_WRITTEN

        what = error.strerror or "standard output is closed"
        return refuse(OUTPUT_NOT_WRITTEN(what=what, committed=committed))
    return 0


def _murmur(text: str) -> None:
    """Write to standard error; when even that fails there is nobody left to tell."""
    try:
        _write(sys.stderr, text)
    except OSError:
        return


def _write(stream: TextIO | None, text: str) -> None:
    """All of the text as UTF-8, now: nothing stays in a buffer to fail at the interpreter's end."""
    if stream is None or stream.closed:
        raise OSError("the stream is closed")
    stream.flush()
    try:
        descriptor = stream.fileno()
    except OSError:  # a stream in memory has none
        stream.write(text)
        return
    rest = memoryview(text.encode("utf-8", "backslashreplace"))
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:  # some agents hand out pipes that do not block
            from select import select

            select([], [descriptor], [])


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def _has_colours() -> bool:
    environ = os.environ
    return (
        _is_terminal(sys.stderr)
        and not environ.get("NO_COLOR")
        and environ.get("TERM", "dumb") != "dumb"
    )
