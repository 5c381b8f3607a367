"""Files that are read: why one is not taken."""

from __future__ import annotations

from lwc.errors.problem import Exit, Problem

FILE_NOT_FOUND = Problem(
    "io_error",
    "There is no file {path}.",
    "Check the path; it is taken from the current folder.",
    Exit.NOT_FOUND,
    reason="source_file_not_found",
)
FILE_UNREADABLE = Problem(
    "io_error",
    "{path} cannot be read: {what}.",
    "Check the file's rights.",
    Exit.BAD_INPUT,
    reason="file_unreadable",
)
NOT_A_REGULAR_FILE = Problem(
    "not_a_regular_file",
    "{path} is not a regular file ({kind}).",
    "Give a plain file.",
    Exit.BAD_INPUT,
)
SYMLINK_REFUSED = Problem(
    "symlink_refused",
    "{path} is reached through a symbolic link.",
    "Give the path of the file itself.",
    Exit.BAD_INPUT,
)
HARD_LINK_REFUSED = Problem(
    "external_source_requires_acknowledgement",
    "{path} has another name on this disk (a hard link), which may be outside the project.",
    "Copy the file, or add it with --allow-external-source.",
    Exit.GATED,
    reason="multiple_links",
)
PATH_OUTSIDE_ROOT = Problem(
    "external_source_requires_acknowledgement",
    "{path} is outside the project.",
    "Move it into the project, or add it with --allow-external-source.",
    Exit.GATED,
    reason="path_outside_root",
)
STORE_FILE_REFUSED = Problem(
    "invalid_source_path",
    "{path} belongs to a wiki's own store.",
    "Add the document the wiki was made from instead.",
    Exit.BAD_INPUT,
    reason="store_file_refused",
)
INVALID_SOURCE_PATH = Problem(
    "invalid_source_path",
    "The path {path} cannot be recorded: {what}.",
    "Rename the file with plain UTF-8 characters.",
    Exit.BAD_INPUT,
)
INPUT_TOO_LARGE = Problem(
    "input_too_large",
    "{what} is larger than {most} bytes.",
    "Split it.",
    Exit.BAD_INPUT,
)
SOURCE_TOO_LARGE = Problem(
    "input_too_large",
    "{path} is larger than {most} bytes.",
    "Split it into files of at most 64 MiB.",
    Exit.BAD_INPUT,
    reason="source_too_large",
)
EMPTY_SOURCE = Problem(
    "invalid_input",
    "{path} holds no text.",
    "Give a file with some text in it.",
    Exit.BAD_INPUT,
    reason="empty_source",
)
INVALID_ENCODING = Problem(
    "invalid_utf8",
    "{path} is not UTF-8: byte {offset} cannot be decoded.",
    "Convert it first, for example `iconv -f LATIN1 -t UTF-8`.",
    Exit.BAD_INPUT,
    reason="invalid_encoding",
)
BINARY_SOURCE = Problem(
    "binary_source",
    "{path} holds a NUL byte at {offset}: it is not text.",
    "Convert it to text first.",
    Exit.BAD_INPUT,
)
SOURCE_CHANGED = Problem(
    "source_changed",
    "{path} changed while it was read.",
    "Run the command again when the file is at rest.",
    Exit.CONFLICT,
    retryable=True,
)
STDIN_REFUSED = Problem(
    "invalid_input",
    "A source is a file; standard input has no path to be found again by.",
    "Save it to a file and give its path.",
    Exit.BAD_INPUT,
    reason="stdin_refused",
)
URL_REFUSED = Problem(
    "invalid_input",
    "{path} is a web address; lwc reads files only.",
    "Save the page as text or Markdown first, then add the file.",
    Exit.BAD_INPUT,
    reason="url_refused",
)
