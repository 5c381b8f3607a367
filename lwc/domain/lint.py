"""What lint says: the rules, one row each, and the findings that come of them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from lwc.errors import UNKNOWN_RULE

if TYPE_CHECKING:
    from lwc.domain.citation import CitationState

# Of a page only so much is put into a sentence; the details hold the rest.
_SAID_MOST = 120


class Severity(StrEnum):
    """An error keeps work from being published; a warning wants a look; an info is good to know."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a rule is broken: on a page (and its line), at a target; `facts` fill the words."""

    page: str | None = None
    target: str | None = None
    line: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong: where, in words, and with a command that helps."""

    code: str
    severity: Severity
    page: str | None
    target: str | None
    line: int | None
    message: str
    hint: str
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """A row. `required` is the severity where the policy `citations` is `required`.

    `of_page` says that a finding is about one page's own content.
    """

    code: str
    severity: Severity
    message: str
    hint: str
    of_page: bool = True
    required: Severity | None = None

    def severity_under(self, citations_policy: str) -> Severity:
        if self.required is not None and citations_policy == "required":
            return self.required
        return self.severity

    def finding(self, place: Place, *, citations_policy: str) -> Finding:
        """The finding at a place, in words; what stands in a command is one shell word."""
        facts = {"page": place.page, "target": place.target, "line": place.line, **place.facts}
        return Finding(
            code=self.code,
            severity=self.severity_under(citations_policy),
            page=place.page,
            target=place.target,
            line=place.line,
            message=self.message.format_map({name: _said(value) for name, value in facts.items()}),
            hint=self.hint.format_map({name: _typed(value) for name, value in facts.items()}),
            details=dict(place.facts),
        )


RULES = (
    Rule(
        "missing_schema",
        Severity.ERROR,
        "The wiki has no schema, so nothing says how its pages are written.",
        "Write one and set it with `lwc schema set FILE`.",
        of_page=False,
    ),
    Rule(
        "missing_summary",
        Severity.WARNING,
        "{page} has no summary.",
        "Read it with `lwc page show {page}` and put it again with --summary.",
    ),
    Rule(
        "uncited_page",
        Severity.WARNING,
        "{page} cites no source and does not say where its words come from.",
        "Read it with `lwc page show {page}` and put it again with --source or --provenance.",
    ),
    Rule(
        "orphan_page",
        Severity.INFO,
        "No other page links to {page}.",
        "Find where it belongs with `lwc search -- {title}` and link it there.",
        of_page=False,
    ),
    Rule(
        "dangling_link",
        Severity.ERROR,
        "{page} links to {target}, and there is no such page.",
        "Find what is meant with `lwc search -- {target}`; correct the link, or write that page.",
    ),
    Rule(
        "slug_confusable",
        Severity.WARNING,
        "{page} {what}.",
        "If the name is a mistake: `lwc page rename {page} NEW`.",
    ),
    Rule(
        "possible_duplicate",
        Severity.WARNING,
        "{page} and {target} may be about one thing.",
        "Compare with `lwc page show {target}`; merge them, or give one another title.",
    ),
    Rule(
        "claim_uncited",
        Severity.INFO,
        "A paragraph of {page} cites nothing (line {line}).",
        "See it with `lwc page show {page}`; cite what it rests on with a footnote.",
    ),
    Rule(
        "footnote_duplicate",
        Severity.WARNING,
        "{page} defines the footnote {target} more than once; only the first counts.",
        "See it with `lwc page show {page}`; give each footnote a label of its own.",
    ),
    Rule(
        "footnote_undefined",
        Severity.WARNING,
        "{page} refers to the footnote {target}, which it does not define.",
        "See it with `lwc page show {page}`; define the footnote or take the mark out.",
    ),
    Rule(
        "footnote_unreferenced",
        Severity.WARNING,
        "{page} defines the footnote {target} and never refers to it.",
        "See it with `lwc page show {page}`; set its mark behind the claim that rests on it.",
    ),
    Rule(
        "citation_missing",
        Severity.ERROR,
        "{page} quotes words that source {target} does not hold (footnote {label}).",
        "Compare with `lwc source show {target}`; quote what stands there.",
    ),
    Rule(
        "citation_range_wrong",
        Severity.ERROR,
        "{page} names a range of source {target} that does not hold its quote (footnote {label}).",
        "Compare with `lwc source show {target}`; correct the range, or leave it out.",
    ),
    Rule(
        "citation_near",
        Severity.WARNING,
        "{page} quotes source {target} in other typography (footnote {label}).",
        "Put the text in `details.found` in its place: `lwc page patch {page} --file EDITS.json`.",
    ),
    Rule(
        "citation_weak",
        Severity.WARNING,
        "The quote of footnote {label} in {page} is too short or too common in source {target}.",
        "Quote more of the sentence; `lwc source show {target}` has it.",
    ),
    Rule(
        "citation_without_quote",
        Severity.WARNING,
        "{page} cites source {target} without quoting it.",
        "Find the words in `lwc source show {target}` and quote them in a footnote.",
        required=Severity.ERROR,
    ),
    Rule(
        "cited_source_gone",
        Severity.ERROR,
        "{page} cites source {target}, which is removed.",
        "Read it with `lwc page show {page}` and put it again without that source, or keep the"
        " source: leave its removal out, or add it again.",
    ),
    Rule(
        "untitled_source",
        Severity.WARNING,
        "Source {target} has no title.",
        "See what it is with `lwc source show {target}`.",
        of_page=False,
    ),
    Rule(
        "shallow_ingest",
        Severity.WARNING,
        "Source {target} is ingested, but only its own page cites it.",
        "Integrate it into pages of other kinds; `lwc source refs {target}` shows what cites it.",
        of_page=False,
    ),
    Rule(
        "completed_source_uncited",
        Severity.ERROR,
        "The ingest of source {target} is completed, but its pages no longer cite it.",
        "Cite it again (`lwc ingest show {target}` names the pages), or take it up anew with"
        " `lwc ingest reopen {target} --reason uncited`.",
        of_page=False,
    ),
    Rule(
        "stuck_job",
        Severity.WARNING,
        "{agent} took source {target} to ingest and has not been heard of ({why}).",
        "Take it over with `lwc ingest claim {target}`, or see `lwc ingest show {target}`.",
        of_page=False,
    ),
    Rule(
        "search_index_missing",
        Severity.ERROR,
        "Search cannot find {target}: the index does not hold it.",
        "Make the index anew with `lwc maintenance reindex`.",
        of_page=False,
    ),
    Rule(
        "search_index_orphan",
        Severity.ERROR,
        "The search index holds {target}, which is no longer there.",
        "Make the index anew with `lwc maintenance reindex`.",
        of_page=False,
    ),
    Rule(
        "search_index_duplicate",
        Severity.ERROR,
        "The search index of {target}s holds something twice.",
        "Make the index anew with `lwc maintenance reindex`.",
        of_page=False,
    ),
)

BY_CODE: Mapping[str, Rule] = {rule.code: rule for rule in RULES}


def rule(code: str) -> Rule:
    """The row of a code, or a refusal."""
    found = BY_CODE.get(code)
    if found is None:
        raise UNKNOWN_RULE(code=code, details={"known": sorted(BY_CODE)})
    return found


def _said(value: Any) -> str:
    """A fact inside a sentence: on one line, bounded."""
    text = " ".join(str(value).split())
    return text if len(text) <= _SAID_MOST else text[: _SAID_MOST - 1] + "…"


def _typed(value: Any) -> str:
    """A fact inside a command to type: one shell word, whatever it holds."""
    return shlex.quote(_said(value))


def citation_codes(citation: CitationState) -> tuple[str, ...]:
    """The rules that a citation breaks; the queries of lint ask the same of its row."""
    broken = {
        "citation_missing": citation.state == "missing",
        "citation_range_wrong": citation.range_wrong,
        "citation_near": citation.state == "near",
        "citation_weak": citation.weak,
        "citation_without_quote": citation.state == "unquoted",
    }
    return tuple(code for code, breaks in broken.items() if breaks)
