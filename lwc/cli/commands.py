"""The table of commands: name, module, function and the line that help pages show.

Plain tuples, and no import but the interpreter's own: `lwc --help` is printed from here and must
cost little more than starting Python.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing itself costs half an interpreter start; checkers know the name
if TYPE_CHECKING:
    Row = tuple[str, str, str, str]
    Table = tuple[Row, ...]

COMMANDS: Table = (
    ("init", "lwc.cli.workspace", "init", "Make a wiki here, or bring the one that is here up"),
    ("schema set", "lwc.cli.charter", "schema_set", "Replace the schema: how pages are written"),
    ("schema show", "lwc.cli.charter", "schema_show", "Show the schema and its revision"),
    ("purpose set", "lwc.cli.charter", "purpose_set", "Replace the purpose: what the wiki is for"),
    ("purpose show", "lwc.cli.charter", "purpose_show", "Show the purpose and its revision"),
    ("config show", "lwc.cli.config", "show", "Show every setting, its value and where it is set"),
    ("config set", "lwc.cli.config", "set_", "Set a setting of this wiki"),
    ("config unset", "lwc.cli.config", "unset", "Give a setting its default back"),
    ("source add", "lwc.cli.source_write", "add", "Take a file in as an immutable source"),
    ("source add-dir", "lwc.cli.source_write", "add_dir", "Take in every document below a folder"),
    (
        "source add-manifest",
        "lwc.cli.source_write",
        "add_manifest",
        "Take in the files a manifest lists",
    ),
    ("source list", "lwc.cli.source", "list_", "List the sources"),
    ("source show", "lwc.cli.source", "show", "Show a source, or a window of it"),
    ("source refs", "lwc.cli.source", "refs", "List the pages that cite a source"),
    ("source remove", "lwc.cli.source_write", "remove", "Remove a source that no page cites"),
    ("source coverage", "lwc.cli.source", "coverage", "Show which parts of a source are cited"),
    ("ingest next", "lwc.cli.ingest", "next_", "Claim the next pending job and get its packet"),
    ("ingest claim", "lwc.cli.ingest", "claim", "Claim one job and get its packet"),
    ("ingest show", "lwc.cli.ingest_jobs", "show", "Show a job: state, claim, reading, history"),
    ("ingest list", "lwc.cli.ingest_jobs", "list_", "List the jobs"),
    ("ingest read", "lwc.cli.ingest_steps", "read", "Read a window of a claimed source"),
    (
        "ingest analyze",
        "lwc.cli.ingest_steps",
        "analyze",
        "Hand in the analysis of a claimed source",
    ),
    (
        "ingest complete",
        "lwc.cli.ingest_steps",
        "complete",
        "Complete a job whose knowledge is in pages",
    ),
    ("ingest fail", "lwc.cli.ingest_steps", "fail", "Give a claimed job up, saying why"),
    ("ingest retry", "lwc.cli.ingest_steps", "retry", "Put a failed job back in the queue"),
    ("ingest release", "lwc.cli.ingest_steps", "release", "Hand a claimed job back untouched"),
    ("ingest reopen", "lwc.cli.ingest_steps", "reopen", "Take a completed job up again"),
    ("ingest heartbeat", "lwc.cli.ingest_steps", "heartbeat", "Extend the lease of a claim"),
    ("page put", "lwc.cli.page_write", "put", "Write a page"),
    ("page put-many", "lwc.cli.page_write", "put_many", "Write many pages in one transaction"),
    ("page patch", "lwc.cli.page_write", "patch", "Change passages of a page"),
    ("page show", "lwc.cli.page", "show", "Show a page with its citations"),
    ("page list", "lwc.cli.page", "list_", "List the pages"),
    ("page links", "lwc.cli.page", "links", "Show the links of a page, both ways"),
    ("page remove", "lwc.cli.page_write", "remove", "Remove a page that no page links to"),
    ("page rename", "lwc.cli.page_write", "rename", "Give a page another slug; both lead to it"),
    ("page history", "lwc.cli.page", "history", "List the revisions of a page"),
    ("page diff", "lwc.cli.page", "diff", "Compare two revisions of a page"),
    ("page restore", "lwc.cli.page_write", "restore", "Make an earlier revision the newest"),
    ("page confirm", "lwc.cli.page_write", "confirm", "Say that a page still holds for a source"),
    ("search", "lwc.cli.search", "search", "Search pages and sources"),
    ("context", "lwc.cli.wiki", "context", "Show what a newcomer needs: purpose, schema, pages"),
    ("lint", "lwc.cli.lint", "lint", "Check the wiki and list what is wrong"),
    ("log", "lwc.cli.wiki", "log", "List what was done to the wiki"),
    (
        "maintenance migrate",
        "lwc.cli.maintenance",
        "migrate",
        "Bring the wiki to the newest schema",
    ),
    ("maintenance reindex", "lwc.cli.maintenance", "reindex", "Make the search index anew"),
    ("maintenance check", "lwc.cli.maintenance", "check", "Look for damage in the database"),
    ("db", "lwc.cli.db", "db", "Read the database with SQL"),
    ("completion", "lwc.cli.completion", "completion", "Print a script that completes in a shell"),
)

GROUPS = {
    "schema": "How pages are written",
    "purpose": "What the wiki is for",
    "config": "Settings of a wiki",
    "source": "Documents that pages rest on",
    "ingest": "Jobs: turning sources into pages",
    "page": "Compiled knowledge",
    "maintenance": "Upkeep",
}


def find(name: str, table: Table = COMMANDS) -> Row | None:
    """The row of a command by its full name."""
    for row in table:
        if row[0] == name:
            return row
    return None


def members(group: str, table: Table = COMMANDS) -> list[Row]:
    """The rows of a group, in the order of the table."""
    return [row for row in table if row[0].startswith(group + " ")]
