"""Help pages that list commands: printed from the table, without any library."""

from __future__ import annotations

from lwc.cli.commands import COMMANDS, GROUPS, members

TYPE_CHECKING = False  # see commands.py
if TYPE_CHECKING:
    from lwc.cli.commands import Row, Table

OPTIONS = (
    ("--scope SCOPE", "which wiki: project (default), global, or all"),
    ("--output FORM", "json or text; json when the output is piped"),
    ("--changeset NAME", "work on a draft"),
    ("--agent NAME", "who changes something (also LWC_AGENT)"),
    ("--request-id ID", "change something safely: the same id never acts twice"),
    ("-v, --verbose", "say more on standard error"),
    ("--version", "print the version"),
    ("-h, --help", "print help: `lwc --help`, `lwc page --help`, `lwc page put --help`"),
)


def front(table: Table = COMMANDS) -> str:
    """The page of `lwc --help`: every command, grouped as typed."""
    lines = [
        "Usage: lwc [OPTIONS] COMMAND …",
        "",
        "A source-grounded wiki that AI agents keep: sources in, cited pages out.",
        "",
        "Start with `lwc init`, `lwc source add-dir DIR` and `lwc ingest next`.",
        "",
    ]
    alone = [row for row in table if " " not in row[0]]
    lines += ["Commands", *_columns([(row[0], row[3]) for row in alone])]
    for group in groups(table):
        lines += ["", f"{group} — {GROUPS.get(group, '')}".rstrip(" —")]
        lines += _columns([(row[0], row[3]) for row in members(group, table)])
    lines += ["", "Options that most commands have", *_columns(OPTIONS)]
    return "\n".join(lines) + "\n"


def page(group: str, table: Table = COMMANDS) -> str:
    """The page of `lwc GROUP --help`."""
    rows: list[Row] = members(group, table)
    lines = [
        f"Usage: lwc {group} COMMAND …",
        "",
        f"{GROUPS.get(group, group)}.",
        "",
        "Commands",
        *_columns([(row[0], row[3]) for row in rows]),
        "",
        f"`lwc {rows[0][0]} --help` tells all about one command.",
    ]
    return "\n".join(lines) + "\n"


def groups(table: Table) -> list[str]:
    """The groups of a table, in its order."""
    return list(dict.fromkeys(row[0].partition(" ")[0] for row in table if " " in row[0]))


def _columns(pairs: list[tuple[str, str]] | tuple[tuple[str, str], ...]) -> list[str]:
    width = max((len(left) for left, _ in pairs), default=0)
    return [f"  {left.ljust(width)}  {right}" for left, right in pairs]
