"""Ingest jobs, claims and the gates of completion."""

from __future__ import annotations

from lwc.errors.problem import Exit, Problem

JOB_NOT_FOUND = Problem(
    "ingest_job_not_found",
    "There is no ingest job {job}.",
    "List the jobs with `lwc ingest list`.",
    Exit.NOT_FOUND,
)
ILLEGAL_TRANSITION = Problem(
    "invalid_ingest_state",
    "Job {job} is {state}; {event} needs it to be {expected}.",
    "See what the job allows with `lwc ingest show {job}`.",
    Exit.CONFLICT,
    reason="bad_state",
)
CLAIM_REQUIRED = Problem(
    "invalid_ingest_state",
    "Job {job} is {state}; {event} needs a claim.",
    "Claim it first with `lwc ingest claim {job}`.",
    Exit.CONFLICT,
    reason="claim_required",
)
INVALID_INGEST_STATUS = Problem(
    "invalid_ingest_status",
    "{status} is not a state of a job; they are {known}.",
    "Use one of those with --status.",
    Exit.BAD_INPUT,
)
CLAIM_LOST = Problem(
    "claim_lost",
    "Job {job} is not held by this claim.",
    "Nothing was changed. Details tell who holds it; repeating a claim replaced its token. Take"
    " another job with `lwc ingest next`.",
    Exit.CONFLICT,
)
CLAIM_TOKEN_REQUIRED = Problem(
    "claim_token_required",
    "Job {job} can only be worked on with its claim token.",
    "Give --token or set LWC_CLAIM_TOKEN to what the claim answered.",
    Exit.CONFLICT,
)
SOURCE_NOT_FULLY_READ = Problem(
    "source_not_fully_read",
    "{missing_chars} characters of source {job} were not read in this attempt.",
    "Read on with `lwc ingest read {job}`, or say why not with --unread-reason.",
    Exit.GATED,
)
SOURCE_SUMMARY_MISSING = Problem(
    "source_summary_missing",
    "No page of kind source cites source {job}.",
    "Write one: `lwc page put SLUG --kind source --source {job} --title T --file F`.",
    Exit.GATED,
    reason="not_cited",
)
INTEGRATION_REQUIRED = Problem(
    "ingest_integration_required",
    "Only source pages cite source {job}; nothing was integrated.",
    "Cite it from a concept or entity page, or say why not with --no-derived-pages-reason.",
    Exit.GATED,
)
DERIVED_PAGES_EXIST = Problem(
    "invalid_input",
    "--no-derived-pages-reason was given, but {pages} cite source {job}.",
    "Leave the reason out.",
    Exit.BAD_INPUT,
    reason="derived_pages_exist",
)
PAGES_NOT_TOUCHED = Problem(
    "ingest_pages_not_touched",
    "No page that cites source {job} was written or confirmed since it was claimed.",
    "Write one, or confirm it: `lwc page confirm SLUG --source {job}`.",
    Exit.GATED,
)
CITATION_MISSING = Problem(
    "citation_missing",
    "Source {job} does not hold {count} of the quotes that cite it.",
    "Paste the real text; `lwc page show SLUG` shows the nearest passage of each.",
    Exit.GATED,
)
CITATION_REQUIRED = Problem(
    "citation_required",
    "The source page of source {job} has no quote that is found in the source.",
    'Cite with a footnote: `[^c1]: source:{job} "the words"`.',
    Exit.GATED,
)
ATTEMPTS_EXHAUSTED = Problem(
    "attempts_exhausted",
    "Job {job} was tried {attempts} times, which is the limit.",
    "Start over with `lwc ingest retry {job} --reset --reason WHY`.",
    Exit.CONFLICT,
)
REASON_REQUIRED = Problem(
    "invalid_input",
    "{option} needs --reason.",
    "Say why with --reason; it is kept in the history.",
    Exit.BAD_INPUT,
    reason="reason_required",
)
