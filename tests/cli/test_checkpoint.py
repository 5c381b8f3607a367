"""`lwc checkpoint` as it is typed, and as a person reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result

Lwc = Callable[..., Result]


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def put(lwc: Lwc) -> Callable[[str, str], None]:
    def run(slug: str, text: str) -> None:
        page = ("page", "put", slug, "--title", slug, "--provenance", "hypothesis", "--file", "-")
        lwc(*page, stdin=text).ok()

    return run


def test_the_wiki_is_kept_compared_and_gone_back_to(
    lwc: Lwc, put: Callable[[str, str], None]
) -> None:
    put("a", "Then.\n")
    made = lwc("checkpoint", "create", "then", "--reason", "To be sure.", "--agent", "anna").ok()
    assert (made["checkpoint"], made["kind"], made["revision"]) == ("then", "manual", 2)
    put("a", "Since.\n")
    put("b", "Since.\n")
    (listed,) = lwc("checkpoint", "list").ok()["checkpoints"]
    assert (listed["by"], listed["why"], listed["usable"]) == ("anna", "To be sure.", True)
    assert lwc("checkpoint", "show", "then").ok()["holds"]["pages"] == 1
    counted = lwc("checkpoint", "diff", "then", "--stat").ok()
    assert counted["counts"] == {"page": {"added": 1, "changed": 1, "removed": 0}}
    restored = lwc("checkpoint", "restore", "then").ok()
    assert (restored["restored_revision"], restored["replaced_revision"]) == (2, 4)
    shown = lwc("page", "show", "a").ok()["page"]
    assert (shown["body"], shown["revision"]) == ("Then.\n", 3)
    lwc("checkpoint", "restore", restored["safety_checkpoint"]).ok()
    assert lwc("page", "list").ok()["total"] == 2
    pruned = lwc("checkpoint", "prune", "--keep", "1").ok()
    assert pruned["removed"] == [restored["safety_checkpoint"]]
    assert lwc("checkpoint", "delete", "then").ok()["removed"] == ["then"]
    assert lwc("checkpoint", "list").ok()["total"] == 1


@pytest.mark.parametrize(
    "argv, code, status",
    [
        (("create", "../../wiki"), "checkpoint_name_invalid", 6),
        (("create", "a/b"), "checkpoint_name_invalid", 6),
        (("create", ""), "checkpoint_name_invalid", 6),
        (("create", "x" * 81), "checkpoint_name_invalid", 6),
        (("create", "pre-migrate-mine"), "checkpoint_name_invalid", 6),
        (("create", "there"), "checkpoint_exists", 4),
        (("restore", "../wiki"), "checkpoint_name_invalid", 6),
        (("restore", "none"), "checkpoint_not_found", 3),
        (("restore", "link"), "checkpoint_invalid", 4),
        (("show", "none"), "checkpoint_not_found", 3),
        (("diff", "none"), "checkpoint_not_found", 3),
        (("delete", "none"), "checkpoint_not_found", 3),
        (("prune",), "usage_error", 2),
        (("prune", "--keep", "-1"), "invalid_limit", 6),
        (("prune", "--keep", "many"), "usage_error", 2),
        (("prune", "--keep", "1", "--kind", "odd"), "usage_error", 2),
        (("list", "--limit", "0"), "invalid_limit", 6),
        (("create", "a", "--changeset", "d"), "changeset_command_unsupported", 2),
        (("create", "a", "--scope", "all"), "scope_not_supported", 2),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else None,
)
def test_what_cannot_be_is_refused_in_words(
    lwc: Lwc, project: Path, argv: tuple[str, ...], code: str, status: int
) -> None:
    lwc("checkpoint", "create", "there").ok()
    (project / ".lwc" / "checkpoints" / "link.db").symlink_to("there.db")
    refused = lwc("checkpoint", *argv)
    assert (refused.error["code"], refused.status) == (code, status)


def test_a_person_reads_what_each_keeps_and_what_would_be_taken_back(
    lwc: Lwc, project: Path, put: Callable[[str, str], None]
) -> None:
    put("a", "Then.\n")
    lwc("checkpoint", "create", "then", "--reason", "To be sure.", "--agent", "anna").ok()
    (project / ".lwc" / "checkpoints" / "bad.db").write_text("no database")
    put("a", "Since.\n")
    put("b", "Since.\n")
    listed = lwc("checkpoint", "list", "--output", "text").out
    assert "then  manual · revision 2 · " in listed
    assert "To be sure." in listed
    assert "cannot be used: bad.db is not an lwc wiki" in " ".join(listed.split())
    told = lwc("checkpoint", "diff", "then", "--output", "text").out
    assert "page: 1 added · 1 changed" in told
    assert "~ page 1  a  revision 1 → 2" in told
    assert "+ page 2  b" in told
    done = lwc("checkpoint", "restore", "then", "--output", "text").out
    assert "The wiki is what then keeps: revision 2 (it was at 4, now 5)" in done
    assert "lwc checkpoint restore pre-restore-" in done
    assert "Nothing has changed." in lwc("checkpoint", "diff", "then", "--output", "text").out
