"""The projected files as tests look at them: what stands there, and what a full run makes anew."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from lwc import projection
from lwc.projection import Materialized, ProjectionState
from lwc.store import settings
from lwc.store.database import Database
from lwc.store.dialects.sqlite_copies import back_up
from lwc.wiki import Call, Wiki

# What is no file of the projection but stands beside them.
BESIDE = ("wiki.db", "init.lock", "projection.lock", "projection.json", "checkpoints")


def files(folder: Path) -> dict[str, str]:
    """By path, what every projected file holds; folders without anything in them count, too."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name.startswith(BESIDE):
            continue
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                found[f"{name}/"] = ""
        else:
            found[name] = path.read_bytes().decode()
    return found


def made_anew(wiki: Wiki) -> dict[str, str]:
    """What a full run writes into an empty folder; the wiki learns nothing of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "anew"
        folder.mkdir()
        copy = Path(name) / "copy.db"
        back_up(wiki.workspace.database, copy)
        database = Database(copy)
        try:
            projection.materialize(database, folder)
        finally:
            database.close()
        return files(folder)


def catch_up(wiki: Wiki) -> ProjectionState | None:
    return projection.catch_up(wiki.database, wiki.workspace.store)


def materialize(wiki: Wiki, *, force: bool = False) -> Materialized:
    return projection.materialize(wiki.database, wiki.workspace.store, force=force)


def manifest(wiki: Wiki) -> dict[str, object]:
    loaded: dict[str, object] = json.loads((wiki.workspace.store / "projection.json").read_text())
    return loaded


def switch(wiki: Wiki, word: str) -> None:
    """Turn the projection of a wiki on or off, as `config set` does."""
    with wiki.writing(Call(agent="switch")) as change:
        settings.put(change.conn, "projection", word, now=change.now)


def clear(wiki: Wiki) -> None:
    """Delete the projection wholly."""
    for name in ("wiki", "raw", ".obsidian"):
        shutil.rmtree(wiki.workspace.store / name, ignore_errors=True)
