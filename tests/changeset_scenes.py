"""What a user types to meet the problems with changesets; the wiki is the furnished one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

from scenes import AGAIN, COMPLETE, Scene, after, typed
from worlds import HELD, World, put

DRAFT = ("changeset", "draft", "up")
IN = ("--changeset", "up")
PUBLISH = ("changeset", "publish", "up")
REQUIRED = ("config", "set", "checks=required")
CHECK = ("check", "add", "alone", "--query", "text", *IN)


def staged(*lines: tuple[str, ...], stdin: str = "Text.\n") -> Callable[[World], object]:
    """A draft with a new text of the page `alone`, and what is done after that."""
    return after(DRAFT, put("alone", *IN), *lines, stdin=stdin)


def damaged(world: World) -> None:
    """A publication whose inverse is not what was kept."""
    staged(PUBLISH)(world)

    def act(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("UPDATE inverses SET before = replace(before, 'alone', 'lone')")

    world.damage(act)


CHANGESETS: Mapping[str, Scene] = {
    "CHANGESET_EXISTS": typed(*DRAFT, make=after(DRAFT)),
    "CHANGESET_ENDED": typed(
        "page", "list", *IN, make=after(DRAFT, ("changeset", "discard", "up"))
    ),
    "CHANGESET_EMPTY": typed(*PUBLISH, make=after(DRAFT)),
    "CHANGESET_NOT_PUBLISHED": typed("changeset", "verify", "up", make=after(DRAFT)),
    "CHANGESET_VERIFICATION_FAILED": typed(
        *("changeset", "verify", "up"),
        make=staged(PUBLISH, ("page", "remove", "alone")),
    ),
    "CHANGESET_COMMAND_UNSUPPORTED": typed("config", "show", *IN, make=after(DRAFT)),
    "CHANGESET_RECORD_UNSUPPORTED": typed("search", "text", "--record", *IN, make=after(DRAFT)),
    "CHANGESET_CONFLICT": typed(*PUBLISH, make=staged(put("alone", "--summary", "Live."))),
    "CHANGESET_LINT_FAILED": typed(*PUBLISH, make=staged(stdin="See [[nowhere]].\n")),
    "CHANGESET_LINT_OVERRIDE_INVALID": typed(*PUBLISH, "--allow-lint-issues", make=staged()),
    "CHANGESET_FINDINGS_CHANGED": typed(
        *(*PUBLISH, "--allow-lint-issues", "--reason", "Known.", "--findings", "0" * 64),
        make=staged(stdin="See [[nowhere]].\n"),
    ),
    "CHANGESET_CHECK_MISSING": typed(*PUBLISH, make=staged(REQUIRED)),
    "CHANGESET_CHECK_FAILED": typed(
        *PUBLISH, make=staged(REQUIRED, (*CHECK, "--paraphrase", "zeppelin"))
    ),
    "CHANGESET_COMPLETION_REFUSED": typed(
        *PUBLISH,
        make=after(
            *AGAIN,
            DRAFT,
            (*COMPLETE, "1", *HELD, *IN),
            ("config", "set", "policy=strict", "claims=standard", "checks=standard"),
        ),
    ),
    "CHANGESET_ENTITY_NOT_STAGED": typed(
        "changeset", "diff", "up", "--slug", "writers", make=staged()
    ),
    "CHANGESET_ENTITY_NEEDED": typed(
        *("changeset", "drop", "up", "--source", "4"),
        make=after(DRAFT, ("source", "add", "late.md", *IN), put("cites", "--source", "4", *IN)),
    ),
    "CHANGESET_DROP_ONE": typed("changeset", "drop", "up", make=staged()),
    "CHANGESET_RESOLVED_INVALID": typed(
        *("changeset", "rebase", "up", "--resolved", "alone"), make=staged()
    ),
    "CHANGESET_CORRUPT": typed("changeset", "rollback", "up", make=damaged),
    "CHANGESET_ROLLBACK_CONFLICT": typed(
        *("changeset", "rollback", "up"), make=staged(PUBLISH, put("alone", "--summary", "Later."))
    ),
    "JOB_PINNED": typed(
        *("ingest", "release", "1", *HELD), make=after(DRAFT, (*COMPLETE, "1", *HELD, *IN))
    ),
}
