"""Searching."""

from __future__ import annotations

from lwc.errors.problem import Exit, Problem

BLANK_QUERY = Problem(
    "invalid_input",
    "The query is blank.",
    "Give some words to look for.",
    Exit.BAD_INPUT,
    reason="blank_query",
)
KIND_NEEDS_PAGES = Problem(
    "invalid_input",
    "--kind filters pages; sources have none.",
    "Leave --kind out or search --type page.",
    Exit.BAD_INPUT,
    reason="kind_needs_pages",
)
