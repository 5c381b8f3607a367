"""Problems with changesets: drafts, their publication and their rollback."""

from __future__ import annotations

from lwc.errors.problem import Exit, Problem

CHANGESET_NAME_INVALID = Problem(
    "changeset_name_invalid",
    "A changeset name is one word of letters, digits, `-`, `_` and `.`, at most 80 bytes.",
    "Choose such a name.",
    Exit.BAD_INPUT,
    reason="invalid_name",
)
CHANGESET_NOT_FOUND = Problem(
    "changeset_not_found",
    "There is no changeset {name}.",
    "See `lwc changeset list`; begin one with `lwc changeset draft {name}`, or leave --changeset "
    "(and LWC_CHANGESET) out to work on the live wiki.",
    Exit.NOT_FOUND,
)
CHANGESET_EXISTS = Problem(
    "changeset_exists",
    "There is a draft {name} already.",
    "Look at it with `lwc changeset show {name}`; work on it with --changeset {name}, or choose another name.",
    Exit.CONFLICT,
)
CHANGESET_ENDED = Problem(
    "bad_state",
    "The changeset {name} is no draft any more: it is {status}.",
    "Begin another with `lwc changeset draft`; `lwc changeset show {changeset}` tells what became of this one.",
    Exit.CONFLICT,
    reason="changeset_ended",
)
CHANGESET_NOT_PUBLISHED = Problem(
    "bad_state",
    "The changeset {name} was not published: it is {status}.",
    "Only a published changeset can be verified or rolled back; `lwc changeset list` shows them.",
    Exit.CONFLICT,
    reason="changeset_not_published",
)
CHANGESET_VERIFICATION_FAILED = Problem(
    "changeset_verification_failed",
    "The published changeset {name} does not hold on the live wiki: {what}.",
    "Mend what `lwc changeset show {changeset}` tells and verify again, or undo the publication with "
    "`lwc changeset rollback {changeset}`.",
    Exit.GATED,
)
CHANGESET_EMPTY = Problem(
    "changeset_empty",
    "Nothing is staged in the draft {name}.",
    "Stage changes with --changeset {name}, or end it with `lwc changeset discard {name}`.",
    Exit.CONFLICT,
)
CHANGESET_COMMAND_UNSUPPORTED = Problem(
    "changeset_command_unsupported",
    "`lwc {command}` cannot be staged in a draft: {why}.",
    "Leave --changeset (and LWC_CHANGESET) out to run it on the live wiki.",
    Exit.USAGE,
)
CHANGESET_RECORD_UNSUPPORTED = Problem(
    "changeset_record_unsupported",
    "`lwc {command} --record` cannot be staged in a draft: it would enter in the journal what the live wiki never answered.",
    "Leave --record out, or leave --changeset (and LWC_CHANGESET) out to record it on the live wiki.",
    Exit.USAGE,
)
CHANGESET_CONFLICT = Problem(
    "changeset_conflict",
    "The draft {name} cannot be published, for live has moved on since it was staged: {what}.",
    "Keep what is live: see both texts and take over the rest with `lwc changeset rebase {name}`, then mend or drop what it names.",
    Exit.CONFLICT,
)
CHANGESET_LINT_FAILED = Problem(
    "changeset_lint_failed",
    "The draft {name} brings or touches lint errors ({count}): {what}.",
    "Mend them (`lwc lint --changeset {name} --severity error`), or publish with --allow-lint-issues --reason TEXT.",
    Exit.GATED,
)
CHANGESET_LINT_OVERRIDE_INVALID = Problem(
    "changeset_lint_override_invalid",
    "--allow-lint-issues and --reason (and --findings) belong together, and the reason may not be blank.",
    "Give both, or neither.",
    Exit.USAGE,
)
CHANGESET_FINDINGS_CHANGED = Problem(
    "changeset_lint_failed",
    "The lint errors of the draft {name} are not those that --findings names.",
    "Look at them again with `lwc changeset show {name}` and give the digest it shows.",
    Exit.GATED,
    reason="changeset_findings_changed",
)
CHANGESET_CHECK_FAILED = Problem(
    "check_failed",
    "In the draft {name} retrieval checks do not hold: {what}.",
    "See what is found with `lwc check run --changeset {name}`; mend the page or the check.",
    Exit.GATED,
)
CHANGESET_CHECK_MISSING = Problem(
    "check_missing",
    "The policy asks for retrieval checks, and pages that the draft {name} touches have none that suffice: {what}.",
    "Add an original query and a paraphrase with `lwc check add SLUG --query … --paraphrase … --changeset {name}`.",
    Exit.GATED,
)
CHANGESET_COMPLETION_REFUSED = Problem(
    "changeset_completion_refused",
    "Jobs that the draft {name} completes cannot be completed now: {what}.",
    "See what each lacks with `lwc ingest show ID --changeset {name}`, mend it, or drop the completion with `lwc changeset drop {name} --job ID`.",
    Exit.GATED,
)
CHANGESET_ENTITY_NOT_STAGED = Problem(
    "changeset_entity_not_staged",
    "The changeset {name} does not touch {what}.",
    "`lwc changeset diff {name} --stat` lists what it touches.",
    Exit.NOT_FOUND,
)
CHANGESET_ENTITY_NEEDED = Problem(
    "changeset_entity_needed",
    "From the draft {name} {what} cannot be dropped: {needs}.",
    "Drop or change those first; `lwc changeset diff {name} --stat` lists what is staged.",
    Exit.CONFLICT,
)
CHANGESET_DROP_ONE = Problem(
    "usage_error",
    "One thing is dropped at a time; {count} were named.",
    "Give just one of --slug, --source, --job, --schema, --purpose, --path and --check.",
    Exit.USAGE,
    reason="changeset_drop_one",
)
CHANGESET_RESOLVED_INVALID = Problem(
    "usage_error",
    "--resolved takes SLUG=REVISION, each name once; {given} is none.",
    "Name a conflict as `lwc changeset rebase` does, with the live revision that it tells.",
    Exit.USAGE,
    reason="changeset_resolved_invalid",
)
CHANGESET_ROLLBACK_CONFLICT = Problem(
    "changeset_rollback_conflict",
    "The changeset {name} cannot be rolled back: {what} changed since it was published.",
    "Later work is kept: restore single pages with `lwc page restore SLUG --revision N` instead.",
    Exit.CONFLICT,
)
CHANGESET_CORRUPT = Problem(
    "changeset_corrupt",
    "What was kept to undo the changeset {name} is damaged: {what}.",
    "Nothing was changed. Restore a checkpoint (`lwc checkpoint list`) or single pages with `lwc page restore`.",
    Exit.INTERNAL,
)
JOB_PINNED = Problem(
    "job_pinned",
    "The completion of job {job} is staged in the draft {name}, which holds the job until it ends.",
    "Publish or discard the draft, or take the completion back with `lwc changeset drop {name} --job {job}`.",
    Exit.CONFLICT,
)
