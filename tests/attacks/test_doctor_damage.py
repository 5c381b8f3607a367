"""A damaged store under the doctor: every kept text that changed is found, nothing surprises it."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from healthy import healthy, healthy_template
from storefiles import closed_store

from lwc.domain.doctor import Area
from lwc.services import doctor
from lwc.wiki import open_wiki

__all__ = ["healthy", "healthy_template"]

FLIPS_OF_TEXTS = 150


@pytest.fixture
def bytes_of(healthy: Path) -> bytes:
    with closed_store():
        return (healthy / ".lwc" / "wiki.db").read_bytes()


def with_bytes(project: Path, content: bytes) -> None:
    with closed_store():
        for name in ("wiki.db-wal", "wiki.db-shm"):
            (project / ".lwc" / name).unlink(missing_ok=True)
        (project / ".lwc" / "wiki.db").write_bytes(content)


def test_every_flipped_bit_of_a_kept_text_is_found(healthy: Path, bytes_of: bytes) -> None:
    chance = random.Random(3)
    bodies = places_of_bodies(healthy)
    assert len(bodies) > 20
    for _ in range(FLIPS_OF_TEXTS):
        start, size = chance.choice(bodies)
        at, bit = start + chance.randrange(size), chance.randrange(8)
        flipped = bytearray(bytes_of)
        flipped[at] ^= 1 << bit
        with_bytes(healthy, bytes(flipped))
        with open_wiki(healthy) as wiki:
            found = doctor.examine(wiki, areas={Area.TEXTS})
        assert found.counts == {"content_hash_mismatch": 1}, (at, bit)


def places_of_bodies(project: Path) -> list[tuple[int, int]]:
    """Where in the file each kept text stands that fits a page, and how many bytes it has."""
    with closed_store():
        content = (project / ".lwc" / "wiki.db").read_bytes()
        with closing(sqlite3.connect(project / ".lwc" / "wiki.db")) as conn:
            pages = conn.execute(
                "SELECT pgoffset, pgsize FROM dbstat"
                " WHERE name = 'text_parts' AND pagetype = 'leaf'"
            ).fetchall()
            bodies = [row[0].encode() for row in conn.execute("SELECT body FROM text_parts")]
    return [
        (offset + at, len(body))
        for body in bodies
        for offset, size in pages
        if (at := content[offset : offset + size].find(body)) >= 0
    ]


@pytest.mark.parametrize("seed, flips", [(7, 15), pytest.param(8, 600, marks=pytest.mark.slow)])
def test_no_flipped_bit_is_an_internal_error(
    seed: int, flips: int, healthy: Path, bytes_of: bytes, lwc_there: Callable[..., Any]
) -> None:
    chance = random.Random(seed)
    sound = 0
    for _ in range(flips):
        flipped = bytearray(bytes_of)
        for _ in range(chance.choice((1, 1, 1, 8))):
            flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
        with_bytes(healthy, bytes(flipped))
        status, out, err = lwc_there("doctor", "--repair" if chance.random() < 0.2 else "-v")
        if status:
            error = json.loads(err.splitlines()[-1])["error"]
            assert error["reason"] != "internal_error", err
        else:
            sound += json.loads(out)["sound"]
    assert sound < flips


@pytest.mark.parametrize("size", [0, 1, 99, 4096, 40_960])
def test_a_cut_file_is_told_and_not_touched(
    size: int, healthy: Path, bytes_of: bytes, lwc_there: Callable[..., Any]
) -> None:
    with_bytes(healthy, bytes_of[:size])
    status, out, err = lwc_there("doctor")
    if status:
        error = json.loads(err)["error"]
        assert error["reason"] in ("store_not_lwc", "store_corrupt"), err
    else:
        assert not json.loads(out)["sound"]
    with closed_store():
        assert (healthy / ".lwc" / "wiki.db").read_bytes() == bytes_of[:size]


@pytest.fixture
def lwc_there(healthy: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs a command line in the healthy project, in this process."""
    import io
    import sys

    from lwc.__main__ import main

    def run(*argv: str) -> tuple[int, str, str]:
        monkeypatch.chdir(healthy)
        out, err = io.BytesIO(), io.BytesIO()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", io.TextIOWrapper(out, write_through=True))
            patch.setattr(sys, "stderr", io.TextIOWrapper(err, write_through=True))
            status = main(list(argv))
            return int(status or 0), out.getvalue().decode(), err.getvalue().decode()

    return run
