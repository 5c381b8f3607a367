"""Where the files that are shipped with the package stand: migrations and skills.

An installed package carries them as `lwc.migrations` and `lwc.skills`; a checkout has them as
top-level folders beside `lwc/`.
"""

from __future__ import annotations

from pathlib import Path


def folder(name: str) -> Path:
    """The folder `migrations` or `skills`, wherever this copy of lwc keeps it."""
    package = Path(__file__).resolve().parent
    for candidate in (package / name, package.parent / name):
        if candidate.is_dir():
            return candidate
    raise AssertionError(f"this copy of lwc was packaged without its {name} folder")
