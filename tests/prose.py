"""Source texts as people write them, and what an agent's hand does to a quote.

Three pages of English, Chinese, Japanese and technical prose; `true_quote` re-wraps and re-typesets
a passage, `altered_quote` changes a number, a negation, a name or a unit.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

ENGLISH = """\
# The lighthouse at Skerry Point

The lighthouse at Skerry Point was lit for the first time on 4 November 1871, after eleven years
of work and two storms that carried the scaffolding away. Its architect, Margaret Haldane, had
never built anything taller than a chapel; she was not the first choice of the Board, and she said
so in every letter that survives. “I was asked,” she wrote to her brother, “because the others
had seen the rock.” The tower stands 38.4 metres high and its lamp was visible at 21 nautical
miles in clear weather — a distance that no other light on that coast could match.

The Board paid £14,250 for the tower and a further £1,900 for the dwelling. It did not pay for
the road. The keepers' families carried their own coal from the landing, some 1.2 km away, until a
tramway was opened in 1903. Accounts differ about the accident of 1884: the log speaks of a “small
fire … soon put out”, whereas the *Inverallan Courier* reported that the store, the boat-house
and about 40 tonnes of coal were lost. Haldane's own copy of the report isn't signed. Neither the
inspector nor the keeper, Tobias Renwick, mentions the cat.

Electric light came late. A 3.5 kW lamp replaced the paraffin burner in 1956, drawing less than
half the power the engineers had allowed for, and the fog signal -- a siren that could be heard
at Cairnbeg, 17 km down the coast -- was switched off for good on 30 June 1987. The station has
been un-
manned since 1991. Visitors may climb the 176 steps between May and September; children under
8 years are not admitted, and the gallery is closed when the wind exceeds 60 km/h. The well-
known photograph of the tower in the great wave of 2014 was taken from Ardmore Head with a
600 mm lens; the wave itself was no higher than 18 metres.
"""

TECHNICAL = """\
## Storage engine

