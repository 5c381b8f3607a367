"""Attacks run in copies of the furnished project of the contract tests."""

from __future__ import annotations

from contracts.conftest import furnished, project, world

__all__ = ["furnished", "project", "world"]
