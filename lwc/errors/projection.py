"""The Markdown projection: why a full run of it could not be done."""

from __future__ import annotations

from lwc.errors.problem import Exit, Problem

PROJECTION_BUSY = Problem(
    "artifact_busy",
    "Another command was still writing the Markdown files after {seconds} seconds.",
    "Run the same command again.",
    Exit.BUSY,
    retryable=True,
    reason="projection_busy",
)
PROJECTION_INCOMPLETE = Problem(
    "artifact_write_failed",
    "{failed} Markdown files could not be written or removed; the others are as the wiki says.",
    "Clear the way of the files that the details name, then run `lwc maintenance materialize` again.",
    Exit.BAD_INPUT,
    reason="projection_incomplete",
)
PROJECTION_FOLDER_REFUSED = Problem(
    "artifact_write_failed",
    "No Markdown files can be written: {what}.",
    "Check the disk and the rights of `.lwc/`, then run the same command again.",
    Exit.INTERNAL,
    reason="projection_folder_refused",
)
