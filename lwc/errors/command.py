"""What is wrong with a command as typed."""

from __future__ import annotations

from lwc.errors.problem import Exit, Problem

USAGE_ERROR = Problem("usage_error", "{what}", "See `lwc {command} --help`.", Exit.USAGE)
UNKNOWN_COMMAND = Problem(
    "usage_error",
    "There is no command {words}.",
    "Try `lwc {instead}`.",
    Exit.USAGE,
    reason="unknown_command",
)
INCOMPLETE_COMMAND = Problem(
    "usage_error",
    "{what}",
    "See `lwc {instead}`.",
    Exit.USAGE,
    reason="incomplete_command",
)
NOT_A_NUMBER = Problem(
    "usage_error",
    "{option} takes a whole number written in plain digits.",
    "Give an id such as 12; list them with `lwc source list`.",
    Exit.USAGE,
    reason="not_a_number",
)
INTERRUPTED = Problem(
    "interrupted",
    "The command was interrupted by {signal}.",
    "Run it again; with the same --request-id it tells whether it had been done.",
    Exit.INTERNAL,
    retryable=True,
)
INTERNAL_ERROR = Problem(
    "internal_error",
    "lwc met something it does not know how to handle: {kind}.",
    "Run it again with -v for the traceback, and report it.",
    Exit.INTERNAL,
)
LIMIT_NOT_A_NUMBER = Problem(
    "usage_error",
    "{option} takes a whole number from {least} to {most}, written in plain digits.",
    "Give a number in that range.",
    Exit.USAGE,
    reason="limit_out_of_range",
)
NOT_A_REVISION = Problem(
    "usage_error",
    "A revision is a whole number written in plain digits.",
    "Give the revision that was read; every answer that can be written against tells it.",
    Exit.USAGE,
    reason="not_a_revision",
)
OUTPUT_NOT_WRITTEN = Problem(
    "io_error",
    "The answer could not be written: {what}.",
    "Make room and ask again; a change that was made stands, and its --request-id shows it.",
    Exit.INTERNAL,
    reason="output_not_written",
)
LIMIT_OUT_OF_RANGE = Problem(
    "invalid_limit",
    "{option} must be from {least} to {most}.",
    "Give a number in that range.",
    Exit.BAD_INPUT,
    reason="limit_out_of_range",
)
INVALID_OFFSET = Problem(
    "invalid_offset",
    "The offset must be from 0 to {most}.",
    "Begin with offset 0 and go on from there while `has_more` is true.",
    Exit.BAD_INPUT,
)
BLANK = Problem(
    "invalid_input",
    "{field} must not be blank.",
    "Give some text for it.",
    Exit.BAD_INPUT,
    reason="blank",
)
TOO_LONG = Problem(
    "invalid_input",
    "{field} is longer than {most} characters.",
    "Shorten it.",
    Exit.BAD_INPUT,
    reason="too_long",
)
UNSAFE_CHARACTERS = Problem(
    "invalid_input",
    "{field} holds a character that cannot be kept: {character}.",
    "Remove control, NUL and surrogate characters.",
    Exit.BAD_INPUT,
    reason="unsafe_characters",
)
INVALID_TIME = Problem(
    "invalid_input",
    "{value} is not a time.",
    "Write it as 2026-11-30 or 2026-11-30T18:00:00Z.",
    Exit.BAD_INPUT,
    reason="invalid_time",
)
INVALID_REQUEST_ID = Problem(
    "invalid_input",
    "A request id is 1 to 128 printable ASCII characters without spaces.",
    "Use a fresh UUID for each command.",
    Exit.BAD_INPUT,
    reason="invalid_request_id",
)
REQUEST_ID_REUSED = Problem(
    "request_id_reused",
    "The request id {request_id} was used for another command: {command}.",
    "Use a fresh request id for each command; repeat one only to ask whether it was done.",
    Exit.CONFLICT,
)
STALE_REVISION = Problem(
    "stale_revision",
    "The wiki is at revision {found}, not {expected}.",
    "Read again what the command rests on; `lwc log` tells what changed.",
    Exit.CONFLICT,
)
INVALID_AGENT = Problem(
    "invalid_input",
    "An agent name is 1 to 128 printable characters.",
    "Set a short name with --agent or LWC_AGENT.",
    Exit.BAD_INPUT,
    reason="invalid_agent",
)
