"""`lwc export` and `lwc import` as they are typed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result

Lwc = Callable[..., Result]


@pytest.fixture
def furnished(lwc: Lwc) -> None:
    page = ("page", "put", "a", "--title", "A", "--provenance", "hypothesis", "--file", "-")
    lwc(*page, stdin="Text.\n").ok()


@pytest.mark.usefixtures("furnished")
def test_a_wiki_moves_into_the_home_folder(lwc: Lwc, project: Path) -> None:
    sent = lwc("export", "wiki.zip").ok()
    assert sent["path"] == str(project / "wiki.zip")
    brought = lwc("import", "wiki.zip", "--scope", "global", "--request-id", "i1").ok()
    assert (brought["scope"], brought["store_id"]) == ("global", sent["store_id"])
    assert (brought["pages"], brought["imported_revision"]) == (1, sent["revision"])
    assert lwc("page", "list", "--scope", "global").ok()["total"] == 1
    assert lwc("import", "wiki.zip", "--scope", "global", "--request-id", "i1").ok()["replayed"]


@pytest.mark.usefixtures("furnished")
def test_a_copy_of_its_own_has_another_identity(lwc: Lwc) -> None:
    sent = lwc("export", "wiki.zip").ok()
    brought = lwc("import", "wiki.zip", "--as", "new", "--scope", "global").ok()
    assert brought["store_id"] != sent["store_id"]


@pytest.mark.parametrize(
    "argv, code, reason, status",
    [
        (("export", "there.txt"), "io_error", "archive_exists", 4),
        (("export", "no/such/place.zip"), "io_error", "archive_not_written", 1),
        (("export", "a.zip", "--changeset", "d"), "changeset_command_unsupported", None, 2),
        (("import", "none.zip", "--scope", "global"), "io_error", "archive_not_found", 3),
        (("import", "there.txt", "--scope", "global"), "archive_invalid", None, 6),
        (("import", "pipe", "--scope", "global"), "archive_invalid", None, 6),
        (("import", "there.txt"), "store_exists", None, 4),
        (("import", "there.txt", "--as", "other"), "usage_error", None, 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_is_refused_in_words(
    lwc: Lwc, project: Path, argv: tuple[str, ...], code: str, reason: str | None, status: int
) -> None:
    (project / "there.txt").write_text("Something else.")
    os.mkfifo(project / "pipe")
    refused = lwc(*argv)
    assert (refused.error["code"], refused.status) == (code, status)
    assert reason in (None, refused.error["reason"])
    assert not (Path(os.environ["HOME"]) / ".lwc" / "wiki.db").exists()
