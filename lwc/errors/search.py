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
UNKNOWN_RULE = Problem(
    "invalid_input",
    "{code} is not a rule of lint.",
    "Leave --code out to see the codes that occur; `details.known` lists all.",
    Exit.BAD_INPUT,
    reason="unknown_rule",
)
UNKNOWN_SEVERITY = Problem(
    "invalid_input",
    "{severity} is not a severity; they are error, warning and info.",
    "Use one of those.",
    Exit.BAD_INPUT,
    reason="unknown_severity",
)
UNKNOWN_SEARCH_TYPE = Problem(
    "invalid_input",
    "{type} cannot be searched for; the types are auto, page, source and all.",
    "Use one of those.",
    Exit.BAD_INPUT,
    reason="unknown_search_type",
)
