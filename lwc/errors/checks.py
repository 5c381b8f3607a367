"""Retrieval checks: what one may ask, and how many a page may have."""

from __future__ import annotations

from lwc.errors.problem import Exit, Problem

CHECK_NOT_FOUND = Problem(
    "check_not_found",
    "There is no check {check}.",
    "List the checks with `lwc check list`.",
    Exit.NOT_FOUND,
)
NOT_A_CHECK = Problem(
    "usage_error",
    "A check id is a whole number written in plain digits.",
    "Give an id such as 12; list the checks with `lwc check list`.",
    Exit.USAGE,
    reason="not_a_check",
)
CHECK_WITHOUT_WORDS = Problem(
    "check_invalid",
    "{text} holds no word to look for.",
    "Ask with words of what the page tells, as somebody would who looks for it.",
    Exit.BAD_INPUT,
    reason="check_without_words",
)
CHECK_SAME_WORDS = Problem(
    "check_invalid",
    "The paraphrase {paraphrase} asks for the very words of {other}.",
    "Ask in other words: order, case, endings and little words make no difference to a search.",
    Exit.BAD_INPUT,
    reason="paraphrase_same_words",
)
TOO_MANY_PARAPHRASES = Problem(
    "check_invalid",
    "A check has at most {most} paraphrases.",
    "Leave some out, or add a second check.",
    Exit.BAD_INPUT,
    reason="too_many_paraphrases",
)
TOO_MANY_CHECKS = Problem(
    "check_invalid",
    "{slug} has {most} checks, and no page has more.",
    "Remove one first: `lwc check list --page {slug}` shows them.",
    Exit.CONFLICT,
    reason="too_many_checks",
)
