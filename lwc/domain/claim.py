"""Claims: the token a claim yields, and whether somebody holds a job."""

from __future__ import annotations

import secrets
from enum import StrEnum

from lwc import wire
from lwc.domain.ingest import Job

TOKEN_BYTES = 16


class Holding(StrEnum):
    """How somebody stands to a claimed job."""

    HELD = "held"
    LOST = "lost"
    TOKEN_REQUIRED = "token_required"


def new_token() -> str:
    """A fresh claim token: 128 random bits. It is shown once; only its hash is kept."""
    return secrets.token_hex(TOKEN_BYTES)


def token_hash(token: str) -> str:
    """What is kept of a token."""
    return wire.text_digest(token)


def holds(job: Job, *, token: str | None, agent: str, strict: bool) -> Holding:
    """How the caller stands to the claim on `job`.

    A token decides alone. Without one the name that holds the claim is enough, unless claims are
    strict. Whether the lease ran out is not asked: a holder whose job nobody took may go on.
    """
    if token is not None:
        return Holding.HELD if _fits(job, token) else Holding.LOST
    if strict:
        return Holding.TOKEN_REQUIRED
    return Holding.HELD if job.agent == agent else Holding.LOST


def _fits(job: Job, token: str) -> bool:
    # No token of ours has other characters, and a lone surrogate has no digest.
    if job.token_hash is None or not token.isascii():
        return False
    return secrets.compare_digest(job.token_hash, token_hash(token))
