"""Where words, numbers, units, names and denials begin and end: no quote may cut through one.

`safe` does not stand in `unsafe` or in `not safe`, nor `500 users` in `1,500 users`.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from lwc.domain.denials import (
    DENIED,
    DENIES_AFTER,
    HANGUL_DENIES_AFTER,
    WIDE_DENIED,
    WIDE_DENIES_AFTER,
)
from lwc.domain.fold import NUMERALS, WIDE
from lwc.domain.letters import is_invisible
from lwc.domain.measures import CODES, GREAT, MONEY, SCALES, SPELLED, UNIT

# How much is read to either side of a cut, and how much of that counts once markup is gone.
_READ = 160
_REACH = 48

_L = r"[^\W_]"  # a letter or digit; those of scripts without spaces are masked
_A = r"[^\W\d_]"  # such a letter
_UNSPACED = f"[{WIDE}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"  # Thai, Lao, Burmese, Khmer too
_MASK = "\ue000"
_HYPHEN = "-‐‑‒–−"
_SIGN = _HYPHEN + "⁻₋⁺₊➖"
_TIES = _HYPHEN + "'’‘´ʼ′ʹ/@&\\\\"
_BLANK = "[ \u00a0\u2000-\u200a\u202f\u205f\u3000]"
_RAISED = "\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209f\u2150-\u215f\u1d2c-\u1d6a"
_VULGAR = "\u00bc-\u00be\u2150-\u215f"
_BREAK = rf"[-‐‑\u00ad]{_BLANK}{{0,9}}\n\s{{0,20}}"  # a word parted at a line end
_OPERATORS = "≠≢≁≇∤∌∉⊄⊅⊈⊉∄¬"

# Behind a number, all but the particles that Chinese puts there.
_COUNTER = f"(?![的和与與及或在是为為则則时時后後前以即并且了])[{WIDE}％]"
_GROUPS = rf"(?<![\d.,])\d{{1,3}}(?:{_BLANK}\d{{3}}){{0,5}}"
# Ranges, tolerances, ratios, products: 5 – 10, 5 ± 2, 5:1, 5 × 10.
_SPAN = (
    rf"{_BLANK}?[–−±×·⋅÷/⁄∕*~〜∼⁓-]{_BLANK}?|[—•:∶…]|--|\.\.\.?|{_BLANK}[:∶x×]{_BLANK}"
    r"|\s(?:to|through|per|bis)\s"
)

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
    (_A, r"[+#♯]"),
    (r"\+", r"\+"),
    (r"[!<>=:~+*/%&|^-]", "="),
    # One number: 3.14, 1,500, 1 500, 10:30, 10^6, 10², 1 1/2.
    (r"\d", r"[,:·٫٬˙‧،⹁ˈ]\d"),
    (r"\d[.,:·٫٬˙‧،⹁ˈ]", r"\d"),
    (_GROUPS, rf"{_BLANK}\d{{3}}(?!\d)"),
    (_GROUPS + _BLANK, r"\d{3}(?!\d)"),
    (_L, r"\^"),
    (r"\^", r"\S"),
    (rf"\d|(?<!{_L}){_L}{{1,4}}|[{_RAISED}]", f"[{_RAISED}]"),
    (r"\d", rf"{_BLANK}(?:[{_VULGAR}]|\d{{1,3}}[/⁄∕]\d)"),
    (rf"\d{_BLANK}", rf"[{_VULGAR}]|\d{{1,3}}[/⁄∕]\d"),
    (r"\d", rf"(?:{_SPAN})\.?\d"),
    (rf"\d(?:{_SPAN})", r"\.?\d"),
    # A number and what it is counted in: 5%, 5 million, 5 GB, US$5.
    (r"\d", rf"{_BLANK}?[%‰‱°º℃℉′″٪{MONEY}]"),
    (r"\d", r"\+(?!\d)"),
    (r"\d", rf"[\s-]{{0,3}}(?i:{SCALES})(?!{_L})"),
    (r"\d", rf"[\s-]?(?:{UNIT})(?!{_L})"),
    (r"(?:(?<!\d)\d{1,3}|\.\d{1,9})", rf"{_BLANK}(?:A|x)(?!{_L})"),
    (rf"\b(?i:{SPELLED})[\s-]", rf"(?i:{SPELLED})(?!{_L})"),
    (rf"(?i:(?<!{_L})(?:{SPELLED}))", rf"[\s-](?i:{SPELLED}|{SCALES})(?!{_L})"),
    (rf"\b(?i:{SPELLED})\s(?i:and|point|to)\s", rf"(?i:{SPELLED})(?!{_L})"),
    (rf"\b(?i:{SPELLED})", rf"\s(?i:and|point)\s(?i:{SPELLED})(?!{_L})"),
    (rf"{_A}", rf"[\s-](?i:{GREAT})(?!{_L})"),
    (rf"{_L}[\s-]", rf"(?!(?i:[mbt]r?illions))(?i:{GREAT})(?!{_L})"),
    (r"\d[\s-]", rf"(?i:{SCALES})(?!{_L})"),
    (r"\b(?i:half|quarter|third)\s(?:of\s)?", rf"(?:an?\s)?(?i:{SPELLED}|{SCALES})(?!{_L})"),
    (r"\b(?i:minus|negative)\s", rf"\d|(?i:{SPELLED})(?!{_L})"),
    (rf"[{MONEY}]{_BLANK}?|(?<!{_L})(?:{CODES}){_BLANK}?", r"\.?\d"),
    (_L, rf"[+±%]\d|[{MONEY}]{_BLANK}?\d"),
)

_BEGINNINGS = (
    *_ANYWHERE,
    # A sign or a bound before a number: -5, ~5, ≤ 5, x > 5; but not a bullet or a block quote.
    (rf"[{_SIGN}+.]", rf"[{MONEY}]?\.?\d"),
    (rf"[−±∓≈~∼≲≳≤≥≦≧≪≫≮≯√∛<]{_BLANK}?", rf"[{MONEY}]?{_BLANK}?\.?\d"),
    (rf"(?:[<>!=]=|[\d(-]>|\S{_BLANK}>){_BLANK}?", rf"[{MONEY}]?\.?\d"),
    (r"\b(?i:than|at least|at most|up to)\s", rf"[{MONEY}]?\.?\d|(?i:{SPELLED})(?!{_L})"),
    (r"\\(?:pm|mp|approx|sim|leq?|geq?|neq?|lt|gt|not|neg|lnot)\s{0,3}[${]?", r"\S"),
    # !ready, ¬p, ∉ S, (non)toxic, util.List.
    ("[!¬]", _A),
    (rf"[{_OPERATORS}]{_BLANK}?", r"\S"),
    (rf"{_A}[)\]]", r"[a-zß-öø-ÿ]"),
    (rf"{_A}\.", _L),
    # What is denied: not safe, isn't safe, no longer supported, not "safe".
    (rf"(?:{DENIED})[\s(\[{{\"'“‘«„~>]{{1,9}}", r"\S"),
)

_ENDINGS = (
    *_ANYWHERE,
    # A sign that belongs to what follows: pre-, US$.
    (rf"[{_TIES}±≈~+{MONEY}]", _L),
    # A denial of the verb it follows: can not, läuft nicht.
    (_L, rf"\s{{1,3}}{DENIES_AFTER}(?!{_L})"),
    ("[\uac00-\ud7a3]", HANGUL_DENIES_AFTER),
)

# Scripts without spaces: 三十五人, 38.4メートル, 不安全, 安全ではない, ไม่ปลอดภัย.
_UNSPACED_ANYWHERE = (
    (f"[{NUMERALS}]", f"[{NUMERALS}％%倍]"),
    (r"\d", rf"{_COUNTER}|{_BLANK}[秒分倍％年月日個个元円名人]"),
    ("[元円圆圓]\\s?", r"\d"),
    (WIDE_DENIED, f"[{WIDE}]"),
    (f"[{WIDE}]", WIDE_DENIES_AFTER),
    ("ไม", r"\w"),  # without the tone it bears
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
    head = text[at : at + _READ]
    if _is_mark(head[:1]):
        return False
    return _parts(text[max(0, at - _READ) : at], head, _BEGINNINGS)


def may_end(text: str, at: int) -> bool:
    """Whether a quote may end here, behind something that is no whitespace."""
    tail, after = text[max(0, at - _READ) : at], text[at : at + _READ]
    if _is_mark(after[:1]):
        return False
    if after.startswith('"') and tail[-1:].isdecimal() and not _closes(text, at):
        return False
    return _parts(tail, after, _ENDINGS)


def may_meet(left: str, right: str) -> bool:
    """Whether two whole passages may stand side by side without making a number, a unit or a
    denial that neither of them is."""
    left, right = left[-_READ:], right[:_READ]
    blank = "" if _unspaced().match(left[-1:]) or _unspaced().match(right[:1]) else " "
    return _parts(left + blank, right, _BEGINNINGS) and _parts(left, blank + right, _ENDINGS)


def _is_mark(char: str) -> bool:
    return bool(char) and unicodedata.category(char)[0] == "M"


_SIGNS_OF_NUMBERS = frozenset(".$¢£¥€")


def _parts(left: str, right: str, rows: tuple[tuple[str, str], ...]) -> bool:
    if left.endswith("\u00ad") and (right[:1].isdecimal() or right[:1] in _SIGNS_OF_NUMBERS):
        return False  # old encodings hold a minus there
    left = _without_marks(_bare(left)[-_REACH:].rstrip(_EMPHASIS))
    right = _bare(right)[:_REACH].lstrip(_EMPHASIS)
    if not left or not right:
        return True
    if not left.isascii() or not right.isascii():
        if _ties(_UNSPACED_ANYWHERE).hold(left, right):
            return False
        left, right = _masked(left), _masked(right)
    return not _ties(rows).hold(left, right)


# What stands between two letters without parting them: emphasis, markup within a line, the marks
# of footnotes, backslashes before a sign, and all that shows nothing.
_EMPHASIS = "*_`"
_IN_WORDS = re.compile(rf"(?<={_A})[*_`]{{1,3}}|[*_`]{{1,3}}(?={_A})")
_MARKUP = re.compile(
    r"</?(?:a|abbr|b|bdi|bdo|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike"
    r"|strong|sub|sup|tt|u|var|wbr)(?:\s[^<>]{0,120})?/?>"
    r"|\[\^?[\w-]{1,12}\](?=[\s\w]|\Z)|\\(?=[!-/:-@\[-`{-~])|\{,?\}",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});")
_SOFT_BREAK = re.compile("\u00ad(?=[ \t]{0,9}\n)")
# Overlaid strokes and rings do not make another word of what they stand upon.
_OVERLAYS = frozenset(map(chr, (*range(0x0334, 0x0339), *range(0x20D2, 0x20F1), 0x0488, 0x0489)))
_SIGNS = str.maketrans("＋，－．／：＜＝＞～､﹐﹒﹕﹢﹣﹪", "+,-./:<=>~,,.:+-%")


def _bare(text: str) -> str:
    """A text beside a cut without what does not part letters, its entities and signs resolved."""
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found.group()), text)
    if any(sign in text for sign in "<[\\{"):
        text = _MARKUP.sub("", text)
    if not text.isascii():
        text = _SOFT_BREAK.sub("-", unicodedata.normalize("NFC", text).translate(_SIGNS))
        text = "".join(char for char in text if char.isascii() or not _is_unseen(char))
    return _IN_WORDS.sub("", text)


def _is_unseen(char: str) -> bool:
    return char in _OVERLAYS or is_invisible(char) or unicodedata.category(char) == "Cf"


def _without_marks(text: str) -> str:
    while text and _is_mark(text[-1]):
        text = text[:-1]
    return text


def _masked(text: str) -> str:
    return text if text.isascii() else _unspaced().sub(_MASK, text)


def _closes(text: str, at: int) -> bool:
    """Whether the quotation mark at this place closes one; else it stands for inches."""
    line = text[max(text.rfind("\n", 0, at) + 1, at - 1_000) : at]
    return line.count('"') % 2 == 1
