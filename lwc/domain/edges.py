"""What no folding may change: where words, numbers, units and names begin and end, and their case.

`safe` does not stand in `unsafe`, nor `500 users` in `1,500 users`, nor `5 mW` for `5 MW`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from lwc.domain.fold import NUMERALS, WIDE

# How far a rule looks to either side of a cut.
_REACH = 40

_L = r"[^\W_]"  # a letter or digit; those of scripts without spaces are masked
_A = r"[^\W\d_]"  # such a letter
_UNSPACED = f"[{WIDE}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"  # Thai, Lao, Burmese, Khmer too
_MASK = "\ue000"
_HYPHEN = "-‐‑‒–−"
_TIES = _HYPHEN + "'’ʼ＇/@&\\\\"
_BLANK = "[ \u00a0\u2007\u2009\u202f]"
_MONEY = "$¢£¥€¤￡￥\u20a0-\u20c0"
_RAISED = "\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209f\u2150-\u215f\u1d2c-\u1d6a"
_BREAK = rf"[-‐‑\u00ad]{_BLANK}{{0,9}}\n\s{{0,20}}"  # a word parted at a line end
# Emphasis and characters that show nothing stand between two letters without parting them.
_UNSEEN = "*_`\u00ad\u200b\u2060\ufeff"

_SCALES = (
    "hundred|thousand|million|billion|trillion|dozen|lakh|crore|percent(?:age)?|per cent|pct"
    "|bn|mn|k|mio|mrd"
)
_UNIT = (
    r"[kMGTPEmµμnpc]?(?:g|m|s|W|V|Hz|Wh|Pa|eV|mol|bps|bits?|bytes?|[lL])"
    r"|[kKMGTPE]i?[Bb](?:/s|ps)?|[kmµμ]A|min|h|rpm|pp[mb]|dB|px|fps|k[mM]/h|mph"
)
# Behind a number, all but the particles that Chinese puts there.
_COUNTER = f"(?![的和与與及或在是为為则則时時后後前以即并且了])[{WIDE}％]"
_WIDE_DENIALS = "不没沒未无無非别別勿莫否"
_SPELLED = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh"
    "|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|billion"
)

_DENIALS = (
    r"(?:not|no|never|without|cannot|neither|nor|nicht|kein\w{0,2}|nie|ohne|pas|jamais|sans|nunca|não)"
    r"(?:\s(?:longer|yet|ever|very|\w{2,12}ly))?"
)

_GROUPS = rf"(?<![\d.,])\d{{1,3}}(?:{_BLANK}\d{{3}}){{0,5}}"

_ANYWHERE = (
    # One word: unsafe, non-toxic, can't, km/h, config.py, std::list; also across a line end.
    (_L, _L),
    (_L, rf"[{_TIES}.]{_L}"),
    (rf"{_L}[{_TIES}]", _L),
    (rf"{_A}\.", r"[a-z0-9]"),
    (_L, rf"{_BREAK}{_A}"),
    (rf"{_L}{_BREAK}", _A),
    (_L, rf"(?:::|->){_L}"),
    (rf"{_L}(?:::|->)", _L),
    (_A, r"[+#]"),
    (r"\+", r"\+"),
    # One number: 3.14, 1,500, 1 500, 10:30, 10^6, 10².
    (r"\d", r"[,:·٫٬]\d"),
    (r"\d[.,:·٫٬]", r"\d"),
    (_GROUPS, rf"{_BLANK}\d{{3}}(?!\d)"),
    (_GROUPS + _BLANK, r"\d{3}(?!\d)"),
    (_L, r"\^"),
    (r"\^", r"\S"),
    (rf"\d|(?<!{_L}){_L}{{1,4}}|[{_RAISED}]", f"[{_RAISED}]"),
    # Ranges, tolerances, products: 5 – 10, 5 ± 2, 5 × 10.
    (r"\d", rf"{_BLANK}?[–−±×·⋅÷/*-]{_BLANK}?\d"),
    (rf"\d{_BLANK}?[–−±×·⋅÷/*-]{_BLANK}?", r"\d"),
    # A number and what it is counted in: 5%, 5 million, 5 GB, US$5.
    (r"\d", rf"{_BLANK}?[%‰‱°℃℉′″{_MONEY}]"),
    (r"\d", rf"[\s-]{{0,3}}(?i:{_SCALES})(?!{_L})"),
    (r"\d", rf"[\s-]?(?:{_UNIT})(?!{_L})"),
    (rf"\b(?i:{_SPELLED})[\s-]", rf"(?i:{_SPELLED})(?!{_L})"),
    (rf"(?i:(?<!{_L})(?:{_SPELLED}))", rf"[\s-](?i:{_SPELLED}|{_SCALES})(?!{_L})"),
    (r"\d[\s-]", rf"(?i:{_SCALES})(?!{_L})"),
    (r"\b(?i:minus)\s", rf"\d|(?i:{_SPELLED})(?!{_L})"),
    (rf"[{_MONEY}]{_BLANK}?", r"\.?\d"),
    (_L, rf"[+±%{_MONEY}]\d"),
)

_BEGINNINGS = (
    *_ANYWHERE,
    # A sign or a bound before a number: -5, ~5, ≤ 5, x > 5; but not a bullet or a block quote.
    (rf"[{_HYPHEN}+.]", r"\.?\d"),
    (rf"[−±∓≈~∼≲≳≤≥≦≧≪≫√<]{_BLANK}?", r"\.?\d"),
    (rf"(?:[<>!=]=|[\d(]>|\S{_BLANK}>){_BLANK}?", r"\.?\d"),
    # !ready, ¬p, (non)toxic, util.List.
    ("[!¬]", _A),
    (rf"{_A}[)\]]", r"[a-zß-öø-ÿ]"),
    (rf"{_A}\.", _L),
    # What is denied: not safe, isn't safe, no longer supported.
    (rf"(?:\b(?i:{_DENIALS})|n['’]t)\s{{1,9}}", r"\S"),
)

_ENDINGS = (
    *_ANYWHERE,
    # A sign that belongs to what follows: pre-, US$.
    (rf"[{_TIES}±≈~+{_MONEY}]", _L),
)

# Scripts without spaces: 三十五人, 38.4メートル, 不安全, 安全ではない, ไม่ปลอดภัย.
_UNSPACED_ANYWHERE = (
    (f"[{NUMERALS}]", f"[{NUMERALS}％%倍]"),
    (r"\d", rf"{_COUNTER}|{_BLANK}[秒分倍％年月日個个元円名人]"),
    (f"[{_WIDE_DENIALS}][是有会會能可法再得要应應曾]?", f"[{WIDE}]"),
    (f"[{WIDE}]", "ない|なか|なく|ませ|ず|ぬ|まい"),
    ("ไม่", r"\w"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ties:
    """Pairs of which one may not end where the other begins."""

    pairs: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]

    def hold(self, left: str, right: str) -> bool:
        return any(behind.match(right) and before.search(left) for before, behind in self.pairs)


@cache
def _ties(rows: tuple[tuple[str, str], ...]) -> _Ties:
    # Compiled when first asked for: it takes longer than most commands have.
    return _Ties(
        pairs=tuple((re.compile(rf"(?:{left})\Z"), re.compile(right)) for left, right in rows)
    )


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(_UNSPACED)


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a passage is whole: nothing on either side belongs to its first or last word."""
    return may_begin(text, start) and may_end(text, end)


