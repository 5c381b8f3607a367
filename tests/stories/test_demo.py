"""`make demo` on a folder of documents: each job comes to an end, and what is shown is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from lwc.demo.__main__ import main
from lwc.services import jobs, lint, pages
from lwc.wiki import open_wiki

DOCUMENTS = {
    "store.md": "# The store\n\nThe store keeps one writer at a time, and that one has the lock."
    " Every writer waits until the store is free again.\n",
    "deep/readers.md": "# Readers\n\nReaders of the store are never kept waiting by a writer."
    " A reader sees what the last writer of the store has left.\n",
    "table.md": "| nothing | to quote |\n|---|---|\n",
}


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    for name, text in DOCUMENTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "latin.md").write_bytes(b"caf\xe9, and nothing else\n")
    return folder


def test_documents_become_cited_pages_that_are_found(
    documents: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "demo"
    assert main([str(documents), "--wiki", str(place)]) == 0
    shown, _ = capfd.readouterr()
    with open_wiki(place) as wiki:
        done = {job.title: (job.status, job.last_error) for job in jobs.listed(wiki).jobs}
        assert done == {
            "deep/readers.md": ("completed", None),
            "store.md": ("completed", None),
            "table.md": ("failed", "no sentence in it that is worth quoting"),
        }
        concept = pages.show(wiki, slug="store")
        assert {citation.state for citation in concept.citations or ()} == {"exact"}
        assert concept.page.source_ids == (1, 2)
        assert lint.lint(wiki).severities["error"] == 0
    for words in (
        *("$ lwc init", "$ lwc ingest complete 1", "latin.md (invalid_encoding)", "Citations"),
        *("lwc search 'what is store'", "2 completed, 1 failed", f"cd {place}"),
    ):
        assert words in shown


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert main([str(tmp_path / "nowhere"), "--wiki", str(tmp_path / "demo")]) == 2
    assert not (tmp_path / "demo").exists()


def test_a_folder_without_documents_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    assert main([str(tmp_path / "documents"), "--wiki", str(tmp_path / "demo")]) == 1
