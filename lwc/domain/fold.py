"""Folds typography away (quotes, dashes, emphasis, line ends) and maps back to the real text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache

# What a stage changes: start and end in its input, and what stands there instead.
Edit = tuple[int, int, str]
Stage = Callable[[str], Iterator[Edit]]

_KANA_AND_HAN = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
WIDE = _KANA_AND_HAN + "\uff66-\uff9f\U00020000-\U0003ffff"
"""Han and kana, for a character class: scripts written without spaces between words."""

NUMERALS = "〇零一二三四五六七八九十百千万萬亿億兆两兩廿卅壹贰叁肆伍陆柒捌玖拾佰仟"
"""Han digits and multipliers, for a character class."""

_WIDE_MARKS = "\u3001-\u3003\u3008-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_SHARED_MARKS = "“”‘’—…·,.;:!?()\"'"
# A letter or digit of a script that has spaces; emphasis and links never join two of them.
_SPACED = rf"[^\W_{WIDE}]"


class Trace:
    """A folded text that knows where each of its characters came from."""

    def __init__(self, text: str, stages: Sequence[Stage]) -> None:
        self._maps: list[_Map] = []
        for stage in stages:
            edits = list(stage(text))
            self._maps.append(_Map(edits))
            text = _rewritten(text, edits)
        self.text = text

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The range of the real text that a range of the folded one stands for."""
        last = end - 1
        until = end
        for edits in reversed(self._maps):
            start = edits.first(start)
            until = edits.beyond(last)
            last = until - 1
        return start, until


def folded(text: str, stages: Sequence[Stage]) -> str:
    """The text after every stage."""
    for stage in stages:
        text = _rewritten(text, list(stage(text)))
    return text


def lowered(text: str) -> str:
    """Lower case, character for character: the length stays."""
    return text.lower().replace("ς", "σ")


class _Map:
    """Positions before and after one stage."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._at: list[int] = []
        shift = 0
        for start, end, put in edits:
            self._at.append(start + shift)
            shift += len(put) - (end - start)

    def first(self, position: int) -> int:
        index = bisect_right(self._at, position) - 1
        if index < 0:
            return position
        start, end, put = self._edits[index]
        inside = position - self._at[index]
        return start if inside < len(put) else end + inside - len(put)

    def beyond(self, position: int) -> int:
        index = bisect_right(self._at, position) - 1
        if index < 0:
            return position + 1
        _, end, put = self._edits[index]
        inside = position - self._at[index]
        return end if inside < len(put) else end + inside - len(put) + 1


def _rewritten(text: str, edits: Sequence[Edit]) -> str:
    if not edits:
        return text
    pieces, at = [], 0
    for start, end, put in edits:
        pieces.append(text[at:start])
        pieces.append(put)
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


# Every run of whitespace is one space: all that an exact quote is forgiven.

_RUN = re.compile(r"\s(?:(?<! )|(?=\s))\s*")  # all but a plain space alone


def _spaces(text: str) -> Iterator[Edit]:
    return ((run.start(), run.end(), " ") for run in _RUN.finditer(text))


# Characters that show nothing.

_INVISIBLE = re.compile("[\u200b\u2060\ufeff]")


def _invisible(text: str) -> Iterator[Edit]:
    if not text.isascii():
        yield from ((found.start(), found.end(), "") for found in _INVISIBLE.finditer(text))


# An inline link or picture becomes its text. Not `list[i](x)`, and not where letters would join.

_LINK = re.compile(
    rf"(?<!{_SPACED})(?<!\])!?\[(?!\^)([^\[\]]{{1,300}})\]"
    r"\(([^()\s]{1,1000})(?:[ \t]\"[^\"\n]{0,300}\")?\)"
    rf"(?!{_SPACED})"
)


def link_targets(text: str) -> tuple[str, ...]:
    """Where the links lead that folding leaves out."""
    return tuple(found.group(2) for found in _LINK.finditer(text)) if "](" in text else ()


def _links(text: str) -> Iterator[Edit]:
    if "](" in text:
        for found in _LINK.finditer(text):
            yield found.start(), found.start(1), ""
            yield found.end(1), found.end(), ""


# Emphasis and code marks go where they come in pairs around words, as Markdown has it. Single ones
# are signs (`*.py`, `_private`, `p < 0.05*`), and between letters or digits they belong to a name.

# Each way begins with a letter that `re` can look for, which is eight times as fast as `*+|_+`.
_SIGN = re.compile(r"``*|\*\**|__*|\n[ \t]*\n")
_OPENS_BEFORE = re.compile(r"""[^\W_]|["'“‘(\[{$<@*_`「『（《【]""")
_CLOSES_AFTER = re.compile(r"""[^\W_]|["'”’)\]}>.,;:!?%…*_`」』）》】。，、；：！？]""")
_SPACED_END = re.compile(_SPACED)
# `__init__` and `__FILE__` are names, whatever Markdown makes of them.
_DUNDER = re.compile("[a-z][a-z0-9_]*|[A-Z][A-Z0-9_]*")


