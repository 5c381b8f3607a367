"""Arguments and options that several commands share, each parsed and refused in one way.

Python's own `int` takes ` 1`, `1_000` and `٣`; here a number is plain digits or a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated

import typer

from lwc.errors import (
    INVALID_OFFSET,
    LIMIT_NOT_A_NUMBER,
    LIMIT_OUT_OF_RANGE,
    NOT_A_CHECK,
    NOT_A_NUMBER,
    NOT_A_REVISION,
)

# The largest id or revision a store can hold.
MOST = 2**63 - 1


class InputFile(str):
    """The path of a text the command takes, or `-` for standard input; `ctx.read(it)`."""

    __slots__ = ()


class Secret(str):
    """A value that is kept out of the journal and out of what a request id stands for."""

    __slots__ = ()


def source_id(value: str | int) -> int:
    """An id of a source or of its job: digits without sign or leading zero, at most 2^63-1."""
    return _positive(value, "A source id")


def check_id(value: str | int) -> int:
    """An id of a check: digits without sign or leading zero, at most 2^63-1."""
    if isinstance(value, int):
        return value
    if not re.fullmatch("[1-9][0-9]{0,18}", value) or int(value) > MOST:
        raise NOT_A_CHECK()
    return int(value)


def revision_id(value: str | int) -> int:
    """A revision as answers tell it; 0 is the revision of a wiki nothing was done to."""
    if isinstance(value, int):
        return value
    if value != "0" and not (re.fullmatch("[1-9][0-9]{0,18}", value) and int(value) <= MOST):
        raise NOT_A_REVISION()
    return int(value)


def bounded(option: str, *, least: int, most: int) -> Callable[[str | int], int]:
    """A parser of whole numbers in a range: other text is misuse, other numbers a refusal."""

    def number(value: str | int) -> int:
        if isinstance(value, int):
            return value
        if not re.fullmatch("-?(0|[1-9][0-9]*)", value):
            raise LIMIT_NOT_A_NUMBER(option=option, least=least, most=most)
        # A number that is too long for any range is not worth converting.
        if len(value) > 20 or not least <= int(value) <= most:
            raise LIMIT_OUT_OF_RANGE(option=option, least=least, most=most)
        return int(value)

    return number


def offset(value: str | int) -> int:
    """Where a list or a text is taken up: 0 or more."""
    if isinstance(value, int):
        return value
    if not re.fullmatch("-?(0|[1-9][0-9]*)", value):
        raise LIMIT_NOT_A_NUMBER(option="The offset", least=0, most=MOST)
    if len(value) > 20 or not 0 <= int(value) <= MOST:
        raise INVALID_OFFSET(most=MOST)
    return int(value)


def _positive(value: str | int, option: str) -> int:
    if isinstance(value, int):
        return value
    if not re.fullmatch("[1-9][0-9]{0,18}", value) or int(value) > MOST:
        raise NOT_A_NUMBER(option=option)
    return int(value)


SourceId = Annotated[int, typer.Argument(parser=source_id, metavar="ID", help="The source's id.")]
SourceIds = Annotated[
    tuple[int, ...],
    typer.Option("--source", parser=source_id, metavar="ID", help="A source it rests on; repeat."),
]
PageSlug = Annotated[str, typer.Argument(metavar="SLUG", help="The page's slug.")]
Limit = Annotated[
    int,
    typer.Option(
        "--limit",
        parser=bounded("--limit", least=1, most=1000),
        metavar="N",
        help="At most so many (1 to 1000).",
    ),
]
Offset = Annotated[
    int, typer.Option("--offset", parser=offset, metavar="N", help="Leave the first N out.")
]
PageRevision = Annotated[
    int | None,
    typer.Option(
        "--if-revision",
        parser=revision_id,
        metavar="N",
        help="Only if the page is still at this revision.",
    ),
]
TextFile = Annotated[
    InputFile,
    typer.Option("--file", parser=InputFile, metavar="FILE|-", help="The text; - reads stdin."),
]
TextArgument = Annotated[
    InputFile, typer.Argument(parser=InputFile, metavar="FILE|-", help="The text; - reads stdin.")
]
ClaimToken = Annotated[
    Secret | None,
    typer.Option(
        "--token",
        parser=Secret,
        metavar="TOKEN",
        envvar="LWC_CLAIM_TOKEN",
        help="The token the claim answered.",
    ),
]
