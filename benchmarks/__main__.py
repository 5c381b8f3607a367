"""`python benchmarks [NAME …]`: measure, print a table, write JSON."""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

import report
from measure import Figure

HERE = Path(__file__).parent
SUITES = ("startup", "folders", "cycle", "claims", "growth", "drafts", "memory")


def main() -> int:
    """Run the suites; the exit status is 1 when a figure is above its target."""
    parser = argparse.ArgumentParser(prog="python benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SUITES)}; all")
    parser.add_argument("--quick", action="store_true", help="smaller and rougher, in a minute")
    parser.add_argument("--json", type=Path, default=HERE.parent / "build/bench.json")
    parser.add_argument("--readme", action="store_true", help="keep the table in README.md")
    asked = parser.parse_args()
    unknown = set(asked.names) - set(SUITES)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(SUITES)}")
    figures = _measured([name for name in SUITES if name in (asked.names or SUITES)], asked.quick)
    surroundings = report.surroundings()
    text = report.table(figures)
    print(f"\n{report.heading(surroundings)}\n\n{text}")
    asked.json.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "surroundings": surroundings,
        "quick": asked.quick,
        "figures": [figure.document() for figure in figures],
    }
    asked.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    if asked.readme:
        report.keep(HERE / "README.md", f"{report.heading(surroundings)}\n\n{text}")
    return int(any(figure.held.startswith("no") for figure in figures))


def _measured(names: list[str], quick: bool) -> list[Figure]:
    """Every figure, each told on standard error as soon as it is there."""
    figures = []
    for name in names:
        for figure in import_module(name).figures(quick=quick):
            print(report.line(figure), file=sys.stderr, flush=True)
            figures.append(figure)
    return figures


if __name__ == "__main__":
    sys.exit(main())
