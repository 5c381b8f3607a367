"""What a failure is: a row (`Problem`), and that row with its facts (`LwcError`)."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal

Committed = Literal[False, True, "unknown"]


class Exit(IntEnum):
    """The exit statuses of the command line."""

    OK = 0
    INTERNAL = 1
    USAGE = 2
    NOT_FOUND = 3
    CONFLICT = 4
    GATED = 5
    BAD_INPUT = 6
    BUSY = 75


class Typed(str):
    """A fact that is a command line already: hints take it as it is, without quotes."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """A row: what is so (`message`), what to do next (`hint`), and how a script sees it."""

    code: str
    message: str
    hint: str
    exit: Exit
    retryable: bool = False
    reason: str = ""

    def __call__(
        self,
        *,
        details: Mapping[str, Any] | None = None,
        committed: Committed = False,
        **facts: Any,
    ) -> LwcError:
        """The exception for this row; `facts` fill the words and become the details."""
        return LwcError(self, facts, {**facts, **(details or {})}, committed)

    @property
    def name(self) -> str:
        """The finest stable word for this row."""
        return self.reason or self.code


class LwcError(Exception):
    """The one exception that crosses layers: a row of this table with its facts."""

    def __init__(
        self,
        problem: Problem,
        facts: Mapping[str, Any],
        details: Mapping[str, Any],
        committed: Committed,
    ) -> None:
        self.problem = problem
        self.details = dict(details)
        self.committed = committed
        self.message = problem.message.format_map({k: _said(v) for k, v in facts.items()})
        self.hint = problem.hint.format_map({k: _typed(v) for k, v in facts.items()})
        super().__init__(self.message)

    def body(self) -> dict[str, Any]:
        """The object that stands under `error` on stderr."""
        return {
            "code": self.problem.code,
            "reason": self.problem.name,
            "message": self.message,
            "hint": self.hint,
            "retryable": self.problem.retryable,
            "committed": self.committed,
            "details": self.details,
        }


def _said(value: Any) -> str:
    """A fact inside a sentence: bounded, on one line."""
    if isinstance(value, list | tuple):
        shown = ", ".join(_said(item) for item in value[:10])
        return f"{shown} and {len(value) - 10} more" if len(value) > 10 else shown
    text = " ".join(str(value).split())
    return text if len(text) <= 200 else text[:199] + "…"


def _typed(value: Any) -> str:
    """A fact inside a command to type: one shell word, whatever it holds."""
    return _said(value) if isinstance(value, Typed) else shlex.quote(_said(value))
