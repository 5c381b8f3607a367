"""The coverage of a source drawn for people: bars of text, or a fragment of HTML."""

from __future__ import annotations

from html import escape

from lwc import wire
from lwc.services.coverage import Coverage, Covered, PageCoverage

WIDTH = 60
NONE, SOME, ALL = "·", "▒", "█"


def as_text(coverage: Coverage) -> str:
    """One bar for what was read, one for what is cited, and one for each page that cites."""
    source = coverage.source
    bars, pages = _bars(coverage), coverage.pages
    width = max(len(_line(name)) for name in [*dict(bars), *(page.slug for page in pages)])
    lines = [
        f"Source {source.id}: {_line(source.title)}",
        f"{_line(source.path)}, {coverage.total_chars:,} characters",
        "",
        *(_row(name, covered, coverage.total_chars, width) for name, covered in bars),
        "",
        "Cited by" if pages else "No page cites it.",
        *(
            f"{_row(page.slug, page.cited, coverage.total_chars, width)}  {_quotes(page)}"
            for page in pages
        ),
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


def bar(covered: Covered, total: int) -> str:
    """The text from its begin to its end in `WIDTH` cells."""
    amounts = [0] * WIDTH
    # In units of 1/WIDTH of a character a cell is `total` wide, and nothing is rounded.
    for span in covered.ranges:
        start, end = span.start * WIDTH, min(span.end, total) * WIDTH
        for cell in range(start // total, min(-(-end // total), WIDTH)):
            amounts[cell] += min(end, (cell + 1) * total) - max(start, cell * total)
    return "".join(ALL if had >= total else SOME if had else NONE for had in amounts)


def _bars(coverage: Coverage) -> list[tuple[str, Covered]]:
    bars = [("read", coverage.delivered), ("cited", coverage.cited)]
    if coverage.delivered_ever != coverage.delivered:
        bars.insert(1, ("read ever", coverage.delivered_ever))
    return bars


def _row(name: str, covered: Covered, total: int, width: int) -> str:
    return f"{_line(name):<{width}}  {bar(covered, total)}  {percent(covered.chars, total):>5}"


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
