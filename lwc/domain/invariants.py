"""What must hold in a wiki, one row each: what is wrong where it does not, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from lwc.domain.doctor import Area, Flaw, Invariant
from lwc.domain.lint import Severity

_REPAIR = "Have it made anew: `lwc doctor --repair`."

INVARIANTS = (
    Invariant(
        "database_damaged", Area.DATABASE, Severity.ERROR, "The database is damaged: {what}."
    ),
    Invariant(
        "schema_differs",
        Area.DATABASE,
        Severity.ERROR,
        "The database is not made as this lwc makes it: {key} {what}.",
    ),
    Invariant(
        "reference_broken",
        Area.DATABASE,
        Severity.ERROR,
        "{key} points to no row of {parent}.",
    ),
    Invariant(
        "identity_wrong",
        Area.DATABASE,
        Severity.ERROR,
        "The wiki does not say which it is: {what}.",
    ),
    Invariant(
        "cell_malformed",
        Area.DATABASE,
        Severity.ERROR,
        "{key} holds something else where {wanted} should be.",
    ),
    Invariant(
        "sequence_behind",
        Area.DATABASE,
        Severity.ERROR,
        "The counter of {key} stands at {counter} and an id {highest} was given: it could be given"
        " again.",
    ),
    Invariant(
        "content_hash_mismatch",
        Area.TEXTS,
        Severity.ERROR,
        "The text of {entity} {key} is not what was kept: {what}.",
    ),
    Invariant(
        "journal_gap",
        Area.JOURNAL,
        Severity.ERROR,
        "The journal misses {missing} operations between {first} and {last}.",
    ),
    Invariant(
        "journal_cut",
        Area.JOURNAL,
        Severity.ERROR,
        "The journal ends at {last}, and there was an operation {key}: the wiki knows less than it"
        " did.",
    ),
    Invariant(
        "operation_unknown",
        Area.JOURNAL,
        Severity.ERROR,
        "{key} speaks of operation {operation}, and the journal ends at {last} ({rows}).",
    ),
    Invariant(
        "request_unanswered",
        Area.JOURNAL,
        Severity.WARNING,
        "Operation {operation} was asked for by request {key}, and no answer is kept for it.",
        "Do not repeat that request: see what was done with `lwc log`.",
    ),
    Invariant(
        "setting_invalid",
        Area.JOURNAL,
        Severity.WARNING,
        "The setting {key} is {value}, which it may not be.",
        "Give it its default back: `lwc config unset {key}`.",
    ),
    Invariant(
        "charter_history_broken",
        Area.JOURNAL,
        Severity.ERROR,
        "The revisions of the {key} are not numbered from 1 without a gap.",
    ),
    Invariant(
        "source_digest_differs",
        Area.SOURCES,
        Severity.ERROR,
        "The id {key} was given to another text than the source has that bears it.",
    ),
    Invariant(
        "source_without_job",
        Area.SOURCES,
        Severity.ERROR,
        "Source {key} has no ingest job.",
    ),
    Invariant(
        "job_without_source",
        Area.SOURCES,
        Severity.ERROR,
        "Job {key} is of a source that is neither live nor staged in a draft.",
    ),
    Invariant(
        "job_state_inconsistent",
        Area.JOBS,
        Severity.ERROR,
        "Job {key} is {state}, and {what}.",
        "See it with `lwc ingest show {key}`.",
    ),
    Invariant(
        "attempts_inconsistent",
        Area.JOBS,
        Severity.ERROR,
        "The attempts of job {key} do not fit it: {what}.",
        "See them with `lwc ingest show {key}`.",
    ),
    Invariant(
        "analyses_inconsistent",
        Area.JOBS,
        Severity.ERROR,
        "The analyses of job {key} do not fit it: {what}.",
        "See them with `lwc ingest show {key}`.",
    ),
    Invariant(
        "delivery_inconsistent",
        Area.JOBS,
        Severity.ERROR,
        "What was handed over of source {key} in attempt {attempt} cannot have been: {what}.",
        "See it with `lwc ingest show {key}`.",
    ),
    Invariant(
        "evidence_missing",
        Area.JOBS,
        Severity.ERROR,
        "Job {key} is completed, and what its completion rests on was not kept.",
        "Take it up anew with `lwc ingest reopen {key} --reason evidence`.",
    ),
    Invariant(
        "pin_broken",
        Area.JOBS,
        Severity.ERROR,
        "Job {key} and the draft that is to complete it do not agree: {what}.",
    ),
    Invariant(
        "page_key_differs",
        Area.PAGES,
        Severity.ERROR,
        "The {entity} {key} is filed under another name: {filed}.",
    ),
    Invariant(
        "alias_collides",
        Area.PAGES,
        Severity.ERROR,
        "{key} is the name of a page and an earlier name of {other}.",
        "Give the page another name: `lwc page rename {key} NEW`.",
    ),
    Invariant(
        "page_history_broken",
        Area.PAGES,
        Severity.ERROR,
        "The history of page {key} does not go on from revision to revision: {what}.",
    ),
    Invariant(
        "page_differs_from_history",
        Area.PAGES,
        Severity.ERROR,
        "Page {key} is not what its newest revision says: {what}.",
        "Look at both with `lwc page history {key}`; `lwc page restore {key} --revision N` makes a"
        " good one the newest.",
    ),
    Invariant(
        "content_digest_mismatch",
        Area.PAGES,
        Severity.ERROR,
        "The {entity} {key} is not what was kept: its title, kind, summary, provenance or sources"
        " changed.",
        "Look for a revision that is sound; `lwc page restore SLUG --revision N` makes it the"
        " newest. Else `lwc checkpoint restore NAME`.",
    ),
    Invariant(
        "page_sources_differ",
        Area.PAGES,
        Severity.ERROR,
        "Page {key} cites {cited} in its text, and other sources are kept for it: {kept}.",
        "Put it back as it was: `lwc page history {key}`, then `lwc page restore {key} --revision"
        " N`.",
    ),
    Invariant(
        "page_links_stale",
        Area.PAGES,
        Severity.WARNING,
        "The links kept for page {key} are not those in its text.",
        _REPAIR,
        derived=True,
    ),
    Invariant(
        "page_citations_stale",
        Area.PAGES,
        Severity.WARNING,
        "The citations kept for page {key} are not what its text and its sources say: {what}.",
        _REPAIR,
        derived=True,
    ),
    Invariant(
        "page_notes_stale",
        Area.PAGES,
        Severity.WARNING,
        "What lint reads of page {key} is not what its text says.",
        _REPAIR,
        derived=True,
    ),
    Invariant(
        "changeset_inconsistent",
        Area.DRAFTS,
        Severity.ERROR,
        "The changeset {name} is {status}, and {what}.",
        "See it with `lwc changeset show {key}`.",
    ),
    Invariant(
        "changeset_leftover",
        Area.DRAFTS,
        Severity.ERROR,
        "The changeset {name} has ended, and rows of its draft are still in {table} ({rows}).",
    ),
    Invariant(
        "staged_without_entity",
        Area.DRAFTS,
        Severity.ERROR,
        "The draft {name} holds rows in {table} ({rows}) of what it has not touched.",
        "See the draft with `lwc changeset diff {name} --stat`; `lwc changeset discard {name}` ends"
        " it.",
    ),
    Invariant(
        "inverse_damaged",
        Area.DRAFTS,
        Severity.ERROR,
        "What was kept to undo the changeset {name} is damaged: {what}.",
        "It cannot be rolled back; `lwc page restore SLUG --revision N` undoes single pages.",
    ),
    Invariant(
        "search_index_missing",
        Area.INDEX,
        Severity.ERROR,
        "Search cannot find {entity} {key}: the index does not hold it.",
        _REPAIR,
        derived=True,
    ),
    Invariant(
        "search_index_orphan",
        Area.INDEX,
        Severity.ERROR,
        "The search index holds {entity} {key}, which is not there.",
        _REPAIR,
        derived=True,
    ),
    Invariant(
        "search_index_differs",
        Area.INDEX,
        Severity.ERROR,
        "The search index holds other words for {entity} {key} than it has.",
        _REPAIR,
        derived=True,
    ),
    Invariant(
        "search_index_miscounted",
        Area.INDEX,
        Severity.ERROR,
        "The search index of {key} counts wrong, so that results come in a wrong order.",
        _REPAIR,
        derived=True,
    ),
    Invariant(
        "projection_pending",
        Area.FILES,
        Severity.INFO,
        "{behind} pages, sources or texts changed since they were last written as Markdown files.",
        "Write the files: `lwc maintenance materialize`.",
    ),
    Invariant(
        "projection_differs",
        Area.FILES,
        Severity.WARNING,
        "The Markdown file {key} is not as it should be: {what}.",
        _REPAIR,
        derived=True,
    ),
    Invariant(
        "projection_ahead",
        Area.FILES,
        Severity.ERROR,
        "The Markdown files were written at operation {key}, and the wiki ends at {last}: it knows"
        " less than it did.",
    ),
    Invariant(
        "file_exposed",
        Area.FILES,
        Severity.WARNING,
        "Other users may reach {key} (mode {mode}).",
        "Take the rights away: `lwc doctor --repair`.",
        derived=True,
    ),
    Invariant(
        "file_unexpected",
        Area.FILES,
        Severity.WARNING,
        "{key} is {what} where lwc keeps files of its own.",
        "See what it is and move it away.",
    ),
    Invariant(
        "file_leftover",
        Area.FILES,
        Severity.INFO,
        "{key} was left by a command that was stopped at {since}.",
        "Remove it: `lwc doctor --repair`.",
        derived=True,
    ),
    Invariant(
        "log_long",
        Area.FILES,
        Severity.WARNING,
        "The write-ahead log has {bytes} bytes: a command has been reading for long.",
        "End it; the next change shortens the log.",
    ),
    Invariant(
        "filesystem_unsafe",
        Area.FILES,
        Severity.WARNING,
        "{key} is on a {kind} file system, where SQLite's locks cannot be trusted.",
        "Keep the wiki on a local disk.",
    ),
)

BY_CODE: Mapping[str, Invariant] = {row.code: row for row in INVARIANTS}
_RANK = {severity: number for number, severity in enumerate(Severity)}
_PLACE = {row.code: number for number, row in enumerate(INVARIANTS)}


def ordered(flaws: list[Flaw]) -> list[Flaw]:
    """Flaws with the worst first, then in the order of the rows, then as they were found."""
    return sorted(flaws, key=lambda flaw: (_RANK[BY_CODE[flaw.code].severity], _PLACE[flaw.code]))


def sound(flaws: list[Flaw]) -> bool:
    """Whether all that must hold does: warnings and infos want a look and leave a wiki sound."""
    return not any(BY_CODE[flaw.code].severity is Severity.ERROR for flaw in flaws)
