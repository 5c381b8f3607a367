"""What numbers are counted in: scales, units and currencies, as parts of patterns."""

from __future__ import annotations

SPELLED = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh"
    "|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|billion"
)
"""English numbers in words."""

GREAT = (
    "millions?|billions?|trillions?|millionen|milliarden?|millones|millón|milliards?|mil[hl][õo]es"
    "|milioni|miliard\\w{0,3}|миллион\\w{0,3}|миллиард\\w{0,3}|тысяч\\w{0,2}|million"
)
"""Words for great numbers; whatever stands before them belongs to them."""

SCALES = (
    f"{GREAT}|hundreds?|thousands?|dozens?|lakhs?|crores?|percent(?:s|ages?)?|per cent|pct|prozent"
    "|pour cent|por ciento|percentage points?|basis points?|bn|mn|tn|k|mio\\.?|mrd\\.?"
    "|times|[-]?fold"
)

CODES = (
    "USD|EUR|GBP|JPY|CHF|CNY|RMB|INR|RUB|CAD|AUD|NZD|SEK|NOK|DKK|PLN|BRL|KRW|HKD|SGD|Rs\\.?|kr|zł"
)
"""Currencies in letters, which stand before a number or behind it."""

MONEY = "$¢£¥€¤￡￥\u20a0-\u20c0"
"""Signs of currencies, for a character class."""

_PREFIX = "[kMGTPEmµμnpcdh]"
_BEFORE_UNIT = "(?:kilo|mega|giga|milli|micro|nano|centi|square |cubic )?"
UNIT = (
    rf"{_PREFIX}?(?:g|m|s|W|V|Hz|Wh|Pa|eV|mol|bps|bits?|bytes?|[lL]|N|J|F|T|C|H|K|B|M|Ω|Ω|S|Sv|Gy|Bq"
    rf"|cal|bar|rad|kat|lx|lm|cd|Å|Å|t)[²³23]?"
    rf"|[kKMGTPE]i?[Bb](?:/s|ps)?|[kmµμ]A|min|h|rpm|pp[mb]|dBm?|px|fps|k[mM]/h|mph|ha|kt|kn"
    rf"|ft|lbs?|oz|mi|yd|psi|nmi|[ap]\.?m\.?|AM|PM|{CODES}"
    rf"|{_BEFORE_UNIT}(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|centuries"
    rf"|dollars?|euros?|pounds?|cents?|yen|yuan|rupees?|francs?|inch(?:es)?|feet|foot|miles?|yards?"
    rf"|met(?:er|re)s?|grams?|lit(?:er|re)s?|watts?|volts?|amps?|hertz|joules?|kelvin|degrees?"
    rf"|tons?|tonnes?|ounces?|acres?|hectares?|tage?|stunden|jahren?|ans?|jours?|heures?)"
)
