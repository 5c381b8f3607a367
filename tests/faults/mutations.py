"""Every changing command on a small wiki: how it is typed, for the harnesses that interrupt it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Runs a command line in a project and answers its JSON.
Run = Callable[..., Any]

TEXT = (
    "# The store\n\n"
    "The store keeps one writer at a time, and every reader sees one moment.\n\n"
    "A commit is acknowledged only when it would survive a power cut.\n"
)
BODY = (
    "The store has one writer.[^c1] See [[readers]].\n\n"
    '[^c1]: source:1 "The store keeps one writer at a time"\n'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One changing command: what must be there before, and the words to type."""

    name: str
    argv: tuple[str, ...]
    stdin: str = ""
    before: tuple[str, ...] = ()


def prepare(project: Path, run: Run) -> None:
    """A wiki with three sources, two of them claimed or done, and three pages."""
    documents = project / "documents"
    documents.mkdir()
    for name in ("one", "two", "three"):
        (documents / f"{name}.md").write_text(f"{TEXT}\nThis is document {name}.\n")
    more = project / "more"
    more.mkdir()
    for number in range(12):
        (more / f"{number:02d}.md").write_text(f"{TEXT}\nThis is document {number} of more.\n")
    (project / "late.md").write_text(f"{TEXT}\nThis one came late.\n")
    manifest = {"sources": [{"path": f"more/{number:02d}.md"} for number in range(8)]}
    (project / "manifest.json").write_text(json.dumps(manifest))
    edits = [{"old": "one writer.", "new": "a single writer."}]
    (project / "edits.json").write_text(json.dumps(edits))
    lines = [
        {"slug": f"many-{number}", "title": f"Many {number}", "body": f"Number {number}."}
        for number in range(5)
    ]
    (project / "many.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    run("source", "add-dir", "documents")
    run("ingest", "claim", "1", "--agent", "anna")
    run("ingest", "analyze", "1", "--agent", "anna", "--file", "-", stdin="It is about a store.")
    page = ("--title", "T", "--file", "-")
    run("page", "put", "store-source", *page, "--kind", "source", "--source", "1", stdin=BODY)
    run("page", "put", "writers", *page, "--source", "1", stdin=BODY)
    run("page", "put", "readers", *page, "--source", "1", stdin="Readers see [[writers]].\n")
    run("page", "put", "alone", *page, "--provenance", "hypothesis", stdin="First.\n")
    run("checkpoint", "create", "then")
    run("page", "put", "alone", *page, "--provenance", "hypothesis", stdin="Second.\n")
    run("ingest", "claim", "2", "--agent", "anna")


HELD = ("--agent", "anna")
PUT = ("--title", "T", "--file", "-")

CHECK = ("check", "add", "writers", "--query", "one writer", "--paraphrase", "zeppelin")

MUTATIONS = (
    Mutation(name="schema-set", argv=("schema", "set", "-"), stdin="# Another schema\n"),
    Mutation(name="config-set", argv=("config", "set", "--policy", "strict", "max_attempts=7")),
    Mutation(name="source-add", argv=("source", "add", "late.md")),
    Mutation(name="source-add-dir", argv=("source", "add-dir", "more")),
    Mutation(name="source-add-manifest", argv=("source", "add-manifest", "manifest.json")),
    Mutation(name="source-remove", argv=("source", "remove", "3")),
    Mutation(name="ingest-next", argv=("ingest", "next", *HELD)),
    Mutation(name="ingest-claim", argv=("ingest", "claim", "3", *HELD)),
    Mutation(
        name="ingest-analyze", argv=("ingest", "analyze", "2", *HELD, "--file", "-"), stdin="A"
    ),
    Mutation(name="ingest-complete", argv=("ingest", "complete", "1", *HELD)),
    Mutation(name="ingest-fail", argv=("ingest", "fail", "2", *HELD, "--message", "No.")),
    Mutation(name="ingest-release", argv=("ingest", "release", "2", *HELD)),
    Mutation(name="ingest-retry", argv=("ingest", "retry", "2", *HELD)),
    Mutation(
        name="ingest-reopen",
        argv=("ingest", "reopen", "1", "--reason", "Again."),
        before=("ingest", "complete", "1", *HELD),
    ),
    Mutation(name="page-put-new", argv=("page", "put", "fresh", *PUT), stdin=BODY),
    Mutation(
        name="page-put-again", argv=("page", "put", "writers", *PUT), stdin=BODY + "\nMore.\n"
    ),
    Mutation(name="page-put-many", argv=("page", "put-many", "many.jsonl")),
    Mutation(name="page-patch", argv=("page", "patch", "writers", "--file", "edits.json")),
    Mutation(name="page-remove", argv=("page", "remove", "alone")),
    Mutation(name="page-rename", argv=("page", "rename", "writers", "the-writers")),
    Mutation(name="page-restore", argv=("page", "restore", "alone", "--revision", "1")),
    Mutation(name="page-confirm", argv=("page", "confirm", "writers", "--source", "1")),
    Mutation(name="check-add", argv=CHECK),
    Mutation(name="check-remove", argv=("check", "remove", "1"), before=CHECK),
    Mutation(name="checkpoint-restore", argv=("checkpoint", "restore", "then")),
    Mutation(name="lint-record", argv=("lint", "--record")),
)

# How a draft ends; `prepare_draft` has staged it.
PUBLISH = ("changeset", "publish", "spring")
DRAFTS = (
    Mutation(name="changeset-publish", argv=PUBLISH),
    Mutation(name="changeset-rollback", argv=("changeset", "rollback", "spring"), before=PUBLISH),
    Mutation(name="changeset-discard", argv=("changeset", "discard", "spring")),
    Mutation(name="checkpoint-restore", argv=("checkpoint", "restore", "then"), before=PUBLISH),
)


def prepare_draft(project: Path, run: Run) -> None:
    """The same wiki with a draft of all kinds: pages made, changed, renamed and removed, a source,
    a job that it completes, the schema, and a check."""
    prepare(project, run)
    run("changeset", "draft", "spring")
    up = ("--changeset", "spring")
    run("schema", "set", "-", *up, stdin="# Another schema\n")
    run("source", "add", "late.md", *up)
    run("page", "put", "late", *PUT, "--source", "4", *up, stdin="Late. See [[readers]].\n")
    run("page", "put", "readers", *PUT, "--source", "1", *up, stdin="See [[writers]], [[late]].\n")
    run("page", "rename", "writers", "the-writers", *up)
    run("page", "remove", "alone", *up)
    run("ingest", "complete", "1", *HELD, *up)
    run("check", "add", "late", "--query", "what came late", "--paraphrase", "belated text", *up)
