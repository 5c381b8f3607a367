"""What a benchmark answers: a figure, what it is compared with, and what it should reach.

Only ratios are judged. Both sides are measured in turns, so that what slows the machine down slows
both; a figure is the median of its samples, a ratio the median of the ratios of the turns.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any

Samples = Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table.

    With a baseline the ratio is judged, without one the figure itself; `most` is what it should not
    exceed, none where nothing was promised.
    """

    suite: str
    name: str
    samples: Samples
    unit: str
    baseline: str = ""
    baseline_samples: Samples = ()
    most: float | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> float:
        return median(self.samples)

    @property
    def ratios(self) -> Samples:
        """The ratio of each turn; none without a baseline."""
        if not self.baseline_samples:
            return ()
        pairs = zip(self.samples, self.baseline_samples, strict=True)
        return tuple(one / other for one, other in pairs)

    @property
    def ratio(self) -> float | None:
        return median(self.ratios) if self.baseline_samples else None

    @property
    def held(self) -> str:
        """`yes` or `no`, with a `~` when the middle half of the turns lies on both sides."""
        if self.most is None:
            return ""
        judged = self.ratios or self.samples
        verdict = "yes" if median(judged) <= self.most else "no"
        if len(judged) < 2:
            return verdict
        low, _, high = quantiles(judged, n=4, method="inclusive")
        return verdict + (" ~" if low <= self.most < high else "")

    def document(self) -> dict[str, Any]:
        """The figure as JSON has it."""
        return {
            "suite": self.suite,
            "name": self.name,
            "unit": self.unit,
            "value": self.value,
            "least": min(self.samples),
            "greatest": max(self.samples),
            "samples": list(self.samples),
            "baseline": self.baseline or None,
            "baseline_value": median(self.baseline_samples) if self.baseline_samples else None,
            "ratio": self.ratio,
            "target": self.most,
            "held": self.held or None,
            **self.facts,
        }


def in_turns(
    measured: Mapping[str, Callable[[], float]], *, rounds: int, warm: int = 1
) -> dict[str, list[float]]:
    """Take a sample of each in every round, each round beginning with another; `warm` are lost."""
    names = list(measured)
    samples: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(-warm, rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            sample = measured[name]()
            if turn >= 0:
                samples[name].append(sample)
    return samples


def cpu(work: Callable[[], Any]) -> float:
    """The CPU time of some work in this process, in milliseconds; no collection falls into it."""
    gc.collect()
    gc.disable()
    try:
        begin = time.process_time()
        work()
        return (time.process_time() - begin) * 1e3
    finally:
        gc.enable()


def wall(work: Callable[[], Any]) -> float:
    """How long some work takes, in seconds."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
