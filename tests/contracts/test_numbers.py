"""Every number a command takes, at the edges of its range and beyond: an answer or a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from typed_commands import LINES, Line
from worlds import World

from lwc.cli import app
from lwc.cli.commands import COMMANDS
from lwc.cli.parameters import MOST
from lwc.errors import (
    INVALID_OFFSET,
    LIMIT_NOT_A_NUMBER,
    LIMIT_OUT_OF_RANGE,
    NOT_A_CHECK,
    NOT_A_NUMBER,
    NOT_A_REVISION,
    LwcError,
    Problem,
)

TEXT = ("abc", "1.0", "1e3", " 1", "1_000", "٣", "", "0x10", "9" * 5000 + "x")
BEYOND = (str(MOST + 1), "9" * 30, "9" * 5000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A numeric parameter of a command; the kind is what parses it."""

    command: str
    name: str
    kind: str

    def __str__(self) -> str:
        return f"{self.command} {self.name}"

    def typed(self, line: Line, value: str) -> list[str]:
        """The line with this value; a number that stands in it already is replaced."""
        if self.name.startswith("--"):
            return [*line.argv, f"{self.name}={value}"]
        at = next(at for at, word in enumerate(line.argv) if word.isdigit())
        return [*line.argv[:at], *line.argv[at + 1 :], "--", value]


def numbers() -> Iterator[Number]:
    for row in COMMANDS:
        for parameter in app.build(row).params:
            parser = getattr(parameter.type, "func", None)
            kind = getattr(parser, "__name__", "")
            if kind in KINDS:
                yield Number(command=row[0], name=parameter.opts[0], kind=kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How numbers of a kind are refused: what is no number, and what lies outside."""

    no_number: Problem
    outside: Problem


KINDS = {
    "number": Kind(no_number=LIMIT_NOT_A_NUMBER, outside=LIMIT_OUT_OF_RANGE),
    "offset": Kind(no_number=LIMIT_NOT_A_NUMBER, outside=INVALID_OFFSET),
    "check_id": Kind(no_number=NOT_A_CHECK, outside=NOT_A_CHECK),
    "source_id": Kind(no_number=NOT_A_NUMBER, outside=NOT_A_NUMBER),
    "revision_id": Kind(no_number=NOT_A_REVISION, outside=NOT_A_REVISION),
}
NUMBERS = tuple(numbers())


def the_line(command: str) -> Line:
    return next(line for line in LINES if line.command == command)


def bounds(number: Number, line: Line) -> tuple[int, int]:
    """The least and the most that is taken, as the refusal of a word tells them."""
    if number.kind in ("source_id", "check_id"):
        return 1, MOST
    if number.kind == "revision_id":
        return 0, MOST
    details = refusal(number.typed(line, "abc")).details
    return details["least"], details["most"]


def refusal(argv: list[str]) -> LwcError:
    with pytest.raises(LwcError) as caught:
        app.parse(argv)
    return caught.value


def test_all_kinds_are_met() -> None:
    assert {number.kind for number in NUMBERS} == set(KINDS)


@pytest.mark.parametrize("number", NUMBERS, ids=str)
def test_what_is_no_number_in_its_range_is_refused_before_anything_is_opened(
    number: Number,
) -> None:
    line, kind = the_line(number.command), KINDS[number.kind]
    least, most = bounds(number, line)
    for value in TEXT:
        assert refusal(number.typed(line, value)).problem is kind.no_number, value
    for value in (str(least - 1), str(most + 1), "-1", *BEYOND):
        assert refusal(number.typed(line, value)).problem is kind.outside, value


@pytest.mark.parametrize("number", NUMBERS, ids=str)
def test_the_ends_of_the_range_are_answered(number: Number, world: World) -> None:
    line = the_line(number.command)
    least, most = bounds(number, line)
    for before in line.before:
        world.do(*before)
    for value in dict.fromkeys((least, 1, most)):
        if not least <= value <= most:
            continue
        done = world.lwc(*number.typed(line, str(value)), stdin=line.stdin)
        # Two things dropped at once: the number was read, and is one of the two.
        if done.status and done.error["reason"] != "changeset_drop_one":
            assert done.error["code"] != "internal_error", value
            assert done.status in (3, 4, 5, 6), (value, done.err)
            assert done.error["code"] not in ("invalid_limit", "usage_error"), (value, done.err)
