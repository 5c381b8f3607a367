"""The words that deny, in the languages a source may be in: as parts of patterns, and in a gap."""

from __future__ import annotations

import re

from lwc.domain.fold import WIDE

_PLAIN = (
    "not|no|never|without|cannot|neither|nor|non|nothing|none|nobody|no one|hardly|barely|scarcely"
    "|seldom|rarely|unlikely|far from|anything but|instead of|rather than|unable to"
    "|(?:fail|refuse)(?:s|d|ed)? to"
    "|(?:is|are|was|were|does|do|did|has|have|had|ca|wo|would|could|should)nt"
    "|nicht|kein\\w{0,2}|nie|niemals|ohne|weder|keineswegs"  # German
    "|pas|jamais|sans|aucune?|ne|ni"  # French
    "|nunca|jamás|sin|tampoco|não|nem|sem"  # Spanish, Portuguese
    "|mai|senza|nessun\\w?|niente"  # Italian
    "|niet|geen|nooit|zonder|ikke|ikkje|aldri|inte|aldrig|inga|ekki"  # Dutch, the North
    "|ei|eivät|nem|nincs|nije|nisu|bez"  # Finnish, Hungarian, Slavic languages in Latin letters
    "|не|ни|нет|без|никогда|нельзя|немає"  # Russian, Ukrainian
    "|δεν|μην?|όχι|χωρίς"  # Greek
    "|değil|không|chưa|chẳng|tidak|bukan|jangan"  # Turkish, Vietnamese, Indonesian
    "|لا|لم|لن|ليس|ليست|غير|بدون|לא|אין|בלי"  # Arabic, Hebrew
    "|नहीं|मत|안|못"  # Hindi, Korean
)
_BETWEEN = (
    r"longer|yet|ever|very|quite|at|all|any|always|so|that|a|an|the|even|just|to|be|been|being|as"
    r"|too|way|much|more|really|however|è|es|é|está|ist|est|sehr|так|очень|\w{2,12}ly"
)
DENIED = rf"(?:\b(?i:{_PLAIN})|n['’`´‘]t)(?:[\s,]{{1,3}}(?i:{_BETWEEN})\b,?){{0,2}}"
"""A denial, and up to two words between it and what is denied."""

DENIES_AFTER = (
    "(?i:not|never|nicht|nie|niet|ikke|ikkje|inte|ekki|pas|jamais|değil|नहीं|nunca|nije|mai)"
)
"""What stands behind the verb it denies."""

_WIDE_DENIAL = (
    "[不没沒未无無非勿莫否]|(?<![特分个個級级性類类區区差識识判鑑鉴])[别別]"
    "|禁止|严禁|嚴禁|难以|難以|切忌|拒绝|拒絕"
)
_WIDE_BETWEEN = (
    "[是有会會能可法再得要应應曾太很够夠大怎甚必足算]|应该|應該|允许|允許|建议|建議|需要|必要|可能"
    "|能够|能夠|足以|随便|隨便|一定|完全|那么|那麼|怎么|怎麼"
)
WIDE_DENIED = rf"(?:{_WIDE_DENIAL})(?:{_WIDE_BETWEEN}){{0,2}}[\s「『“\"'‘（(]{{0,3}}"
"""A denial in Chinese, or in the Han words of Japanese, and what may part it from the denied."""

WIDE_DENIES_AFTER = "[ぁ-ん]{0,6}(?:ない|なか|なく|ませ|ません)|[ずぬ]|まい"
"""How a Japanese word goes on that is denied."""

HANGUL_DENIES_AFTER = r"\s?(?:않|못하|못했|못한|아니|없)"

_ANY = re.compile(
    rf"(?<!\w)(?:{_PLAIN}|few|little|unless|except|lack\w{{0,3}}|less|fewer|minus)(?!\w)"
    rf"|n['’`´‘]t\b|\bn['’]\w|{_WIDE_DENIAL}|[{WIDE}](?:ない|なか|なく|ませ|[ずぬ])|않|못|아니|없|ไม่",
    re.IGNORECASE,
)


def denies(text: str) -> bool:
    """Whether a denial stands anywhere in it."""
    return _ANY.search(text) is not None
