"""The coverage of a source drawn for people: bars of text, or a fragment of HTML."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from unicodedata import east_asian_width

from lwc import wire
from lwc.services.coverage import Coverage, Covered, PageCoverage

WIDTH = 60
# A bar shorter than this tells little: then it stands on a line of its own.
WIDTH_LEAST = 24
COLUMNS = 100
NONE, SOME, ALL = "·", "▒", "█"


@dataclass(frozen=True, slots=True)
class Row:
    """A bar to be drawn: whose it is, and what is told behind it."""

    name: str
    covered: Covered
    quotes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How wide the column of names and the bars are; without a column names stand above."""

    name: int | None
    bar: int


def as_text(coverage: Coverage, *, columns: int = COLUMNS) -> str:
    """One bar for what was read, one for what is cited, and one for each page that cites.

    As far as names allow, no line is wider than `columns`.
    """
    source, total = coverage.source, coverage.total_chars
    read = [Row(name, covered, "") for name, covered in _bars(coverage)]
    pages = [Row(_line(page.slug), page.cited, _quotes(page)) for page in coverage.pages]
    room = _room([*read, *pages], columns=columns)
    lines = [
        f"Source {source.id}: {_line(source.title)}",
        f"{_line(source.path)}, {total:,} characters",
        "",
        *(line for row in read for line in _drawn(row, total, room=room)),
        "",
        "Cited by" if pages else "No page cites it.",
        *(line for row in pages for line in _drawn(row, total, room=room)),
        "",
        f"{ALL} all  {SOME} some  {NONE} none of the text at that place",
    ]
    return "\n".join(lines) + "\n"


def as_html(coverage: Coverage) -> str:
    """The same as a fragment of HTML: complete in itself, without scripts, styles or links."""
    source = coverage.source
    rows = [
        *((name, "", covered) for name, covered in _bars(coverage)),
        *((page.slug, f"{page.title} — {_quotes(page)}", page.cited) for page in coverage.pages),
    ]
    total = coverage.total_chars
    cells = "\n".join(
        f'<tr><th scope="row" title="{escape(_line(title))}">{escape(_line(name))}</th>'
        f"<td>{_svg(covered, total)}</td><td>{percent(covered.chars, total)}</td></tr>"
        for name, title, covered in rows
    )
    return (
        '<section class="lwc-coverage">\n'
        f"<h2>Source {source.id}: {escape(_line(source.title))}</h2>\n"
        f"<p>{escape(_line(source.path))}, {coverage.total_chars:,} characters</p>\n"
        f"<table>\n{cells}\n</table>\n</section>\n"
    )


def percent(part: int, whole: int) -> str:
    """A share in whole percents; only all is 100, and only nothing is 0."""
    if 0 < part * 100 < whole:
        return "<1 %"
    return f"{part * 100 // whole} %"


def bar(covered: Covered, total: int, *, width: int = WIDTH) -> str:
    """The text from its begin to its end in `width` cells."""
    amounts = [0] * width
    # In units of 1/width of a character a cell is `total` wide, and nothing is rounded.
    for span in covered.ranges:
        start, end = span.start * width, min(span.end, total) * width
        for cell in range(start // total, min(-(-end // total), width)):
            amounts[cell] += min(end, (cell + 1) * total) - max(start, cell * total)
    return "".join(ALL if had >= total else SOME if had else NONE for had in amounts)


def _bars(coverage: Coverage) -> list[tuple[str, Covered]]:
    bars = [("read", coverage.delivered), ("cited", coverage.cited)]
    if coverage.delivered_ever != coverage.delivered:
        bars.insert(1, ("read ever", coverage.delivered_ever))
    return bars


def _room(rows: list[Row], *, columns: int) -> Room:
    """Names beside the bars where both have room, else above them."""
    name = max(_cells(row.name) for row in rows)
    quotes = max(len(row.quotes) for row in rows)
    rest = columns - name - quotes - len("     100 %  ")
    if rest >= WIDTH_LEAST:
        return Room(name=name, bar=min(rest, WIDTH))
    return Room(name=None, bar=max(min(columns - len("     100 %"), WIDTH), WIDTH_LEAST))


def _drawn(row: Row, total: int, *, room: Room) -> list[str]:
    drawn = f"{bar(row.covered, total, width=room.bar)}  {percent(row.covered.chars, total):>5}"
    if room.name is None:
        return [f"{row.name}  {row.quotes}".rstrip(), f"  {drawn}"]
    padded = row.name + " " * (room.name - _cells(row.name))
    return [f"{padded}  {drawn}  {row.quotes}".rstrip()]


def _cells(text: str) -> int:
    """How many cells of a terminal a text takes."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _quotes(page: PageCoverage) -> str:
    states = {
        "exact": page.exact,
        "near": page.near,
        "missing": page.missing,
        "without a quote": page.unquoted,
    }
    told = [f"{count} {state}" for state, count in states.items() if count]
    return ", ".join(told) or "as a whole"


def _svg(covered: Covered, total: int) -> str:
    marks = "".join(
        f'<rect x="{span.start}" width="{span.end - span.start}" height="1" fill="#2a7"/>'
        for span in covered.ranges
    )
    return (
        f'<svg role="img" width="480" height="12" viewBox="0 0 {total} 1"'
        f' preserveAspectRatio="none"><title>{percent(covered.chars, total)}</title>'
        f'<rect width="{total}" height="1" fill="#ddd"/>{marks}</svg>'
    )


def _line(text: str) -> str:
    """Text from outside on one line, with nothing in it that a terminal obeys."""
    return wire.visible(" ".join(text.split()))
