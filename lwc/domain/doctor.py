"""What a doctor says of a wiki: an invariant, the flaw where it does not hold, the diagnosis."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from lwc.domain.lint import Severity

# Of a wiki only so much is put into a sentence; the details hold the rest.
_SAID_MOST = 160

RESTORE = (
    "It cannot be made anew, only put back: `lwc checkpoint list`, then"
    " `lwc checkpoint restore NAME`."
)


class Area(StrEnum):
    """A part of the wiki that is examined by itself; damage is told apart from disagreement."""

    DATABASE = "database"
    TEXTS = "texts"
    JOURNAL = "journal"
    SOURCES = "sources"
    JOBS = "jobs"
    PAGES = "pages"
    DRAFTS = "drafts"
    INDEX = "index"
    FILES = "files"


# What `maintenance check` looks at: whether everything still is what was once kept.
DAMAGE = frozenset((Area.DATABASE, Area.TEXTS, Area.INDEX))


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """Where an invariant does not hold: of what, and the facts that fill its words."""

    code: str
    entity: str
    key: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """A flaw in words, with what helps; `repairable` says that `lwc doctor --repair` does."""

    code: str
    severity: Severity
    entity: str
    key: str
    message: str
    hint: str
    repairable: bool
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Invariant:
    """A row. `derived` says that what is wrong can be made anew from what the wiki holds."""

    code: str
    area: Area
    severity: Severity
    message: str
    hint: str = RESTORE
    derived: bool = False

    def diagnosis(self, flaw: Flaw) -> Diagnosis:
        """The flaw in words; what stands in a command is one shell word."""
        facts = {"entity": flaw.entity.replace("_", " "), "key": flaw.key, **flaw.facts}
        return Diagnosis(
            code=self.code,
            severity=self.severity,
            entity=flaw.entity,
            key=flaw.key,
            message=self.message.format_map({name: _said(value) for name, value in facts.items()}),
            hint=self.hint.format_map({name: _typed(value) for name, value in facts.items()}),
            repairable=self.derived,
            details=dict(flaw.facts),
        )


def _said(value: Any) -> str:
    """A fact inside a sentence: on one line, bounded."""
    text = " ".join(str(value).split())
    return text if len(text) <= _SAID_MOST else text[: _SAID_MOST - 1] + "…"


def _typed(value: Any) -> str:
    """A fact inside a command to type: one shell word, whatever it holds."""
    return shlex.quote(_said(value))