The engine keeps **one writer at a time**. Only one writer can hold the lock at any moment, and a
second one waits up to 30 seconds before it gives up with `store_busy`. Readers are never blocked
by a writer: they see the last committed state until they end their own transaction. In
*write-ahead* mode a commit costs about 1.8 ms on a laptop SSD and roughly 12 ms on a network
disk, see [the measurements](https://example.org/bench/2024?disk=ssd) for details.

A checkpoint copies at most 4 MiB of log into the database file. It must not run while another
process holds a read transaction older than 2 s, otherwise the log grows without bound. The
operator can't disable this check. Setting `cache_size` to 64 MB lowers the p99 latency from 9.7 ms
to 3.1 ms, but it doubles the memory of every connection – with 16 connections that is about
1,024 MB in total. The default of 2,000 pages isn't safe for tables above 10⁹ rows.

1. `open()` takes a path, never a URL; relative paths are resolved against the current directory.
2. `close()` is idempotent. It does not flush pages that were not modified.
3. `snapshot(max_age=5)` returns a copy no older than 5 minutes, or fails if there is none.

> The maintainers (Ines Okafor, Jan Wiśniewski and Li Na) do not support version 2.9 any more;
> version 3.1 receives fixes for 18 months. Benchmarks were run on a 2.4 GHz CPU with 8 GB of RAM,
> drawing 45 W at the wall; the ﬁgures vary by less than ±3 %.

The replication protocol isn't encrypted by default. A follower that falls behind by more than 250
segments is dropped and has to start from a full copy, which takes 40 min for 1.5 TB over a
10 Gb/s link. Followers cannot vote. If the leader is lost, the oldest follower becomes leader
after 15 seconds... unless `manual_failover` is set, in which case nothing happens until an operator
intervenes.
"""

CHINESE = """\
# 存储引擎

存储引擎在同一时刻只允许一个写入者持有锁，第二个写入者最多等待30秒，然后返回错误。读取者不会被
写入者阻塞，它们看到的是最后一次提交的状态。提交一次大约需要1.8毫秒，在网络磁盘上约为12毫秒。

检查点每次最多把4 MiB的日志复制到数据库文件中。如果另一个进程持有超过2秒的读事务，检查点就不能
运行，否则日志会无限增长。操作员无法关闭这项检查。王小明在二〇二三年的报告中指出，“默认值并不安
全”，当表的行数超过十亿时应当调大缓存。李娜认为，64 MB的缓存已经足够，没有必要再增加。

复制协议默认没有加密。落后超过250个段的从节点会被移除，必须重新完整复制。从节点不能投票；主节点
丢失15秒之后，最老的从节点成为主节点。该项目由张伟于2019年在杭州发起，目前有37名维护者，其中
不包括最初的作者。
"""

JAPANESE = """\
# 灯台の記録

スケリー岬の灯台は一八七一年に初めて点灯されました。塔の高さは38.4メートルで、晴れた日には21海里
先からも光が見えたと記録されています。設計者のマーガレット・ハルデンは、それまで礼拝堂より高い建物
を建てたことがありませんでした。

灯台守の家族は、1.2 km離れた船着き場から自分たちで石炭を運ばなければなりませんでした。1903年に軌道
が開通するまで、道路は整備されていませんでした。一九八四年の火災について、日誌は「小さな火事はすぐ
に消された」と記していますが、新聞は約40トンの石炭が失われたと伝えています。

田中健一は、報告書に署名がないことを指摘しました。現在、見学者は5月から9月まで176段の階段を上ること
ができます。8歳未満の子供は入場できません。風速が毎秒17メートルを超えると展望台は閉鎖されます。
"""

SOURCES = {
    "english": ENGLISH,
    "technical": TECHNICAL,
    "chinese": CHINESE,
    "japanese": JAPANESE,
}

_SENTENCE = re.compile(r"(?:[^.。;；!?\n]|[.?](?=\S)|\n(?!\n|\d\. |> |#))+[.。;；]?")


def passages(text: str) -> list[str]:
    """The sentences and clauses of a text that are long enough to be worth quoting."""
    found = (sentence.strip(" \n>#") for sentence in _SENTENCE.findall(text))
    return [passage for passage in found if len(passage) >= (12 if is_wide(passage) else 30)]


def is_wide(text: str) -> bool:
    return any("\u3040" <= char <= "\u9fff" for char in text)


# Habits: each takes a quote as read and gives one as an agent would write it.


def rewrapped(quote: str, chance: random.Random) -> str:
    words = " ".join(quote.split()).split(" ")
    return "".join(word + ("\n" if chance.random() < 0.15 else " ") for word in words).strip()


def on_one_line(quote: str, chance: random.Random) -> str:
    if not is_wide(quote):
        return re.sub(r"(?<=[a-z]-)\n", "", quote).replace("\n", " ")
    return re.sub(r"\s*\n\s*", "", quote)


def straight_quotes(quote: str, chance: random.Random) -> str:
    return quote.translate(str.maketrans("“”‘’", "\"\"''"))


def curly_quotes(quote: str, chance: random.Random) -> str:
    quote = re.sub(r"(?<=\w)'", "’", quote)
    return re.sub(r'"([^"]*)"', r"“\1”", quote)


def single_quotes(quote: str, chance: random.Random) -> str:
    return re.sub(r"“([^”“]*\D)”", r"'\1'", quote)


def other_dashes(quote: str, chance: random.Random) -> str:
    dash = chance.choice(["—", "–", "--", "-"])
    return re.sub(r"(?<=\s)(?:—|–|--)(?=\s)", dash, quote)


def hard_spaces(quote: str, chance: random.Random) -> str:
    space = chance.choice("\u00a0\u2009\u202f")
    return re.sub(r"(?<=\d) (?=\w)", space, quote)


def other_ellipsis(quote: str, chance: random.Random) -> str:
    return quote.replace("…", "...") if "…" in quote else quote.replace("...", "…")


def emphasised(quote: str, chance: random.Random) -> str:
    sign = chance.choice(["**", "*", "_", "`"])
    words = quote.split(" ")
    plain = [index for index, word in enumerate(words) if re.fullmatch("[A-Za-z]{3,}", word)]
    if plain:
        index = chance.choice(plain)
        words[index] = f"{sign}{words[index]}{sign}"
    return " ".join(words)


def unmarked(quote: str, chance: random.Random) -> str:
    quote = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", quote)
    return re.sub(r"\*+([^*]+)\*+|`([^`]+)`", r"\1\2", quote)


def with_ligatures(quote: str, chance: random.Random) -> str:
    return quote.replace("fi", "ﬁ").replace("fl", "ﬂ")


def without_ligatures(quote: str, chance: random.Random) -> str:
    return quote.replace("ﬁ", "fi")


def softly_hyphenated(quote: str, chance: random.Random) -> str:
    return re.sub(r"(?<=[a-z]{4})(?=[a-z]{4})", "\u00ad", quote, count=2)


def full_width(quote: str, chance: random.Random) -> str:
    if "://" in quote:
        return quote
    return re.sub("[0-9]", lambda digit: chr(ord(digit.group()) + 0xFEE0), quote)


def half_width(quote: str, chance: random.Random) -> str:
    return quote.translate(str.maketrans("，；：（）", ",;:()"))


def other_first_letter(quote: str, chance: random.Random) -> str:
    return quote[:1].swapcase() + quote[1:]


def without_period(quote: str, chance: random.Random) -> str:
    return quote.rstrip(".。;；")


def elided(quote: str, chance: random.Random) -> str:
    """The first and the last third, where what falls out denies nothing."""
    words = quote.split(" ")
    third = len(words) // 3
    gap = " ".join(words[third : len(words) - third])
    if third < 3 or re.search(r"\b(?:not?|never|without|neither|nor|cannot)\b|n['’]t\b", gap):
        return quote
    if re.search(r"[\d,)\]*`-]$|^(?:not?|nor)$", words[third - 1]):
        return quote
    if re.match(r"[\d(±%]", words[-third]):
        return quote
    return " ".join([*words[:third], chance.choice(["…", "[…]", "..."]), *words[-third:]])


HABITS: tuple[Callable[[str, random.Random], str], ...] = (
    rewrapped,
    on_one_line,
    straight_quotes,
    curly_quotes,
    single_quotes,
    other_dashes,
    hard_spaces,
    other_ellipsis,
    emphasised,
    unmarked,
    with_ligatures,
    without_ligatures,
    softly_hyphenated,
    full_width,
    half_width,
    other_first_letter,
    without_period,
    elided,
)


def true_quote(passage: str, chance: random.Random) -> str:
    """The passage as an agent's habits leave it."""
    for habit in chance.sample(HABITS, k=chance.randint(1, 4)):
        passage = habit(passage, chance)
    return passage


# Alterations: each changes what is said, in one place; None where there is nothing to change.


def _changed(pattern: str, put: Callable[[re.Match[str]], str]) -> Callable[..., str | None]:
    def alter(quote: str, chance: random.Random) -> str | None:
        places = list(re.finditer(pattern, quote))
        if not places:
            return None
        place = chance.choice(places)
        return quote[: place.start()] + put(place) + quote[place.end() :]

    return alter


_UNITS = {
    "km/h": "m/s", "km": "m", "metres": "yards", "nautical miles": "miles", "tonnes": "tons",
    "MiB": "KiB", "MB": "Mb", "GB": "TB", "TB": "GB", "ms": "Ms", "s": "ms", "seconds": "minutes",
    "minutes": "hours", "months": "years", "years": "months", "kW": "KW", "W": "mW", "GHz": "MHz",
    "Gb/s": "GB/s", "min": "h", "mm": "cm", "毫秒": "秒", "秒": "分钟", "海里": "公里",
    "メートル": "キロメートル", "トン": "キロ", "pages": "bytes", "steps": "floors", "%": "‰",
}  # fmt: skip
_NAMES = {
    "Haldane": "Holdane", "Margaret": "Margret", "Renwick": "Fenwick", "Tobias": "Thomas",
    "Ardmore": "Ardmoor", "Cairnbeg": "Cairnmore", "Skerry": "Skelly", "Inverallan": "Invernairn",
    "Okafor": "Okaför", "Wiśniewski": "Wisniewski", "Li Na": "Li Ne", "store_busy": "storebusy",
    "cache_size": "cachesize", "manual_failover": "manual failover", "open()": "close()",
    "snapshot": "snapshots", "王小明": "王小朋", "李娜": "李那", "张伟": "张玮", "杭州": "抗州",
    "マーガレット": "マーガリット", "田中健一": "田中健二", "スケリー": "スケルー",
    "max_age": "maxage", "November": "December", "June": "July",
}  # fmt: skip


def _one_of(words: dict[str, str]) -> Callable[..., str | None]:
    longest = sorted(words, key=len, reverse=True)
    pattern = "|".join(
        rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])" if word.isascii() else re.escape(word)
        for word in longest
    )
    return _changed(pattern, lambda found: words[found.group()])


