"""A state machine is a table of steps, read by small functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

S = TypeVar("S", bound=StrEnum)
E = TypeVar("E", bound=StrEnum)
G = TypeVar("G", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Step(Generic[S, E, G]):
    """One row: `event` leads from any of `sources` to `target` (None: the state stays)."""

    event: E
    sources: tuple[S, ...]
    target: S | None
    gates: tuple[G, ...] = ()

    def after(self, state: S) -> S:
        """Where the event leads from `state`."""
        return self.target if self.target is not None else state


def step_of(steps: Iterable[Step[S, E, G]], event: E) -> Step[S, E, G]:
    """The row of an event; every event has exactly one."""
    return next(step for step in steps if step.event is event)


def allowed(steps: Iterable[Step[S, E, G]], state: S) -> tuple[E, ...]:
    """The events a state accepts, in table order."""
    return tuple(step.event for step in steps if state in step.sources)


def mermaid(steps: Iterable[Step[S, E, G]]) -> str:
    """The table as a Mermaid state diagram, for the docs."""
    lines = ["stateDiagram-v2"]
    lines += [
        f"    {source} --> {step.after(source)}: {step.event}"
        for step in steps
        for source in step.sources
    ]
    return "\n".join(lines)
