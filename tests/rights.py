"""How a test meets a missing right, also where the tests are run by root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_NOBODY = 65534


@contextmanager
def without_rights() -> Iterator[None]:
    """Root is nobody for a while; others have no rights to lose."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