def _emphasis(text: str) -> Iterator[Edit]:
    if not any(sign in text for sign in "`*_"):
        return
    paired: list[tuple[int, int]] = []
    waiting: dict[str, int] = {}
    for found in _SIGN.finditer(text):
        sign, at = found.group(), found.start()
        if sign[0] == "\n":
            waiting.clear()
        elif sign[0] == "`":
            opened = waiting.pop(sign, None)
            if opened is not None and _may_close(text, at, found.end()):
                # What stands in code is no emphasis.
                while paired and paired[-1][0] > opened:
                    paired.pop()
                paired += [(opened, opened + len(sign)), (at, found.end())]
                waiting = {other: start for other, start in waiting.items() if start < opened}
            elif _may_open(text, at, found.end()):
                waiting[sign] = at
        elif len(sign) <= 3:
            if sign in waiting and _may_close(text, at, found.end()):
                opened = waiting.pop(sign)
                if sign == "__" and _DUNDER.fullmatch(text, opened + 2, at):
                    continue
                paired += [(opened, opened + len(sign)), (at, found.end())]
            elif _may_open(text, at, found.end()):
                waiting[sign] = at
    yield from ((start, end, "") for start, end in sorted(paired))


def _may_open(text: str, start: int, end: int) -> bool:
    if start and _SPACED_END.match(text, start - 1):
        return False
    # `2 *3*4`: a product, however it is spaced.
    if start > 1 and text[start - 1].isspace() and text[start - 2].isdecimal():
        return not text[end : end + 1].isdecimal()
    return _OPENS_BEFORE.match(text, end) is not None


def _may_close(text: str, start: int, end: int) -> bool:
    return _CLOSES_AFTER.match(text, start - 1) is not None and not _SPACED_END.match(text, end)


# Whitespace: gone between Han and kana and after the hyphen of a parted word, else one space.

_ANY_WIDE = re.compile(f"[{WIDE}{_WIDE_MARKS}]")
_WIDE_SIDE = f"[{WIDE}{_WIDE_MARKS}{_SHARED_MARKS}]"
_GAP = re.compile(r"\s(?:(?<! )|(?<=[-\u2010] )|(?=\s))\s*")
_WIDE_GAP = re.compile(rf"{_GAP.pattern}|(?<={_WIDE_SIDE}) (?={_WIDE_SIDE})")
_SHARED = frozenset(_SHARED_MARKS)
_NUMERAL = frozenset(NUMERALS)
_HYPHENS = frozenset("-\u2010\u00ad")


def _gaps(text: str) -> Iterator[Edit]:
    wide = not text.isascii() and _ANY_WIDE.search(text) is not None
    for run in (_WIDE_GAP if wide else _GAP).finditer(text):
        start, end = run.span()
        before, after = text[start - 1 : start], text[end : end + 1]
        if (wide and _is_wide_gap(before, after)) or (
            before in _HYPHENS and _is_parted_word(text, start, end)
        ):
            yield start, end, ""
        elif run.group() != " ":
            yield start, end, " "


def _is_wide_gap(before: str, after: str) -> bool:
    if not before or not after or (before in _NUMERAL and after in _NUMERAL):
        return False
    wide_before, wide_after = _ANY_WIDE.match(before), _ANY_WIDE.match(after)
    return bool(
        (wide_before and (wide_after or after in _SHARED)) or (wide_after and before in _SHARED)
    )


def _is_parted_word(text: str, start: int, end: int) -> bool:
    """A hyphen and a line end within a word; who copies it may leave a space. A soft one needs
    the line end: elsewhere it is not seen, and the space is."""
    if text[start - 1] == "\u00ad" and "\n" not in text[start:end]:
        return False
    return text[start - 2 : start - 1].isalpha() and text[end : end + 1].isalpha()


