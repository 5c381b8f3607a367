"""The benchmarks judge ratios as their README says, and still run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import lwc

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def measure(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("measure")


def a_figure(measure: Any, samples: list[float], beside: list[float], most: float) -> Any:
    return measure.Figure(
        suite="made",
        name="a figure",
        samples=samples,
        unit="ms",
        baseline="another" if beside else "",
        baseline_samples=beside,
        most=most,
    )


def test_a_ratio_is_the_median_of_the_ratios_of_the_turns(measure: Any) -> None:
    figure = a_figure(measure, [10, 40, 30], [10, 20, 10], 1.0)
    assert (figure.value, figure.ratio) == (30, 2)


@pytest.mark.parametrize(
    "samples, beside, held",
    [
        ([10, 11, 12], [10, 10, 10], "yes"),
        ([20, 21, 22], [10, 10, 10], "no"),
        ([10, 14, 20, 22], [10, 10, 10, 10], "no ~"),
        ([10, 12, 14, 22], [10, 10, 10, 10], "yes ~"),
        ([1.4, 1.4], [], "yes"),
        ([1.6], [], "no"),
    ],
    ids=["below", "above", "above in most turns", "below in most turns", "by itself", "once"],
)
def test_a_target_is_held_by_the_median_and_doubted_when_turns_disagree(
    measure: Any, samples: list[float], beside: list[float], held: str
) -> None:
    assert a_figure(measure, samples, beside, 1.5).held == held


def test_every_turn_measures_each_once_beginning_with_another(measure: Any) -> None:
    order: list[str] = []

    def measured(name: str) -> Any:
        return lambda: order.append(name) or float(len(order))

    samples = measure.in_turns({name: measured(name) for name in "abc"}, rounds=3, warm=0)
    assert "".join(order) == "abcbcacab"
    assert samples["a"] == [1, 6, 8]


@pytest.mark.slow
def test_the_benchmarks_run(tmp_path: Path) -> None:
    written = tmp_path / "bench.json"
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS), "cycle", "folders", "--quick", "--json", str(written)],
        env={**os.environ, "PYTHONPATH": str(Path(lwc.__file__).parents[1])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(written.read_text(encoding="utf-8"))["figures"]
    assert {figure["suite"] for figure in figures} == {"cycle", "folders"}
