"""Problems with checkpoints, and with archives of a whole wiki."""

from __future__ import annotations

from lwc.errors.problem import Exit, Problem

CHECKPOINT_NAME_INVALID = Problem(
    "checkpoint_name_invalid",
    "A checkpoint name is one word of letters, digits, `-`, `_` and `.`, at most 80 bytes, "
    "that does not begin as those lwc gives itself ({reserved}).",
    "Choose such a name.",
    Exit.BAD_INPUT,
)
CHECKPOINT_EXISTS = Problem(
    "checkpoint_exists",
    "There is a checkpoint {name} already.",
    "Choose another name; `lwc checkpoint show {name}` tells what that one is.",
    Exit.CONFLICT,
)
CHECKPOINT_NOT_FOUND = Problem(
    "checkpoint_not_found",
    "There is no checkpoint {name}.",
    "`lwc checkpoint list` shows those that there are.",
    Exit.NOT_FOUND,
)
CHECKPOINT_INVALID = Problem(
    "checkpoint_invalid",
    "The checkpoint {name} cannot be used: {what}.",
    "Nothing was changed. `lwc checkpoint list` shows the others.",
    Exit.CONFLICT,
)
CHECKPOINT_NEWER = Problem(
    "unsupported_store_version",
    "The checkpoint {name} was made by a newer lwc (schema {found}; this one knows {known}).",
    "Upgrade lwc: `pip install --upgrade lwc-wiki`.",
    Exit.CONFLICT,
    reason="checkpoint_newer",
)
CHECKPOINT_FOREIGN = Problem(
    "checkpoint_foreign",
    "The checkpoint {name} is of another wiki.",
    "Nothing was changed. `lwc import FILE` makes a wiki of a checkpoint's file, in a folder of its own.",
    Exit.CONFLICT,
)
CHECKPOINT_DIVERGED = Problem(
    "checkpoint_foreign",
    "The checkpoint {name} is of a copy of this wiki that was changed by itself.",
    "Nothing was changed. `lwc import FILE` makes a wiki of a checkpoint's file, in a folder of its own.",
    Exit.CONFLICT,
    reason="checkpoint_diverged",
)
REQUEST_UNDONE = Problem(
    "request_id_reused",
    "What the request id {request_id} did ({command}) was taken back: a checkpoint was restored "
    "at revision {revision}.",
    "Look whether it is still wanted; if it is, use a fresh request id.",
    Exit.CONFLICT,
    reason="request_undone",
)
STORE_EXISTS = Problem(
    "store_exists",
    "There is a wiki here already.",
    "Import into a folder without one; to go back in this wiki, use `lwc checkpoint restore NAME`.",
    Exit.CONFLICT,
)
STORE_LOG_LEFT = Problem(
    "store_exists",
    "The log of an earlier wiki is still here: {path}.",
    "Move it to where its database went; a new wiki would be read with what it says.",
    Exit.CONFLICT,
    reason="store_log_left",
)
ARCHIVE_EXISTS = Problem(
    "io_error",
    "{path} is there already.",
    "Choose another name: an export never takes the place of a file.",
    Exit.CONFLICT,
    reason="archive_exists",
)
ARCHIVE_UNWRITABLE = Problem(
    "io_error",
    "The archive {path} could not be written: {what}.",
    "Nothing was left behind. Make room, or choose a folder that may be written.",
    Exit.INTERNAL,
    reason="archive_not_written",
)
ARCHIVE_NOT_FOUND = Problem(
    "io_error",
    "{path} cannot be read: {what}.",
    "Give the file that `lwc export FILE` made, or a checkpoint's.",
    Exit.NOT_FOUND,
    reason="archive_not_found",
)
ARCHIVE_INVALID = Problem(
    "archive_invalid",
    "{path} is no archive that can be trusted: {what}.",
    "Nothing was made. Export the wiki again, or take another copy of the archive.",
    Exit.BAD_INPUT,
)
ARCHIVE_NEWER = Problem(
    "unsupported_store_version",
    "{path} was made by a newer lwc (schema {found}; this one knows {known}).",
    "Upgrade lwc: `pip install --upgrade lwc-wiki`.",
    Exit.CONFLICT,
    reason="archive_newer",
)