# `--` and `—` are a dash, but not in `--force`, in `i--`, nor before a number, where one would be a
# minus.

_LONG_DASH = re.compile("--{1,3}|——?|――?")
_DASHES = frozenset("-‐‑‒–−—―")


def _long_dashes(text: str) -> Iterator[Edit]:
    if "--" in text or "—" in text or "―" in text:
        for found in _LONG_DASH.finditer(text):
            start, end = found.span()
            if _is_dash(text[start - 1 : start] or " ", text[end : end + 1] or " "):
                yield start, end, "-"


def _is_dash(before: str, after: str) -> bool:
    if before in _DASHES or after in _DASHES:
        return False
    if before.isspace() or after.isspace():
        return before.isspace() and after.isspace()
    return before.isdecimal() or not after.isdecimal()


# `″` is the mark of inches; elsewhere it is two of `′`, for f″ is not f′.

_INCHES = re.compile("(?<=[0-9])″")


def _inches(text: str) -> Iterator[Edit]:
    if "″" in text:
        yield from ((found.start(), found.end(), '"') for found in _INCHES.finditer(text))


# Single characters: compatibility forms, quotes, dashes. Never one that changes a number.

_QUOTES_AND_DASHES = {
    **dict.fromkeys("“”„‟«»「」『』〝〞〟＂", '"'),
    **dict.fromkeys("‘’‚‛‹›ʼ´`＇", "'"),
    **dict.fromkeys("‐‑‒–−－﹣", "-"),
    **dict.fromkeys("—―", "--"),
    "′": "'",
    "\u00ad": "",
    "İ": "i̇",  # the only one that is longer in lower case
}
del _QUOTES_AND_DASHES["`"]

_KEPT_FORMS = ("<super>", "<sub>", "<fraction>", "<circle>")


def _characters(text: str) -> Iterator[Edit]:
    if text.isascii():
        return
    folds = {char: put for char in set(text) if (put := fold_character(char)) != char}
    if folds:
        pattern = re.compile("[" + re.escape("".join(sorted(folds))) + "]")
        for found in pattern.finditer(text):
            yield found.start(), found.end(), folds[found.group()]


@cache
def fold_character(char: str) -> str:
    """One character without its typography: `ﬁ` is `fi`, `５` is `5`; `²`, `½` and `①` stay."""
    if char in _QUOTES_AND_DASHES:
        return _QUOTES_AND_DASHES[char]
    form = unicodedata.normalize("NFKC", char)
    if form == char or unicodedata.category(char) == "No":
        return char
    if unicodedata.decomposition(char).startswith(_KEPT_FORMS) or " " in form:
        return char
    if len(form) > 1 and any(part.isdecimal() for part in form):
        return char
    return "".join(_QUOTES_AND_DASHES.get(part, part) for part in form)


# A letter and its marks are one character, however they are stored.


def _composed(text: str) -> Iterator[Edit]:
    if text.isascii():
        return
    marks = [char for char in set(text) if _joins_the_one_before(char)]
    if not marks:
        return
    # Sorting marks costs the square of their number, so a stack of them is cut.
    pattern = re.compile("(?s:.)[" + re.escape("".join(sorted(marks))) + "]{1,30}")
    for found in pattern.finditer(text):
        form = unicodedata.normalize("NFC", found.group())
        if form != found.group():
            yield found.start(), found.end(), form


@cache
def _joins_the_one_before(char: str) -> bool:
    return unicodedata.category(char)[0] == "M" or "\u1160" <= char < "\u1200"


# `"` and `'` are one, but not in 5' and 5".

_DOUBLE = re.compile(r'"(?<![0-9]")')


def _double_quotes(text: str) -> Iterator[Edit]:
    if '"' in text:
        yield from ((found.start(), found.end(), "'") for found in _DOUBLE.finditer(text))


SPACED: tuple[Stage, ...] = (_spaces,)
"""Each run of whitespace one space."""

TYPESET: tuple[Stage, ...] = (
    _invisible,
    _links,
    _emphasis,
    _gaps,
    _long_dashes,
    _inches,
    _characters,
    _composed,
    _double_quotes,
)
"""All typography but the case of letters."""
