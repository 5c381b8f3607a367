"""What lint answers: parts that fit together, counts of the whole, a record when asked for."""

from __future__ import annotations

from ingesting import refused
from page_makers import put
from tidying import body, page_id, write

from lwc import wire
from lwc.errors import STALE_REVISION, UNKNOWN_RULE, UNKNOWN_SEVERITY
from lwc.services.lint import LintAnswer, lint
from lwc.store import journal
from lwc.store import lint as findings
from lwc.wiki import Call, Wiki


def test_a_fresh_wiki_has_no_findings(wiki: Wiki) -> None:
    answer = lint(wiki)
    assert (answer.total, answer.issues, answer.counts) == (0, (), {})
    assert answer.severities == {"error": 0, "warning": 0, "info": 0}


def test_a_tidy_wiki_has_no_findings(tidy: Wiki) -> None:
    assert lint(tidy).issues == ()


def test_findings_of_pages_are_errors_and_warnings_of_these_pages_errors_first(tidy: Wiki) -> None:
    write(tidy, text=body(more="\nNobody knows where this comes from. [[Nowhere]]\n"), summary="")
    write(tidy, "notes", kind="source", summary="")
    with tidy.reading() as conn:
        found = findings.findings_of_pages(conn, [page_id(tidy, "locks")])
        assert findings.findings_of_pages(conn, []) == ()
    assert [(one.code, one.page) for one in found] == [
        ("dangling_link", "locks"),
        ("missing_summary", "locks"),
    ]


def test_findings_come_by_code_page_and_target_in_parts_that_fit(tidy: Wiki) -> None:
    for slug in ("b", "a", "c"):
        put(tidy, slug, "[[x]] [[y]]\n")
    whole = lint(tidy, limit=1000).issues
    assert list(whole) == sorted(
        whole, key=lambda one: (one.code, one.page or "", one.target or "", one.line or 0)
    )
    parts = [one for at in range(0, len(whole), 3) for one in lint(tidy, limit=3, offset=at).issues]
    assert parts == list(whole)
    assert lint(tidy, limit=3).has_more
    assert not lint(tidy, limit=3, offset=len(whole) - 3).has_more
    assert lint(tidy, offset=2**63 - 1).issues == ()


def test_counts_are_of_the_whole_wiki_whatever_is_shown(tidy: Wiki) -> None:
    put(tidy, "a", "[[x]]\n")
    whole = lint(tidy)
    assert sum(whole.counts.values()) == whole.total == sum(whole.severities.values())
    shown = lint(tidy, code="dangling_link", limit=1)
    assert (shown.counts, shown.severities, shown.total) == (whole.counts, whole.severities, 1)


def test_a_check_is_entered_in_the_journal_when_asked_for_and_once(tidy: Wiki) -> None:
    before = tidy.revision()
    assert lint(tidy).revision == before
    call = Call(agent="a", request_id="once", command="lint")
    assert lint(tidy, call, record=True).revision == before + 1
    lint(tidy, call, record=True)
    with tidy.reading() as conn:
        [entry] = journal.recent(conn, limit=10, action="lint")
    assert entry.detail == {"issues": 0}


def test_a_check_can_be_bound_to_a_revision(tidy: Wiki) -> None:
    old = Call(if_revision=tidy.revision() - 1)
    refused(STALE_REVISION, lambda: lint(tidy, old))
    refused(STALE_REVISION, lambda: lint(tidy, old, record=True))


def test_what_is_no_rule_and_no_severity_is_refused(wiki: Wiki) -> None:
    error = refused(UNKNOWN_RULE, lambda: lint(wiki, code="broken_link"))
    assert "dangling_link" in error.details["known"]
    refused(UNKNOWN_SEVERITY, lambda: lint(wiki, severity="fatal"))


def test_the_answer_survives_its_json(tidy: Wiki) -> None:
    write(tidy, text=body("one writer"))
    answer = lint(tidy)
    assert wire.load(LintAnswer, wire.plain(answer)) == answer
