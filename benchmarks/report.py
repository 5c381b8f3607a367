"""The figures as people read them: one table, and in what surroundings they were taken."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from measure import Figure

import lwc
from lwc import clock

COLUMNS = ("suite", "figure", "median", "least … greatest", "beside", "ratio", "target", "held")
# Where the README keeps the table of the last run.
BEGIN, END = "<!-- figures: printed by --readme -->", "<!-- end of figures -->"


def surroundings() -> dict[str, str]:
    """What the figures were taken in; what cannot be the same elsewhere."""
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    package = Path(lwc.__file__).parent
    return {
        "date": clock.now().date().isoformat(),
        "lwc": lwc.__version__ + ("" if "site-packages" in package.parts else ", not installed"),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "sqlalchemy": version("sqlalchemy"),
        "typer": version("typer"),
        "system": f"{platform.system()} {platform.machine()}",
        "load": load,
    }


def heading(surroundings: dict[str, str]) -> str:
    """One line over the table."""
    return ", ".join(
        value if name in ("date", "load", "system") else f"{name} {value}"
        for name, value in surroundings.items()
    )


def table(figures: Sequence[Figure]) -> str:
    """All figures as a table of Markdown that is aligned as it stands."""
    rows = [COLUMNS, *(_row(figure) for figure in figures)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(COLUMNS))]
    lines = [_laid(row, widths) for row in rows]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]]) + "\n"


def line(figure: Figure) -> str:
    """A figure while the others are still measured."""
    return "  ".join(cell for cell in _row(figure) if cell)


def keep(readme: Path, text: str) -> None:
    """Put the table where the README has the one of the last run."""
    before, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    readme.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def _row(figure: Figure) -> tuple[str, ...]:
    ratio, most = figure.ratio, figure.most
    if most is None:
        target = ""
    else:
        target = f"≤ {most:g}" if ratio is not None else f"≤ {most:g} {figure.unit}"
    return (
        figure.suite,
        figure.name,
        f"{_short(figure.value)} {figure.unit}",
        f"{_short(min(figure.samples))} … {_short(max(figure.samples))}",
        figure.baseline,
        "" if ratio is None else f"{ratio:.2f}",
        target,
        figure.held,
    )


def _short(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def _laid(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
    return "| " + " | ".join(cells) + " |"
