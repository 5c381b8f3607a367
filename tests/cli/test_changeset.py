"""`lwc changeset` as it is typed, and as a person reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType

import pytest
from conftest import Clock, Result
from page_makers import put

from lwc.cli.views import VIEWS
from lwc.services import (
    changeset_diff,
    changeset_drop,
    changeset_publish,
    changeset_rebase,
    changeset_rollback,
    changeset_show,
    changeset_verify,
    changesets,
)
from lwc.wiki import Answer, Wiki

Lwc = Callable[..., Result]

MODULES = (
    changeset_diff,
    changeset_drop,
    changeset_publish,
    changeset_rebase,
    changeset_rollback,
    changeset_show,
    changeset_verify,
    changesets,
)
IN = ("--changeset", "up")
BODY = 'Locks, see [[nowhere]].[^c1]\n\n[^c1]: source:1 "one writer can hold the lock"\n'
SCHEMA = "# Schema\n\nBe brief.\n"


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def draft(wiki: Wiki, lwc: Lwc, clock: Clock) -> Lwc:
    """A draft with a bit of everything, and a live write that came after it was begun."""
    put(wiki, "door", "A door.\nIt is open.\n", title="The door")
    (wiki.workspace.root / "notes.md").write_text("Only one writer can hold the lock.\n")
    lines: tuple[tuple[tuple[str, ...], str], ...] = (
        (("changeset", "draft", "up", "--agent", "anna"), ""),
        (("source", "add", "notes.md", *IN), ""),
        (("page", "put", "lock", "--title", "The lock", "--file", "-", *IN), BODY),
        (("page", "put", "door", "--title", "Doors", "--file", "-", *IN), "A door.\nShut.\n"),
        (("page", "rename", "door", "gate", *IN), ""),
        (("schema", "set", "-", *IN), SCHEMA),
        (("check", "add", "gate", "--query", "shut", "--paraphrase", "doors", *IN), ""),
    )
    for line, text in lines:
        lwc(*line, "--agent", "anna", stdin=text).ok()
    return lwc


def read(lwc: Lwc, *argv: str) -> list[str]:
    """What a person reads, line by line; ids and times left out."""
    result = lwc(*argv, "--output", "text")
    assert result.status == 0, result.err
    text = re.sub("[0-9a-f]{64}", "ID", result.out)
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\dZ", "TIME", text).splitlines()


def test_a_draft_is_looked_at_published_verified_and_undone(draft: Lwc) -> None:
    (entry,) = draft("changeset", "list", "--status", "draft").ok()["changesets"]
    assert (entry["name"], entry["staged_operation_count"]) == ("up", 6)
    shown = draft("changeset", "show", "up", "--limit", "2").ok()
    assert [one["action"] for one in shown["operations"]] == ["check_add", "schema_set"]
    assert (shown["ready"], shown["conflict"], shown["total"]) == (False, False, 6)
    assert [one["code"] for one in shown["missing"]] == ["changeset_lint_failed"]
    digest = shown["lint"]["digest"]
    told = draft("changeset", "diff", "up", "--slug", "door", "--max-chars", "10000").ok()
    assert [one["slug"] for one in told["pages"]] == ["gate"]
    assert draft("changeset", "diff", "up", "--stat").ok()["pages"][0]["added"] == 1
    waiver = ("--allow-lint-issues", "--reason", "Known.", "--findings", digest)
    published = draft("changeset", "publish", "up", *waiver).ok()
    identifier = published["changeset_id"]
    verified = draft("changeset", "verify", identifier).ok()
    assert (verified["verified"], verified["waived"]) == (True, 1)
    ended = draft("changeset", "show", identifier).ok()
    assert (ended["verification"], ended["published_total"]) == ("passed", 6)
    draft("changeset", "rollback", identifier).ok()
    refused = draft("changeset", "verify", identifier)
    assert (refused.error["reason"], refused.status) == ("changeset_not_published", 4)


def test_a_verification_that_fails_says_so_to_a_script(draft: Lwc) -> None:
    draft("changeset", "publish", "up", "--allow-lint-issues", "--reason", "Known.").ok()
    draft("page", "put", "gate", "--title", "T", "--file", "-", stdin="Elsewhere.\n").ok()
    refused = draft("changeset", "verify", "up")
    assert (refused.status, refused.error["code"]) == (5, "changeset_verification_failed")
    assert refused.error["committed"] is True
    assert refused.error["details"]["what"] == ["check 1 does not find gate"]
    assert draft("changeset", "show", "up").ok()["verification"] == "failed"
    assert "problems" in read(draft, "changeset", "show", "up")


@pytest.mark.parametrize(
    "argv, reason, status",
    [
        pytest.param(("show", "gone"), "changeset_not_found", 3, id="no changeset"),
        pytest.param(("diff", "gone"), "changeset_not_found", 3, id="no changeset to compare"),
        pytest.param(("verify", "gone"), "changeset_not_found", 3, id="no changeset to verify"),
        pytest.param(("verify", "up"), "changeset_not_published", 4, id="a draft"),
        pytest.param(("list", "--status", "lost"), "usage_error", 2, id="no status"),
        pytest.param(
            ("diff", "up", "--slug", "zebra"), "changeset_entity_not_staged", 3, id="not touched"
        ),
        pytest.param(("diff", "up", "--max-chars", "0"), "limit_out_of_range", 6, id="too little"),
        pytest.param(("show", "up", *IN), "changeset_command_unsupported", 2, id="in a draft"),
        pytest.param(("list", "--scope", "all"), "scope_not_supported", 2, id="two wikis"),
    ],
)
def test_what_cannot_be_is_refused(
    draft: Lwc, argv: tuple[str, ...], reason: str, status: int
) -> None:
    refused = draft("changeset", *argv)
    assert (refused.error["reason"], refused.status) == (reason, status)


def test_a_person_reads_what_a_draft_lacks(draft: Lwc, wiki: Wiki) -> None:
    put(wiki, "door", "Written live.\n", title="The door")
    assert read(draft, "changeset", "show", "up", "--limit", "1") == [
        "up  draft  not ready  begun by anna TIME · on revision 2",
        "did      1 check add, 2 page put, 1 page rename, 1 schema set, 1 source add",
        "touched  1 source, 1 path, 1 charter, 2 pages, 1 check",
        "conflicts",
        "  page gate  changed  base 1, live 2, draft 3 · author TIME",
        "lint",
        "  1 error in the way",
        "  digest ID",
        "  error  dangling_link  lock:1",
        "    lock links to nowhere, and there is no such page.",
        "    Find what is meant with `lwc search -- nowhere`; correct the link, or write",
        "    that page.",
        "  introduced: 1 error, 1 warning, 1 info",
        "  inherited: 2 warning, 1 info",
        "  see `lwc lint --changeset up`",
        "checks",
        "  1 of 2 pages checked · 1 of 1 checks hold · policy standard",
        "  lock  not checked",
        "operations",
        "  6  TIME  check_add  gate  anna",
        "  1 of 6; more with --offset 1",
        "missing",
        "  changeset_conflict  The draft up cannot be published, for live has moved on",
        "    since it was staged: page gate was changed.",
        "    Keep what is live: see both texts and take over the rest with",
        "    `lwc changeset rebase up`, then mend or drop what it names.",
        "  changeset_lint_failed  The draft up brings or touches lint errors (1): lock",
        "    links to nowhere, and there is no such page.",
        "    Mend them (`lwc lint --changeset up --severity error`), or publish with",
        "    --allow-lint-issues --reason TEXT.",
        "next  lwc changeset rebase up",
    ]


def test_a_person_reads_what_a_draft_changes(draft: Lwc) -> None:
    lines = read(draft, "changeset", "diff", "up")
    assert lines[:10] == [
        "up  draft",
        "changed  page gate  revision 1 → 3 · +1 -1",
        "  slug  door → gate",
        "  title  The door → Doors",
        "  --- door live revision 1",
        "  +++ gate draft revision 3",
        "  @@ -1,2 +1,2 @@",
        "   A door.",
        "  -It is open.",
        "  +Shut.",
    ]
    assert lines[-7:] == [
        "  +Be brief.",
        "created  source 1  notes.md · notes.md · 35 characters",
        "created  path notes.md  source 1",
        "created  check 1  gate  top 5",
        '  "shut"',
        '  "doors"',
        "2 pages, 1 charter, 1 source, 1 path, 1 check · +5 -19 lines",
    ]
    assert read(draft, "changeset", "diff", "up", "--stat", "--slug", "lock") == [
        "up  draft",
        "created  page lock  revision 0 → 1 · +3 -0",
        "1 page · +3 -0 lines",
    ]
    total = draft("changeset", "diff", "up", "--slug", "lock").ok()["pages"][0]["total_chars"]
    assert f"  There is more: --max-chars {total}" in read(
        draft, "changeset", "diff", "up", "--slug", "lock", "--max-chars", "40"
    )


def test_a_person_reads_how_a_changeset_ended(draft: Lwc) -> None:
    publish = ("changeset", "publish", "up", "--allow-lint-issues", "--reason", "Known.")
    published = read(draft, *publish, "--agent", "berta")
    assert published[:6] == [
        "published up  as revision 9",
        "  ID",
        "  created  source 1",
        "  created  path notes.md  revision 1",
        "  created  page lock  revision 1",
        "  changed  page gate  revision 3",
    ]
    assert published[-6:] == [
        "    lock links to nowhere, and there is no such page.",
        "    Find what is meant with `lwc search -- nowhere`; correct the link, or write",
        "    that page.",
        "not checked  lock",
        "verification  pending",
        "next  lwc changeset verify ID",
    ]
    assert read(draft, "changeset", "verify", "up") == [
        "verified up  published as revision 9",
        "2 pages · 1 of 1 checks hold · 1 known lint error",
        "warnings",
        "  no original and paraphrase are there that find lock",
    ]
    assert read(draft, "changeset", "list") == [
        "up  committed  verification passed  begun by anna TIME · on",
        "  revision 2 · ended by berta TIME as revision 9",
        "  6 operations · 1 source, 1 path, 1 charter, 2 pages, 1 check",
        "  ID",
        "1 of 1 changesets",
    ]
    assert read(draft, "changeset", "rollback", "up")[:2] == [
        "rolled back up  at revision 11",
        "  removed  check 1",
    ]
    again = read(draft, "changeset", "rollback", "up")
    assert again == ["rolled back up  at revision 11; it had been already"]


def test_a_person_reads_what_a_rebase_brought_along_and_what_it_left(
    draft: Lwc, wiki: Wiki
) -> None:
    put(wiki, "door", "A door.\nWritten live.\n", title="The door")
    lines = read(draft, "changeset", "rebase", "up")
    assert lines[0] == "rebased up  1 conflict  onto revision 3"
    at = next(n for n, line in enumerate(lines) if line.startswith("page gate  changed"))
    told = lines[at + 1 :]
    assert {"  -It is open.", "  +Written live.", "  +Shut."} <= set(told)
    assert lines[-1].startswith("next  lwc ")
    put(wiki, "door", "A door.\nIt is open.\n", title="The door")
    lines = read(draft, "changeset", "rebase", "up")
    assert "conflict" not in lines[0]
    assert "  page gate" in lines


def test_a_person_reads_what_is_begun_renamed_and_thrown_away(lwc: Lwc) -> None:
    assert read(lwc, "changeset", "draft", "up") == [
        "began up  on revision 1",
        "Give --changeset up to the commands that work on it.",
        "next  lwc changeset show up",
    ]
    assert read(lwc, "changeset", "show", "up")[-1] == "next  lwc changeset diff up"
    assert read(lwc, "changeset", "diff", "up")[-1] == "nothing is touched · +0 -0 lines"
    assert read(lwc, "changeset", "rename", "up", "down") == ["renamed down  from up"]
    for slug in ("one", "two"):
        put = ("page", "put", slug, "--title", "T", "--file", "-", "--changeset", "down")
        lwc(*put, stdin="Text.\n").ok()
    assert read(lwc, "changeset", "drop", "down", "--slug", "one") == [
        "dropped from down  1 operation of it",
        "  page one",
        "1 thing still staged",
    ]
    assert read(lwc, "changeset", "discard", "down") == ["discarded down  with 1 operation"]
    assert read(lwc, "changeset", "show", "down")[0].startswith("down  discarded  begun by ")


def test_no_text_of_a_changeset_drives_a_terminal(wiki: Wiki, lwc: Lwc, clock: Clock) -> None:
    evil = "Look \u202e here \u200b\u2066"
    agent = "an\u00e9"
    (wiki.workspace.root / "n\u202ex.md").write_text(f"{evil} one writer holds it.\n")
    lwc("changeset", "draft", "up", "--agent", agent).ok()
    lwc("source", "add", "n\u202ex.md", *IN).ok()
    page = ("page", "put", "evil", "--title", "Evil", "--summary", "S", "--file", "-", *IN)
    lwc(*page, stdin=f"{evil}\x7f\n[[{'gone ' * 60}]]\n").ok()
    lwc("check", "add", "evil", "--query", "look", "--paraphrase", "here", *IN).ok()
    lwc("purpose", "set", "-", *IN, stdin=f"{evil}\n").ok()
    for words in (
        ("show", "up"),
        ("list",),
        ("diff", "up"),
        ("publish", "up", "--allow-lint-issues", "--reason", evil.split()[0]),
        ("show", "up"),
        ("verify", "up"),
        ("diff", "up"),
        ("rollback", "up"),
    ):
        out = lwc("changeset", *words, "--output", "text").out
        assert out
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e\u2066]", out), words


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_answer_about_changesets_has_a_view(module: ModuleType) -> None:
    answers = {
        name
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Answer)
        and value.__module__ == module.__name__
    }
    assert answers - {"ChangesetShown"} <= set(VIEWS)
