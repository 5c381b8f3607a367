"""Sources and manifests."""

from __future__ import annotations

from lwc.errors.problem import Exit, Problem

SOURCE_NOT_FOUND = Problem(
    "source_not_found",
    "There is no source {source}.",
    "List the sources with `lwc source list`.",
    Exit.NOT_FOUND,
)
SOURCE_IN_USE = Problem(
    "source_in_use",
    "Source {source} is cited by {pages}.",
    "Take the citations out of those pages first: `lwc source refs {source}`.",
    Exit.CONFLICT,
)
SOURCE_CLAIMED = Problem(
    "source_in_use",
    "Source {source} is being ingested by {agent}.",
    "Wait for it, or take the job back: `lwc ingest release {source} --token TOKEN`.",
    Exit.CONFLICT,
    reason="source_claimed",
)
INVALID_SOURCE_DIRECTORY = Problem(
    "invalid_source_directory",
    "{path} is not a folder that can be added: {what}.",
    "Give a real folder with at most 100,000 documents.",
    Exit.BAD_INPUT,
)
NOT_A_DOCUMENT = Problem(
    "not_a_document",
    "{path} cannot be added: {what}.",
    "Rename it, give yourself the right to read it, or put a plain file in its place.",
    Exit.BAD_INPUT,
)
PARTIAL_IMPORT = Problem(
    "partial_import",
    "{skipped} of {discovered} files could not be added; the others were.",
    "Mend the files named in the details and run the same command again.",
    Exit.BAD_INPUT,
)
INVALID_MANIFEST = Problem(
    "invalid_manifest",
    "{path} is not a manifest: {what}.",
    'Write {{"sources": [{{"path": "notes.md", "title": "Notes"}}]}}.',
    Exit.BAD_INPUT,
)
EMPTY_MANIFEST = Problem(
    "invalid_manifest",
    "{path} lists no sources.",
    "Name at least one file under `sources`.",
    Exit.BAD_INPUT,
    reason="empty_manifest",
)
DUPLICATE_KEY = Problem(
    "invalid_manifest",
    "{path} says the key {key} twice in one object.",
    "Keep one of them.",
    Exit.BAD_INPUT,
    reason="duplicate_key",
)
MANIFEST_TOO_LARGE = Problem(
    "input_too_large",
    "{path} is larger than a manifest may be ({what}).",
    "Split it: at most 100,000 entries and 16 MiB.",
    Exit.BAD_INPUT,
    reason="manifest_too_large",
)
MANIFEST_ENTRY_REFUSED = Problem(
    "invalid_manifest",
    "Entry {entry} of the manifest has a path that is refused: {what}.",
    "Write a relative path below the manifest's folder, with `/` between its parts.",
    Exit.BAD_INPUT,
    reason="manifest_path_refused",
)
