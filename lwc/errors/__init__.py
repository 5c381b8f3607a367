"""Every failure a caller can meet, one row each: code, message, hint, exit status, retry.

`raise JOB_NOT_FOUND(job=12)` fills the row in. Rows that share a `code` (the word scripts branch on)
have a finer `reason` each. `docs/reference/errors.md` is printed from these tables.
"""

from __future__ import annotations

from collections.abc import Iterator

from lwc.errors.command import *
from lwc.errors.workspace import *
from lwc.errors.changesets import *
from lwc.errors.checkpoints import *
from lwc.errors.files import *
from lwc.errors.sources import *
from lwc.errors.ingest import *
from lwc.errors.pages import *
from lwc.errors.checks import *
from lwc.errors.projection import *
from lwc.errors.search import *
from lwc.errors.problem import Committed as Committed
from lwc.errors.problem import Exit as Exit
from lwc.errors.problem import LwcError as LwcError
from lwc.errors.problem import Problem as Problem
from lwc.errors.problem import Typed as Typed


def problems() -> Iterator[tuple[str, Problem]]:
    """Every row with the name it has in this package."""
    return ((name, row) for name, row in globals().items() if isinstance(row, Problem))
