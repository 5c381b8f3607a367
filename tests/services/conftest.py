"""Adding files of the project, as tests of services do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock
from drafting import furnish
from sourcing import Add, AddDir, AddManifest
from storefiles import closed_store
from tidying import tidy_up

from lwc.services import page_writes, source_folders, source_writes
from lwc.services.source_folders import FolderAdded
from lwc.services.source_writes import ManifestAdded, SourceAdded
from lwc.wiki import Call, Wiki, open_wiki


@pytest.fixture
def add(wiki: Wiki, project: Path, call: Call) -> Add:
    def run(path: str, text: str | None = None, *, call: Call = call, **rules: Any) -> SourceAdded:
        if text is not None:
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_bytes(text.encode())
        return source_writes.add(wiki, call, path=path, base=project, **rules)

    return run


@pytest.fixture
def add_dir(wiki: Wiki, project: Path, call: Call) -> AddDir:
    def run(path: str = "docs", *, call: Call = call, **rules: Any) -> FolderAdded:
        return source_folders.add_dir(wiki, call, path=path, base=project, **rules)

    return run


@pytest.fixture
def docs(project: Path) -> Path:
    folder = project / "docs"
    folder.mkdir()
    for name in ("b.md", "a.txt", "deep/c.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"the text of {name}")
    return folder


@pytest.fixture
def add_manifest(wiki: Wiki, project: Path, call: Call) -> AddManifest:
    def run(entries: object, *, at: str = "manifest.json", **rules: Any) -> ManifestAdded:
        (project / at).parent.mkdir(exist_ok=True)
        (project / at).write_text(json.dumps({"sources": entries}))
        return source_writes.add_manifest(wiki, call, path=at, base=project, **rules)

    return run


@pytest.fixture
def cited(wiki: Wiki, call: Call, add: Add) -> str:
    """A source of 100 characters that two pages cite, one of them by its words."""
    text = "The store keeps one writer at a time. " + "x" * 62
    add("a.md", text)
    page_writes.put(wiki, call, slug="whole", title="Whole", body="Text.", source_ids=(1,))
    body = (
        "One.[^a] Two.[^b]\n\n"
        '[^a]: source:1 "The store keeps one writer"\n'
        '[^b]: source:1 "The store keeps no writer at all"\n'
    )
    page_writes.put(wiki, call, slug="by-words", title="By words", body=body)
    return text


@pytest.fixture(scope="session")
def tidy_store(tmp_path_factory: pytest.TempPathFactory, empty_store: Path) -> Path:
    """The closed `.lwc` of a wiki in which nothing is wrong, to be copied."""
    folder = tmp_path_factory.mktemp("tidy")
    with closed_store():
        shutil.copytree(empty_store, folder / ".lwc")
    tidy_up(folder)
    return folder / ".lwc"


@pytest.fixture
def tidy(tmp_path: Path, tidy_store: Path) -> Iterator[Wiki]:
    """A wiki with a source, its page and a concept, in which nothing is wrong."""
    with closed_store():
        shutil.copytree(tidy_store, tmp_path / "tidy" / ".lwc")
    with open_wiki(tmp_path / "tidy") as wiki:
        yield wiki


@pytest.fixture(scope="session")
def furnished_folder(tmp_path_factory: pytest.TempPathFactory, empty_store: Path) -> Path:
    """The project of a closed wiki with something of everything, to be copied."""
    folder = tmp_path_factory.mktemp("furnished")
    with closed_store():
        shutil.copytree(empty_store, folder / ".lwc")
    with open_wiki(folder, environ={"HOME": str(folder / "nobody")}) as wiki:
        furnish(wiki)
    return folder


@pytest.fixture
def furnished(tmp_path: Path, furnished_folder: Path, clock: Clock) -> Iterator[Wiki]:
    """A wiki with something of everything, at a moment that stands still."""
    yield from _copied(furnished_folder, tmp_path / "furnished")


@pytest.fixture
def twin(tmp_path: Path, furnished_folder: Path, clock: Clock) -> Iterator[Wiki]:
    """The furnished wiki once more, for what is done to one of them in another way."""
    yield from _copied(furnished_folder, tmp_path / "twin")


def _copied(project: Path, folder: Path) -> Iterator[Wiki]:
    with closed_store():
        shutil.copytree(project, folder)
    with open_wiki(folder) as wiki:
        yield wiki
