"""Every command as it is typed in the furnished wiki, so that it succeeds."""

from __future__ import annotations

from dataclasses import dataclass

from mutations import BODY, CHECK, MUTATIONS, Mutation
from worlds import HELD, PUT

from lwc.cli.commands import find


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A command line; `before` are lines that must succeed first."""

    argv: tuple[str, ...]
    stdin: str = ""
    before: tuple[tuple[str, ...], ...] = ()

    @property
    def command(self) -> str:
        """The name of the command in the table of commands."""
        two, one = " ".join(self.argv[:2]), self.argv[0]
        return two if find(two) else one

    def __str__(self) -> str:
        return " ".join(self.argv)


DRAFT = ("changeset", "draft", "up")
STAGED = (DRAFT, ("page", "rename", "alone", "solo", "--changeset", "up"))
PUBLISH = ("changeset", "publish", "up")


def reads(*argv: str, before: tuple[tuple[str, ...], ...] = ()) -> Line:
    return Line(argv=argv, before=before)


def _line(mutation: Mutation) -> Line:
    before = (mutation.before,) if mutation.before else ()
    return Line(argv=mutation.argv, stdin=mutation.stdin, before=before)


# What takes a request id and answers it again; `mutations` has the rest of them.
CHANGING = (
    *map(_line, MUTATIONS),
    Line(argv=("purpose", "set", "-"), stdin="# Another purpose\n"),
    Line(argv=("config", "unset", "policy"), before=(("config", "set", "policy=strict"),)),
    Line(argv=("ingest", "read", "2", *HELD, "--max-chars", "10")),
    Line(argv=("ingest", "heartbeat", "2", *HELD)),
    Line(argv=("check", "run"), before=(CHECK,)),
    Line(argv=("search", "store", "--record")),
    Line(argv=("checkpoint", "create", "kept", "--reason", "To be sure.")),
    Line(argv=("checkpoint", "delete", "then")),
    Line(argv=("checkpoint", "prune", "--keep", "0", "--kind", "manual")),
    Line(argv=("maintenance", "reindex")),
    Line(argv=("doctor", "--repair")),
    Line(argv=DRAFT),
    Line(argv=("changeset", "begin", "up")),
    Line(argv=("changeset", "rename", "up", "down"), before=STAGED),
    Line(argv=("changeset", "drop", "up", "--slug", "solo"), before=STAGED),
    Line(argv=("changeset", "rebase", "up"), before=STAGED),
    Line(argv=PUBLISH, before=STAGED),
    Line(argv=("changeset", "commit", "up"), before=STAGED),
    Line(argv=("changeset", "verify", "up"), before=(*STAGED, PUBLISH)),
    Line(argv=("changeset", "rollback", "up"), before=(*STAGED, PUBLISH)),
    Line(argv=("changeset", "discard", "up"), before=STAGED),
)
OTHERS = (
    reads("init", "--no-git-exclude"),
    reads("schema", "show"),
    reads("purpose", "show"),
    reads("config", "show"),
    reads("source", "list"),
    reads("source", "show", "1", "--max-chars", "20"),
    reads("source", "refs", "1"),
    reads("source", "coverage", "1"),
    reads("ingest", "next", before=(("source", "remove", "3"),)),
    reads("ingest", "show", "1"),
    reads("ingest", "show", "1", before=(("ingest", "complete", "1", *HELD),)),
    reads("ingest", "list"),
    reads("ingest", "complete", "1", *HELD, "--check"),
    reads("ingest", "complete", "3", *HELD, "--check"),
    reads("page", "show", "store-source"),
    reads("page", "show", "alone", "--revision", "1"),
    reads("page", "list"),
    reads("page", "links", "writers"),
    reads("page", "history", "alone"),
    reads("page", "diff", "alone"),
    reads("page", "show", "writers", before=(CHECK, ("check", "run"))),
    reads("check", "list"),
    reads("check", "list", before=(CHECK, ("check", "run"))),
    reads("search", "store", "--type", "all"),
    reads("search", "!"),
    reads("context"),
    reads("lint"),
    reads("log"),
    reads("changeset", "list", before=STAGED),
    reads("changeset", "show", "up", before=STAGED),
    reads("changeset", "show", "up", before=(*STAGED, PUBLISH)),
    reads("changeset", "diff", "up", before=STAGED),
    reads("changeset", "diff", "up", "--stat", before=STAGED),
    reads("checkpoint", "list"),
    reads("checkpoint", "show", "then"),
    reads("checkpoint", "diff", "then"),
    reads("export", "wiki.zip"),
    reads("import", "wiki.zip", "--scope", "global", before=(("export", "wiki.zip"),)),
    reads("maintenance", "migrate"),
    reads("maintenance", "check"),
    reads("maintenance", "status"),
    reads("maintenance", "materialize"),
    reads("doctor"),
    reads("db", "SELECT slug FROM pages"),
    Line(argv=("page", "put", "cited", *PUT, "--source", "1"), stdin=f"{BODY}\n[^x]\n"),
)
LINES = (*CHANGING, *OTHERS)
