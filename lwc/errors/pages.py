"""Pages, slugs, citations and edits."""

from __future__ import annotations

from lwc.errors.problem import Exit, Problem

INVALID_SLUG = Problem(
    "invalid_slug",
    "{slug} is not a slug: {what}.",
    "Use letters, digits, `-`, `_`, `.` and single inner spaces, at most 80 characters.",
    Exit.BAD_INPUT,
)
SLUG_RESERVED = Problem(
    "slug_reserved",
    "{slug} is a reserved name.",
    "Choose another slug.",
    Exit.BAD_INPUT,
)
SLUG_COLLISION = Problem(
    "slug_collision",
    "{slug} is the same name as the page {existing}.",
    "Write to that page, or choose another slug.",
    Exit.CONFLICT,
)
SLUG_RENAMED = Problem(
    "slug_renamed",
    "{slug} was renamed to {now}.",
    "Write to `{now}`; reads and links follow the old name.",
    Exit.CONFLICT,
)
PAGE_NOT_FOUND = Problem(
    "page_not_found",
    "There is no page {slug}.",
    "Find it with `lwc search {slug}` or list the pages with `lwc page list`.",
    Exit.NOT_FOUND,
)
PAGE_IN_USE = Problem(
    "page_in_use",
    "{pages} link to {slug}.",
    "Take those links out first: `lwc page links {slug}`.",
    Exit.CONFLICT,
    reason="inbound_links",
)
PAGE_REVISION_CONFLICT = Problem(
    "page_revision_conflict",
    "{slug} is at revision {current}, not {expected}.",
    "Read it again with `lwc page show {slug}` and write against what is there now.",
    Exit.CONFLICT,
)
PAGE_REVISION_NOT_FOUND = Problem(
    "revision_not_found",
    "{slug} has no revision {revision}.",
    "See its revisions with `lwc page history {slug}`.",
    Exit.NOT_FOUND,
    reason="page_revision_not_found",
)
EMPTY_BODY = Problem(
    "invalid_input",
    "The page body holds no text.",
    "Give the body with --file F or on standard input with --file -.",
    Exit.BAD_INPUT,
    reason="empty_body",
)
UNKNOWN_KIND = Problem(
    "invalid_kind",
    "{kind} is not a kind of page; they are {known}.",
    "Use --kind {suggestion}, or list the kind in the schema's front matter under `kinds:`.",
    Exit.BAD_INPUT,
)
INVALID_PROVENANCE = Problem(
    "invalid_provenance",
    "{provenance} is not a provenance; they are user-provided, agent-observed and hypothesis.",
    "Use one of those.",
    Exit.BAD_INPUT,
)
INVALID_SPAN = Problem(
    "invalid_span",
    "The footnote {label} names a range that cannot be: {span}.",
    'Write it as `source:12#1840-1902 "…"`, start before end, or leave the range out.',
    Exit.BAD_INPUT,
)
TOO_MANY = Problem(
    "input_too_large",
    "The page has more than {most} {what}.",
    "Split the page.",
    Exit.BAD_INPUT,
    reason="too_many",
)
INVALID_EDITS = Problem(
    "invalid_edits",
    "The edits cannot be read: {what}.",
    'Write a JSON list of {{"old": "…", "new": "…"}}.',
    Exit.BAD_INPUT,
)
EDIT_NOT_UNIQUE = Problem(
    "edit_not_unique",
    "The old text of edit {edit} occurs {count} times in {slug}.",
    "Copy it from `lwc page show {slug}`, with enough around it that it occurs exactly once.",
    Exit.CONFLICT,
)
INVALID_PAGES_FILE = Problem(
    "invalid_pages_file",
    "Line {line} of the pages file cannot be read: {what}.",
    'Write one JSON object a line: {{"slug": "…", "title": "…", "body": "…"}}.',
    Exit.BAD_INPUT,
)
NOT_CITED_BY_PAGE = Problem(
    "source_not_cited",
    "{slug} does not cite source {source}.",
    "Write the citation with `lwc page put`, or confirm a page that cites it.",
    Exit.CONFLICT,
)
