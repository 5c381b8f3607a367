"""SIGKILL at any moment: nothing is half applied, nothing lost, and the retry tells the truth."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mutations import DRAFTS, MUTATIONS  # type: ignore[import-not-found]

KILLER = Path(__file__).parent / "killer.py"
POINTS_EACH = 14


@pytest.mark.parametrize("seed", [20261130])
def test_a_killed_command_is_done_or_not_done_and_its_retry_says_which(
    tmp_path: Path, seed: int
) -> None:
    done = subprocess.run(
        [sys.executable, str(KILLER), str(tmp_path / "points"), str(seed), str(POINTS_EACH)],
        capture_output=True,
        env=os.environ,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    points = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(points) == len(MUTATIONS) * POINTS_EACH >= 300
    assert [point for point in points if point["wrong"]] == []
    # The kills must fall on both sides of the commit, or they prove nothing.
    applied = sum(point["applied"] for point in points)
    assert len(points) * 0.1 < applied < len(points) * 0.9, (seed, applied)


@pytest.mark.parametrize(
    "points", [10, pytest.param(140, marks=pytest.mark.slow)], ids=["some", "many"]
)
def test_a_draft_ends_wholly_or_not_at_all_whatever_its_process_meets(
    tmp_path: Path, points: int
) -> None:
    """Kills at any moment, and files that may not grow: publish, rollback, discard, restore."""
    done = subprocess.run(
        [sys.executable, str(KILLER), str(tmp_path / "points"), "20261201", str(points), "drafts"],
        capture_output=True,
        env=os.environ,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    met = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(met) == len(DRAFTS) * points
    assert [point for point in met if point["wrong"]] == []
    applied = sum(point["applied"] for point in met)
    assert 0 < applied < len(met)
