"""Quotes cut or changed with cunning: none of them is taken for what its source says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lwc.domain.citation import QuoteState
from lwc.domain.quote import SourceText, locate

UNSEEN = (
    "\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u202a\u202e\u2066\u2069\ufeff\u061c"
    "\u180e\u034f\u115f\u3164\ufe0f\ufe00\u00ad\U000e0061\U000e0100"
)
MARKS = "\u0301\u0336\u0338\u20dd\u0489"
BLANKS = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f"
SEPARATORS = "，．：､﹐﹒٬٫'’‘´′ʹ˙·‧_ˈ⹁،"
SIGNS = [
    *"-−–‑‐﹣－⁻₋➖+＋±∓≈~～∼≤≥<＜＞≠≮≯≪√∛¬",
    *("!=", "<=", "&minus;", "&#8722;", "&lt;", "&ge;", "\\pm ", "\u00ad"),
]
RANGES = [
    *"—~～〜∼…⁓×x/:∶⋅•*^⁄∕",
    *("--", "..", "...", " to ", " through ", " x ", " × ", " / ", " : ", " per ", "**"),
]
UNITS = """
    K N J kJ kcal cal A Ω kΩ T F µF H C bar mbar psi ft lb lbs oz mi yd USD EUR GBP CHF kr zł a.m.
    p.m. am AM km² m³ mm nm Å ha kt rad mSv Bq kg/m mol/L ° ′ ″ ٪ ﹪ ％ percents millions billions
    hundreds Mio. Millionen Milliarden millones milliards миллионов тысяч dozens M B k bn tn crores
    lakhs GiB MiB/s Gbit/s kWh GeV days years dollars euros pounds inches feet miles hours minutes
    seconds weeks months metres kilometers grams degrees litres tons tonnes times x -fold fold º °C
