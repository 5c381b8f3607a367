"""Lines for a terminal: wrapped between words, never within one; a table only where it fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from lwc import wire

LEAST_ROOM = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Indented:
    """What stands below a heading. Nothing is cropped: a word may be longer than the line."""

    content: RenderableType
    by: int = 2

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.update(max_width=max(options.max_width - self.by, LEAST_ROOM))
        for line in Segment.split_lines(console.render(self.content, room)):
            yield Segment(" " * self.by)
            yield from line
            yield Segment.line()


@dataclass(frozen=True, slots=True)
class Prose:
    """A text wrapped between words; what stands between backticks is a command and stays whole.

    A word longer than the line is left to the terminal, which keeps it one word when it is copied.
    With `whole` nothing is wrapped at all. `hang` indents every line but the first.
    """

    text: Text
    hang: int = 0
    whole: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        hang = self.hang if options.max_width - self.hang >= LEAST_ROOM else 0
        for line in self.text.split("\n", allow_blank=True):
            line.expand_tabs(8)
            pieces = [line] if self.whole else _wrapped(line, options.max_width, hang=hang)
            for number, piece in enumerate(pieces):
                shown = Text(" " * hang if number else "", no_wrap=True, overflow="ignore")
                yield shown.append_text(piece)


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows of texts: a table where each fits on one line, else an entry of some lines for each."""

    rows: Sequence[Mapping[str, Text]]
    columns: Sequence[str]
    numbers: frozenset[str] = frozenset()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = self._table()
        wide = options.update(max_width=100_000)
        if Measurement.get(console, wide, table).maximum <= options.max_width:
            yield table
            return
        for row in self.rows:
            yield self._entry(row)

    def _table(self) -> Table:
        shown = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
        for column in self.columns:
            right = column in self.numbers
            shown.add_column(
                label(column), justify="right" if right else "left", no_wrap=True, overflow="crop"
            )
        for row in self.rows:
            shown.add_row(*(row.get(column, Text()) for column in self.columns))
        return shown

    def _entry(self, row: Mapping[str, Text]) -> RenderableType:
        """The first field leads; short ones stand beside it, sentences below it."""
        first, *rest = [column for column in self.columns if row.get(column)]
        head = Text().append(row[first].plain, "green")
        sentences = []
        for column in rest:
            value = row[column]
            if " " in value.plain and cell_len(value.plain) > LEAST_ROOM:
                sentences.append(Indented(content=Prose(value)))
                continue
            head.append("  ")
            head.append(f"{label(column)} ", "dim")
            head.append_text(value)
        return Group(Prose(head, hang=2), *sentences)


def words(value: Any) -> Text:
    """One value as text that no terminal obeys."""
    if value is None:
        return Text("–", style="dim")
    if isinstance(value, bool):
        return Text("yes" if value else "no", style="green" if value else "yellow")
    if isinstance(value, dict | list):
        return Text(wire.encode(value, compact=True))
    return Text(wire.visible(str(value)))


def flat(value: Any) -> str:
    """One value on one line, as text that no terminal obeys."""
    return wire.visible(" ".join(str(value).split()))


def moment(value: Any) -> str:
    """A time to the minute, as one word that `--since` takes."""
    return f"{wire.plain(value)[:16]}Z"


def day(value: Any) -> str:
    return str(wire.plain(value)[:10])


def label(name: str) -> str:
    """The name of a field as it is read."""
    return flat(name.replace("_", " "))


def heading(name: str) -> Prose:
    return Prose(Text(label(name), "bold"))


def fields(pairs: Mapping[str, Text], *, whole: frozenset[str] = frozenset()) -> Group:
    """A line for each name and value; those that are `whole` are never wrapped."""
    width = max((cell_len(label(name)) for name in pairs), default=0) + 2
    return Group(
        *(
            Prose(
                Text().append(f"{label(name):<{width}}", "cyan").append_text(value),
                hang=width,
                whole=name in whole,
            )
            for name, value in pairs.items()
        )
    )


def counted(count: int, noun: str) -> str:
    """So many of them."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def facts(*told: str) -> str:
    """Facts side by side; the empty ones are left out."""
    return " · ".join(fact for fact in told if fact)


def _wrapped(line: Text, width: int, *, hang: int) -> list[Text]:
    plain, cuts, used, room = line.plain, [], 0, width
    for start, end in _words(plain):
        size = cell_len(plain[start:end].rstrip(" "))
        if used and size and used + size > room:
            cuts.append(start)
            used, room = 0, width - hang
        used += cell_len(plain[start:end])
    pieces = list(line.divide(cuts))
    for piece in pieces:
        piece.rstrip()
    return pieces


def _words(plain: str) -> Iterator[tuple[int, int]]:
    """The places of the words, each with the blank behind it."""
    paired, quoted, start = plain.count("`") % 2 == 0, False, 0
    for at, character in enumerate(plain):
        if character == "`" and paired:
            quoted = not quoted
        elif character == " " and not quoted:
            yield start, at + 1
            start = at + 1
    if start < len(plain):
        yield start, len(plain)
