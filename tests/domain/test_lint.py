"""Rules and findings: words that fit, commands that can be typed, severity under a policy."""

from __future__ import annotations

import shlex

import pytest

from lwc.domain.lint import BY_CODE, RULES, Place, Rule, Severity, rule
from lwc.errors import UNKNOWN_RULE, LwcError

HOSTILE = "x'; rm -rf ~ #\n$(id) `id`"
FACTS = {"title": HOSTILE, "label": HOSTILE, "what": HOSTILE, "agent": HOSTILE, "why": HOSTILE}


@pytest.mark.parametrize("row", RULES, ids=lambda row: row.code)
def test_what_stands_in_a_command_is_one_shell_word(row: Rule) -> None:
    place = Place(page=HOSTILE, target=HOSTILE, line=3, facts=FACTS)
    finding = row.finding(place, citations_policy="optional")
    said = " ".join(HOSTILE.split())
    for word in shlex.split(finding.hint.replace(shlex.quote(said), "QUOTED"), posix=False):
        assert "rm" not in word
    assert "\n" not in finding.message + finding.hint
    assert finding.details == FACTS


@pytest.mark.parametrize("row", RULES, ids=lambda row: row.code)
def test_a_sentence_stays_short_whatever_it_tells(row: Rule) -> None:
    facts = dict.fromkeys(FACTS, "z" * 1_000)
    long = Place(page="x" * 10_000, target="y" * 10_000, line=1, facts=facts)
    finding = row.finding(long, citations_policy="optional")
    assert len(finding.message) < 600
    assert len(finding.hint) < 600


def test_only_a_citation_without_a_quote_is_graver_where_quotes_are_required() -> None:
    changed = [
        row.code
        for row in RULES
        if row.severity_under("required") is not row.severity_under("optional")
    ]
    assert changed == ["citation_without_quote"]
    assert rule("citation_without_quote").severity_under("required") is Severity.ERROR


def test_an_unknown_code_is_refused_with_those_there_are() -> None:
    with pytest.raises(LwcError) as caught:
        rule("broken_link")
    assert caught.value.problem is UNKNOWN_RULE
    assert caught.value.details["known"] == sorted(BY_CODE)