"""
CURRENCIES = ("USD", "EUR", "US$", "C$", "R$", "Rs.", "£", "€", "CHF", "kr", "HK$", "¥", "元")
DENIALS = (
    "not quite|not at all|not always|not so|not that|not a|not the|not even|not to be|not been|not"
    "|not fully|not, however,|never a|no|nor|non|hardly|barely|scarcely|seldom|rarely|unlikely"
    "|anything but|far from|fails to be|without any|neither|cannot be|can’t be|won't be|isn`t|isn´t"
    '|isnt|wasn’t at all|NOT|not **|not "|not “|not (|not [|not ~~|not <b>|not\n> |not&nbsp;'
    "|not[1]|not[^1]|no**t**|n<i>ot</i>|not-so-|un-|un|un<b>|un<wbr>|un&shy;|un\\-|un{}|non-"
    "|nicht|nicht so|keine|niemals|non è|niet|geen|ikke|inte|pas|jamais|sin|não|na\u0303o|sem"
    "|nem|не|нет|без|δεν|όχι|لا|ليس|غير|לא|אין|नहीं|không|tidak|bukan|ei|değil|안|못"
)

DENIED_BEHIND = [
    ("you can not do it", "you can"),
    ("Das System läuft nicht", "Das System läuft"),
    ("Hij werkt niet goed", "Hij werkt"),
    ("Det virker ikke", "Det virker"),
    ("il n’est pas sûr", "il n’est"),
    ("sistem güvenli değil", "sistem güvenli"),
    ("이 시스템은 안전하지 않습니다", "이 시스템은 안전하지"),
    ("यह सुरक्षित नहीं है", "यह सुरक्षित"),
    ("この設計は安全ではありません", "この設計は安全では"),
    ("この設計は安全ではない", "この設計は安全"),
    ("これは正常に動作しません", "これは正常に動作"),
    ("これは正常に動作しなかった", "これは正常に動作"),
    ("これは利用できない", "これは利用"),
]
WIDE_DENIALS = [
    ("不太安全的设计", "安全的设计"),
    ("不是很安全的设计", "很安全的设计"),
    ("不能够使用这个", "使用这个"),
    ("不要随便使用这个", "使用这个"),
    ("不应该使用这个", "使用这个"),
    ("不允许使用这个", "使用这个"),
    ("禁止使用这个", "使用这个"),
    ("不 安全的设计", "安全的设计"),
    ("不\n安全的设计", "安全的设计"),
    ("不“安全”的设计", "安全"),
    ("不\u200b安全的设计", "安全的设计"),
    ("非**安全**な設計", "安全"),
]
NUMBERS = [
    ("takes 1 1/2 cups", "1/2 cups"),
    ("takes 1 1/2 cups", "takes 1"),
    ("takes 1 ½ cups", "½ cups"),
    ("takes 1 ½ cups", "takes 1"),
    ("at 5 1⁄2 there", "1⁄2 there"),
    ("is 10<sup>6</sup> cells", "is 10"),
    ("in H<sub>2</sub>O it", "in H"),
    ("is 1{,}500 cells", "is 1"),
    ("is 1\\,500 cells", "500 cells"),
    ("is 1&nbsp;500 cells", "500 cells"),
    ("is 5&#160;% large", "is 5"),
    ("version 2.0+build5 is", "version 2.0"),
    ("needs 5+ years", "needs 5"),
    ("at least 5 items here", "5 items here"),
    ("up to 5 items here", "5 items here"),
    ("less than five items here", "five items here"),
    ("is negative five here", "five here"),
    ("half a million people", "a million people"),
    ("one point five here", "five here"),
    ("one hundred and five users", "five users"),
    ("zwei Millionen Menschen", "Millionen Menschen"),
    ("costs C$ 5 there", "$ 5 there"),
    ("costs -$5 there", "$5 there"),
    ("if x <= 5 then", "= 5 then"),
    ("if x != y then", "= y then"),
    ("a ≠ b here", "b here"),
]
NAMES = [
    ("carries BRCA1 there", "carries Brca1 there"),
    ("carries Foxp2 there", "carries FOXP2 there"),
    ("the AIDS program", "the aids program"),
    ("in Turkey they", "in turkey they"),
    ("in Turkey they", "turkey they"),
    ("the polish work", "the Polish work"),
    ("a NaCl crystal", "a NACL crystal"),
    ("the iPhone is", "the Iphone is"),
    ("by McDonald we", "by Mcdonald we"),
    ("use HashMap now", "use hashmap now"),
    ("set PATH to", "set path to"),
    ("a Co atom", "a CO atom"),
    ("Co", "CO"),
    ("No and Co and Os meet", "NO AND CO AND OS MEET"),
    ("us", "US"),
    ("the __FILE__ macro", "the FILE macro"),
    ("f″(x) is the", "f′(x) is the"),
    ("by O´Brien and", "Brien and"),
    ("written in C♯ here", "written in C"),
    ("by Анна we", "by Aнна we"),
    ("by Ηλίας we", "by Hλίας we"),
    ("rate ν is", "rate v is"),
    ("STRASSE HIER", "straße hier"),
    ("kız geldi", "kiz geldi"),
    ("the cafe\u0301teria here", "teria here"),
]
JOINED = [
    ("The store is old. Everything else is safe.", "The store is … safe"),
    ("A is bad.\n\n# Other\n\nB is good.", "A is … good"),
    ("A is bad." + " More of it." * 100 + " B is good.", "A is … B is good"),
    ("They had 5 cats for many million users", "They had 5 … million users"),
    ("It has 5 rooms and GB of memory", "It has 5 … GB of memory"),
    ("The store is not fast but it is safe", "The store is not … safe"),
    ("The store is far from safe", "The store is … safe"),
    ("The store is rarely safe", "The store is … safe"),
    ("The store isnt safe", "The store … safe"),
    ("The store is keineswegs safe", "The store is … safe"),
    ("The store is niet erg safe", "The store is … safe"),
    ("Система не очень safe", "Система … safe"),
    ("The store, as Dr. No says, is not safe", "The store … safe"),
    ("The store (v. 2) is not as of vers. 5 safe", "The store … safe"),
    ("The store " + "x " * 300 + "is not " + "y " * 100 + "safe", "The store … safe"),
    ("It is less than 5 degrees", "It is … 5 degrees"),
    ("这个库绝不能说是安全的", "这个库 … 安全的"),
]


def attacks() -> Iterator[tuple[str, str, str]]:
    for char in UNSEEN + MARKS:
        yield "unseen", f"an un{char}safe thing", "safe thing"
        yield "unseen", f"we had 1{char}500 users", "500 users"
    for char in UNSEEN:
        yield "unseen", f"it is no{char}t safe here", "safe here"
        yield "unseen", f"it is not {char}safe here", "safe here"
        yield "unseen", f"we had 15{char}00 users", "we had 15"
        yield "unseen", f"it was −{char}5 degrees", "5 degrees"
    for char in BLANKS + SEPARATORS:
        yield "groups", f"we had 1{char}500 users", "500 users"
        yield "groups", f"we had 1{char}500 users", "we had 1"
    for sign in SIGNS:
        yield "sign", f"it was {sign}5 degrees", "5 degrees"
        yield "sign", f"it was {sign}$5 in all", "$5 in all"
    for joint in RANGES:
        yield "range", f"in 3{joint}5 days", "5 days"
        yield "range", f"was set to 3{joint}5 there", "was set to 3"
    for unit in UNITS.split():
        yield "unit", f"was set to 5 {unit} there", "was set to 5"
    for currency in CURRENCIES:
        yield "currency", f"costs {currency} 5 there", "5 there"
    for denial in DENIALS.split("|"):
        blank = "" if denial.endswith(("-", "un", ">", "{}", ";", "(", "[", "“", '"', "*")) else " "
        yield "denial", f"it is {denial}{blank}safe to run here", "safe to run here"
    for kind, rows in (
        ("denied behind", DENIED_BEHIND),
        ("wide denial", WIDE_DENIALS),
        ("number", NUMBERS),
        ("name", NAMES),
        ("joined", JOINED),
    ):
        for text, quote in rows:
            yield kind, text, quote


@pytest.mark.parametrize("kind", sorted({kind for kind, _, _ in attacks()}))
def test_no_cut_or_altered_quote_is_accepted(kind: str) -> None:
    accepted = [
        (text, quote, found.state)
        for of, text, quote in attacks()
        if of == kind and (found := locate(quote, SourceText(text))).state is not QuoteState.MISSING
    ]
    assert accepted == []


@pytest.mark.parametrize(
    "text, quote",
    [
        ("It is in 1990 and later.", "in 1990"),
        ("- [x] 5 apples a day", "5 apples a day"),
        ("The end.[1] Next one", "Next one"),
        ("said (the store) keeps it", "keeps it"),
        ("> 5 apples a day", "5 apples a day"),
        ("<td>5</td><td>6 km</td>", "6 km"),
        ("the millions of users", "millions of users"),
        ("版本特别安全的设计", "安全的设计"),
        ("The store keeps one writer, which is good, at a time.", "keeps one writer … at a time"),
        ("It is fast. It is not cheap. But it is safe.", "It is fast … it is safe"),
        ("in Turkey they", "In Turkey they"),
        ("It ends. The store is", "the store is"),
        ("1. The store is", "the store is"),
        ("BRCA1 AND THE STORE", "BRCA1 and the store"),
        ("a 5″ pipe", 'a 5" pipe'),
    ],
    ids=ascii,
)
def test_a_whole_and_true_quote_is_still_located(text: str, quote: str) -> None:
    assert locate(quote, SourceText(text)).state is not QuoteState.MISSING