def _other_digit(found: re.Match[str]) -> str:
    return str((int(found.group()) + 3) % 10)


NUMBERS = (
    _changed(r"[0-9]", _other_digit),
    _changed(r"(?<=[0-9])[0-9]", lambda found: ""),
    _changed(r"(?<=[0-9])[.,](?=[0-9])", lambda found: ""),
    _changed(r"(?<=[0-9])(?=[0-9])", lambda found: "."),
    _changed(r"[一二三四五六七八九]", lambda found: "十" if found.group() != "十" else "九"),
    _changed(r"±|⁹", lambda found: "" if found.group() == "±" else "9"),
    _changed(r"(?<![\w.,-])(?=[0-9])", lambda found: "-"),
)
NEGATIONS = (
    _changed(r"\b(?:is|was|were|are|can|may|has|must|becomes?|takes|keeps|stands)\b(?! not| no)",
             lambda found: found.group() + " not"),
    _changed(r"\b(?:not|never|no)\s", lambda found: ""),
    _changed(r"n['’]t\b", lambda found: ""),
    _changed(r"cannot", lambda found: "can"),
    _changed(r"(?:不会|不能|无法|没有|并不|不)", lambda found: ""),
    _changed(r"(?:允许|需要|成为|认为|可以|看到)", lambda found: "不" + found.group()),
    _changed(r"ません", lambda found: "ます"),
    _changed(r"(?<=[りいし])ます|ました", lambda found: "ません"),
)  # fmt: skip
NAMES = (_one_of(_NAMES),)
UNITS = (_one_of(_UNITS),)

ALTERATIONS = {"number": NUMBERS, "negation": NEGATIONS, "name": NAMES, "unit": UNITS}


def altered_quote(passage: str, kind: str, chance: random.Random) -> str | None:
    """The passage with one thing changed, then re-typeset; None when it has none of the kind."""
    alter = chance.choice(ALTERATIONS[kind])
    altered = alter(passage, chance)
    if altered is None:
        return None
    for habit in chance.sample(HABITS, k=chance.randint(0, 2)):
        if habit not in (elided, unmarked):  # they might leave the alteration out
            altered = habit(altered, chance)
    return altered
