"""Memory: the largest source there may be is taken in, and one byte more is refused cheaply."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from measure import Figure
from processes import LIBRARIES, lwc, peak_memory
from prose import document
from wikis import empty, workplace

LARGEST = 64 * 1024 * 1024
MOST_MIB = 600
LIBRARIES_NAME = 'python -c "import sqlalchemy, typer"'

# By what a character takes in memory: one byte, two, and four for the sake of a single one.
FORMS = ("prose", "Chinese", "prose with one emoji")


def figures(*, quick: bool) -> Iterator[Figure]:
    rounds = 1 if quick else 3
    with workplace() as folder:
        libraries = [_peak(LIBRARIES, folder, status=0) for _ in range(rounds)]
        yield _figure(LIBRARIES_NAME, libraries, None)
        for form in ("prose",) if quick else FORMS:
            file = folder / "large.md"
            _write(file, form)
            peaks = [_added(folder / f"{form} {number}", file, 0) for number in range(rounds)]
            yield _figure(f"source add, 64 MiB of {form}", peaks, MOST_MIB)
        with file.open("ab") as larger:
            larger.write(b"\n")
        peaks = [_added(folder / f"refused {number}", file, 6) for number in range(rounds)]
        yield _figure("source add, 64 MiB and a byte, refused", peaks, MOST_MIB)


def _figure(name: str, samples: list[float], most: float | None) -> Figure:
    return Figure(suite="memory", name=name, samples=samples, unit="MiB", most=most)


def _added(folder: Path, file: Path, status: int) -> float:
    """The peak of adding the file to a new wiki; it must end with this exit status."""
    empty(folder)
    inside = folder / "large.md"
    file.rename(inside)
    try:
        return _peak(lwc("source", "add", "large.md"), folder, status=status)
    finally:
        inside.rename(file)


def _peak(argv: tuple[str, ...], folder: Path, *, status: int) -> float:
    found, peak = peak_memory(argv, folder=folder)
    if found != status:
        raise SystemExit(f"{' '.join(argv)} exited with {found}, not {status}")
    return peak


def _write(file: Path, form: str) -> None:
    """Exactly the largest size in bytes."""
    piece = (_chinese() if form == "Chinese" else _prose()).encode()
    end = "\U0001f600\n".encode() if "emoji" in form else b"\n"
    times, left = divmod(LARGEST - len(end), len(piece))
    with file.open("wb") as out:
        for _ in range(times):
            out.write(piece)
        out.write(b"x" * left + end)


def _prose() -> str:
    return "\n".join(document(f"piece {number}", chars=20_000).text for number in range(50))


def _chinese() -> str:
    """Sentences of three thousand characters, some much more frequent than others."""
    chance = random.Random("chinese")
    sentences = (
        "".join(chr(0x4E00 + int(3000 ** chance.random())) for _ in range(chance.randint(8, 30)))
        for _ in range(20_000)
    )
    return "。".join(sentences) + "。\n"