def may_begin(text: str, at: int) -> bool:
    """Whether a quote may begin here, before something that is no whitespace."""
    head = text[at : at + _REACH]
    if _is_mark(head[:1]):
        return False
    return _parts(text[max(0, at - _REACH) : at], head, _BEGINNINGS)


def may_end(text: str, at: int) -> bool:
    """Whether a quote may end here, behind something that is no whitespace."""
    tail, after = text[max(0, at - _REACH) : at], text[at : at + _REACH]
    if _is_mark(after[:1]):
        return False
    if after.startswith('"') and tail[-1:].isdecimal() and not _closes(text, at):
        return False
    return _parts(tail, after, _ENDINGS)


def _is_mark(char: str) -> bool:
    return bool(char) and unicodedata.category(char)[0] == "M"


def _parts(left: str, right: str, rows: tuple[tuple[str, str], ...]) -> bool:
    left, right = left.rstrip(_UNSEEN), right.lstrip(_UNSEEN)
    if not left or not right:
        return True
    if not left.isascii() or not right.isascii():
        if _ties(_UNSPACED_ANYWHERE).hold(left, right):
            return False
        left, right = _masked(left), _masked(right)
    return not _ties(rows).hold(left, right)


def _masked(text: str) -> str:
    return text if text.isascii() else _unspaced().sub(_MASK, text)


def _closes(text: str, at: int) -> bool:
    """Whether the quotation mark at this place closes one; else it stands for inches."""
    line = text[max(text.rfind("\n", 0, at) + 1, at - 1_000) : at]
    return line.count('"') % 2 == 1


_WORD = re.compile(f"{_A}+")
_COUNTED = re.compile(
    rf"(?:\d|\b(?:{_SPELLED}))"
    rf"[\s-]{{0,2}}(?:{_A}{{1,6}}[/·⋅*]){{0,3}}\Z",
    re.IGNORECASE,
)
_UNIT_LIKE = re.compile(
    "[kmgtpeµμnc]?(?:i?b|bps|wh?|hz|pa|ev|v|a|m|g|s|l|mol)|[kmgtpe]i?(?:bits?|bytes?)",
    re.IGNORECASE,
)


def case_agrees(passage: str, quote: str, *, before: str) -> bool:
    """Whether two texts that differ in case only still say the same.

    A capital at the head of a sentence and shouted headings do; MW and mW, US and us do not.
    `before` is what stands in front of the passage.
    """
    if passage == quote:
        return True
    shouted = passage.isupper() or quote.isupper()
    passage, quote, before = (_masked(text) for text in (passage, quote, before[-_REACH:]))
    for word in _WORD.finditer(passage):
        there, here = word.group(), quote[word.start() : word.end()]
        if there == here:
            continue
        if len(there) > 1 and _UNIT_LIKE.fullmatch(there):
            return False
        if len(there) == 1 and word.start() and there not in "aA":
            return False  # a variable, a vitamin, a volt
        if 1 < len(there) <= 3 and not shouted and (there.isupper() or here.isupper()):
            return False
        if len(there) > 2 and there[1:] == here[1:] and there[1:].islower():
            continue  # the head of a sentence
        context = (before + passage[: word.start()])[-_REACH:]
        if len(there) <= 4 and _COUNTED.search(context):
            return False
    return True
