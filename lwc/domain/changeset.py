"""Changesets: what a draft may touch, where it stands, and what became of it."""

from __future__ import annotations

import re
from enum import StrEnum

from lwc.errors import CHANGESET_NAME_INVALID

_NAME = re.compile(r"\w[\w.-]*")
NAME_BYTES = 80


class Status(StrEnum):
    """Where a changeset stands; `committed` is what was published."""

    DRAFT = "draft"
    COMMITTED = "committed"
    DISCARDED = "discarded"
    ROLLED_BACK = "rolled_back"


class Verification(StrEnum):
    """Whether what was published was found to hold on the live wiki."""

    PENDING = "pending"
    PASSED = "passed"
    FAILED = "failed"


class Entity(StrEnum):
    """What a draft stages whole: compared with its base, published, restored and dropped as one."""

    SOURCE = "source"
    PATH = "path"
    CHARTER = "charter"
    PAGE = "page"
    CHECK = "check"
    COMPLETION = "completion"


def parse_name(text: str) -> str:
    """A name that is one safe word, or the refusal."""
    if not _NAME.fullmatch(text) or len(text.encode("utf-8", "surrogateescape")) > NAME_BYTES:
        raise CHANGESET_NAME_INVALID()
    return text
