"""Prints docs/reference/ from the code's own tables; with --check, says what is stale."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from lwc.cli import app
from lwc.cli.commands import COMMANDS, GROUPS
from lwc.domain import ingest, lint, machine, settings
from lwc.errors import Exit, problems
from lwc.store import tables

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
HEAD = "<!-- Printed from the code by `make docs`; do not edit. -->\n\n"


def errors() -> str:
    """docs/reference/errors.md: every row of lwc.errors, by code."""
    lines = [
        "# Errors",
        "",
        "A refusal is one JSON object on stderr; stdout stays empty. `code` is the word to branch"
        " on, `reason` the finer one, `hint` the next command, `retryable` whether the same command"
        " may succeed later, `committed` whether the change is there (`false`, `true` or"
        ' `"unknown"`; then repeat the command with the same `--request-id`).',
        "",
        "| exit status | meaning |",
        "|---|---|",
        *(f"| {status.value} | {_EXITS[status]} |" for status in Exit),
        "| 130, 143 | SIGINT or SIGTERM came: `interrupted` |",
        "| 141 | the reader of the output left before its end |",
        "",
        "| code | reason | exit | retry | message | hint |",
        "|---|---|---|---|---|---|",
    ]
    rows = sorted((row for _, row in problems()), key=lambda row: (row.code, row.name))
    lines += [
        f"| `{row.code}` | {'' if row.name == row.code else f'`{row.reason}`'} | {row.exit.value} "
        f"| {'yes' if row.retryable else 'no'} | {_cell(row.message)} | {_cell(row.hint)} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


_EXITS = {
    Exit.OK: "done",
    Exit.INTERNAL: "an error of lwc or the disk",
    Exit.USAGE: "the command line is wrong",
    Exit.NOT_FOUND: "what was named is not there",
    Exit.CONFLICT: "the state does not allow it, or the world moved on",
    Exit.GATED: "a gate is not held: coverage, citation, integration, acknowledgement",
    Exit.BAD_INPUT: "the input is refused",
    Exit.BUSY: "busy or out of room; try again",
}


def states() -> str:
    """docs/reference/states.md: the ingest machine, from its one table."""
    lines = [
        "# States of an ingest job",
        "",
        "```mermaid",
        machine.mermaid(ingest.STEPS),
        "```",
        "",
    ]
    lines += ["| event | from | to | gates |", "|---|---|---|---|"]
    for step in ingest.STEPS:
        target = "stays" if step.target is None else step.target.value
        gates = ", ".join(gate.value for gate in step.gates)
        sources = ", ".join(state.value for state in step.sources)
        lines.append(f"| {step.event.value} | {sources} | {target} | {gates} |")
    lines += ["", "## Settings", "", "| key | default | strict | may be | meaning |"]
    lines += ["|---|---|---|---|---|"]
    for row in settings.SETTINGS:
        lines.append(
            f"| `{row.key}` | {row.default} | {row.strict or ''} | {row.may_be} | {row.meaning} |"
        )
    lines += [
        "",
        "## Lint rules",
        "",
        "| code | severity | says | mend it with |",
        "|---|---|---|---|",
    ]
    for rule in lint.RULES:
        lines.append(
            f"| `{rule.code}` | {_severity(rule)} | {_cell(rule.message)} | {_cell(rule.hint)} |"
        )
    return "\n".join(lines) + "\n"


def _severity(rule: lint.Rule) -> str:
    stricter = f" ({rule.required} where `citations` is `required`)" if rule.required else ""
    return f"{rule.severity}{stricter}"


def commands() -> str:
    """docs/reference/cli.md: every command's own help page."""
    lines = ["# Commands", ""]
    for group, words in GROUPS.items():
        lines.append(f"- `lwc {group}`: {words}")
    lines.append("")
    for row in COMMANDS:
        lines += [f"## lwc {row[0]}", "", f"{row[3]}.", "", "```text", app.manual(row).rstrip()]
        lines += ["```", ""]
    return "\n".join(lines)


def schema() -> str:
    """docs/reference/schema.md: the tables as SQLite makes them."""
    lines = [
        "# Schema",
        "",
        f"Schema {tables.SCHEMA}. The file is `.lwc/wiki.db`; its application id is"
        f" {tables.APPLICATION_ID:#x}. Read it through `lwc`, never by opening the file: another"
        " open of it in a process that has it open loses SQLite's locks.",
        "",
    ]
    dialect = sqlite.dialect()
    for table in tables.metadata.sorted_tables:
        lines += [f"## {table.name}", "", "```sql"]
        lines.append(_sql(str(CreateTable(table).compile(dialect=dialect))))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            lines.append(_sql(str(CreateIndex(index).compile(dialect=dialect))))
        lines += ["```", ""]
    return "\n".join(lines)


PAGES: dict[str, Callable[[], str]] = {
    "cli.md": commands,
    "errors.md": errors,
    "schema.md": schema,
    "states.md": states,
}


def _sql(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines()) + ";"


def _cell(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}").replace("|", "\\|")


def stale() -> list[str]:
    """The reference pages that do not say what the code says."""
    return [
        name
        for name, page in PAGES.items()
        if not (REFERENCE / name).is_file()
        or (REFERENCE / name).read_text(encoding="utf-8") != HEAD + page()
    ]


def main(argv: list[str]) -> int:
    if argv == ["--check"]:
        for name in (found := stale()):
            print(f"docs/reference/{name} is stale; run `make docs`")
        return 1 if found else 0
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(HEAD + page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
