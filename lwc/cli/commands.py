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
    ("check add", "lwc.cli.check", "add", "Keep queries that must find a page"),
    ("check list", "lwc.cli.check", "list_", "List the retrieval checks and how they came out"),
    ("check remove", "lwc.cli.check", "remove", "Remove a retrieval check"),
    ("check run", "lwc.cli.check", "run", "Run the retrieval checks"),
    ("search", "lwc.cli.search", "search", "Search pages and sources"),
    ("context", "lwc.cli.wiki", "context", "Show what a newcomer needs: purpose, schema, pages"),
    ("lint", "lwc.cli.lint", "lint", "Check the wiki and list what is wrong"),
    ("log", "lwc.cli.wiki", "log", "List what was done to the wiki"),
    ("changeset draft", "lwc.cli.changeset", "draft", "Begin a draft"),
    ("changeset begin", "lwc.cli.changeset", "draft", "Begin a draft: the same as `draft`"),
    (
        "changeset list",
        "lwc.cli.changeset_show",
        "list_",
        "List the drafts and what became of others",
    ),
    (
        "changeset show",
        "lwc.cli.changeset_show",
        "show",
        "Show what a draft holds and what it lacks",
    ),
    ("changeset diff", "lwc.cli.changeset_show", "diff", "Show what a draft changes, text by text"),
    (
        "changeset publish",
        "lwc.cli.changeset_end",
        "publish",
        "Publish a draft: all of it, in one transaction",
    ),
    (
        "changeset commit",
        "lwc.cli.changeset_end",
        "publish",
        "Publish a draft: the same as `publish`",
    ),
    (
        "changeset verify",
        "lwc.cli.changeset_end",
        "verify",
        "Check on the live wiki what was published",
    ),
    ("changeset rollback", "lwc.cli.changeset_end", "rollback", "Undo a publication exactly"),
    ("changeset discard", "lwc.cli.changeset_end", "discard", "Throw a draft away"),
    ("changeset drop", "lwc.cli.changeset", "drop", "Take one thing out of a draft"),
    ("changeset rebase", "lwc.cli.changeset", "rebase", "Bring a draft onto what is live now"),
    ("changeset rename", "lwc.cli.changeset", "rename", "Give a draft another name"),
    ("checkpoint create", "lwc.cli.checkpoint", "create", "Keep the whole wiki as it is now"),
    ("checkpoint list", "lwc.cli.checkpoint", "list_", "List the checkpoints, newest first"),
    ("checkpoint show", "lwc.cli.checkpoint", "show", "Show a checkpoint after reading all of it"),
    ("checkpoint diff", "lwc.cli.checkpoint", "diff", "List what has changed since a checkpoint"),
    ("checkpoint restore", "lwc.cli.checkpoint", "restore", "Go back to a checkpoint"),
    ("checkpoint delete", "lwc.cli.checkpoint", "delete", "Remove a checkpoint for good"),
    ("checkpoint prune", "lwc.cli.checkpoint", "prune", "Remove old checkpoints lwc made itself"),
    ("export", "lwc.cli.archive", "export", "Write the whole wiki into one archive"),
    ("import", "lwc.cli.archive", "import_", "Make a wiki of an archive"),
    (
        "maintenance migrate",
        "lwc.cli.maintenance",
        "migrate",
        "Bring the wiki to the newest schema",
    ),
    ("maintenance reindex", "lwc.cli.maintenance", "reindex", "Make the search index anew"),
    ("maintenance check", "lwc.cli.doctor", "check", "Look for damage only: a part of `doctor`"),
    (
        "maintenance materialize",
        "lwc.cli.maintenance",
        "materialize",
        "Make all the Markdown files anew",
    ),
    ("maintenance status", "lwc.cli.maintenance", "status", "Show how far the Markdown files are"),
    ("doctor", "lwc.cli.doctor", "doctor", "Examine the wiki, and mend what can be made anew"),
    ("db", "lwc.cli.db", "db", "Read the database with SQL"),
    ("completion", "lwc.cli.completion", "completion", "Print a script that completes in a shell"),
)

# The commands about content, which work on a draft with --changeset: by their first words.
STAGED_GROUPS = frozenset(
    ("schema", "purpose", "source", "ingest", "page", "check", "search", "context", "lint", "log")
)

GROUPS = {
    "schema": "How pages are written",
    "purpose": "What the wiki is for",
    "config": "Settings of a wiki",
    "source": "Documents that pages rest on",
    "ingest": "Jobs: turning sources into pages",
    "page": "Compiled knowledge",
    "changeset": "Drafts: staged, published whole, undone exactly",
    "check": "Queries that must find a page",
    "checkpoint": "Copies of the whole wiki, to go back to",
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
