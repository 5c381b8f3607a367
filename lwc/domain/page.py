"""What a page may be: its kind, its provenance, its title and summary, and the digest of it all."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from lwc import wire
from lwc.domain.letters import shows_nothing
from lwc.errors import (
    BLANK,
    INVALID_PROVENANCE,
    INVALID_SCHEMA,
    TOO_LONG,
    UNKNOWN_KIND,
    UNSAFE_CHARACTERS,
)

# A page is read by agents and parsed at every write: 4 MiB cost some 3 s of CPU.
LARGEST_BODY = 4 * 1024 * 1024
BUILT_IN_KINDS = ("source", "concept", "entity", "query", "comparison", "synthesis")
DEFAULT_KIND = "concept"
SOURCE_GROUNDED = "source-grounded"

TITLE_MOST = 500
SUMMARY_MOST = 2000
KIND_MOST = 40
KINDS_MOST = 100
_FRONT_MATTER_MOST = 16 * 1024

# What YAML would not read as the word it looks like.
_YAML_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))
_UNSAFE = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
_BREAKS = str.maketrans("\t\n\r", "   ")


class Provenance(StrEnum):
    """Where a page's words come from, besides the sources it cites; in the order it is shown."""

    USER_PROVIDED = "user-provided"
    AGENT_OBSERVED = "agent-observed"
    HYPOTHESIS = "hypothesis"


def parse_kind(text: str, known: Sequence[str]) -> str:
    """The kind this text names, case and outer spaces aside; close is not enough."""
    kind = text.strip().lower()
    if not kind:
        raise BLANK(field="The kind")
    if kind not in known:
        close = difflib.get_close_matches(kind[: 2 * KIND_MOST], known, n=1)
        suggestion = close[0] if close else DEFAULT_KIND
        raise UNKNOWN_KIND(kind=kind[: 2 * KIND_MOST], known=list(known), suggestion=suggestion)
    return kind


def kinds_of_schema(schema: str) -> tuple[str, ...]:
    """The wiki's own kinds: the list `kinds:` in the schema's front matter, in its order.

    Read without a YAML library: one line in brackets, or one line with a dash for each. What YAML
    could also mean (anchors, aliases, tags, other types) is refused. Built-in kinds may be listed;
    they are left out here.
    """
    lines = _front_matter(schema)
    places = [at for at, line in enumerate(lines) if _is_kinds(line)]
    if not places:
        return ()
    if len(places) > 1:
        raise INVALID_SCHEMA(what="`kinds` stands there twice")
    kinds = [_kind_of(item) for item in _items(lines, places[0])]
    for at, kind in enumerate(kinds):
        if kind in kinds[:at]:
            raise INVALID_SCHEMA(what=f"the kind {kind} is listed twice")
    if len(kinds) > KINDS_MOST:
        raise INVALID_SCHEMA(what=f"there are more than {KINDS_MOST} kinds")
    return tuple(kind for kind in kinds if kind not in BUILT_IN_KINDS)


def known_kinds(schema: str) -> tuple[str, ...]:
    """Every kind a page of this wiki may have."""
    return BUILT_IN_KINDS + kinds_of_schema(schema)


def parse_provenance(names: Iterable[str]) -> tuple[Provenance, ...]:
    """Each once and in the fixed order, however they were given."""
    given = {_provenance(name) for name in names}
    return tuple(one for one in Provenance if one in given)


def shown_provenance(*, cites: bool, explicit: Iterable[str]) -> tuple[str, ...]:
    """What every answer shows: grounded in sources when it cites one, then what was said."""
    said = tuple(one.value for one in parse_provenance(explicit))
    return (SOURCE_GROUNDED, *said) if cites else said


def clean_title(text: str) -> str:
    """A title as it is kept: NFC, trimmed, on one line, nothing unseen in it."""
    title = _clean(text, field="The title", most=TITLE_MOST)
    if shows_nothing(title):
        raise BLANK(field="The title")
    return title


def clean_summary(text: str) -> str:
    """A summary as it is kept: like a title, but it may be empty, and its lines are joined."""
    words = text.translate(_BREAKS).split(" ")
    return _clean(" ".join(filter(None, words)), field="The summary", most=SUMMARY_MOST)


def content_digest(
    *,
    title: str,
    kind: str,
    summary: str,
    body: str,
    provenance: Iterable[str],
    source_ids: Iterable[int],
    named_ids: Iterable[int],
    links: Iterable[str],
) -> str:
    """The same for the same content, in whatever order its sets were given.

    A source that is named too, beside being cited in a footnote, outlives that footnote.
    """
    return wire.digest(
        {
            "title": title,
            "kind": kind,
            "summary": summary,
            "body": body,
            "provenance": parse_provenance(provenance),
            "source_ids": sorted(set(source_ids)),
            "named_ids": sorted(set(named_ids)),
            "links": sorted(set(links)),
        }
    )


def _front_matter(schema: str) -> list[str]:
    """The lines between the first line, `---`, and the next such line; none when it has none."""
    lines = [line.rstrip() for line in schema[:_FRONT_MATTER_MOST].split("\n")]
    if lines[0].lstrip("\ufeff") != "---":
        return []
    for at, line in enumerate(lines[1:], start=1):
        if line in ("---", "..."):
            return lines[1:at]
    if any(map(_is_kinds, lines)):
        raise INVALID_SCHEMA(what="no second line of `---` ends it within 16 KiB")
    return []


def _is_kinds(line: str) -> bool:
    key, colon, _ = line.partition(":")
    return bool(colon) and key.rstrip().strip("\"'") == "kinds"


def _items(lines: Sequence[str], at: int) -> Iterator[str]:
    value = _without_comment(lines[at].partition(":")[2]).strip()
    if value.startswith("[") and value.endswith("]"):
        inner = value[1:-1].strip()
        return iter(inner.removesuffix(",").split(",")) if inner else iter(())
    if value.startswith("["):
        raise INVALID_SCHEMA(what="the list of `kinds` does not end on its line")
    if value:
        raise INVALID_SCHEMA(what="`kinds` is not a list")
    return _dashed(lines[at + 1 :])


def _dashed(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        item = _without_comment(line).strip()
        if not item:
            continue
        if item != "-" and not item.startswith("- "):
            if line[0] in " \t":
                raise INVALID_SCHEMA(what=f"a line under `kinds` has no dash: {item[:KIND_MOST]}")
            return
        yield item[1:]


def _without_comment(line: str) -> str:
    return f" {line}".partition(" #")[0][1:]


def _kind_of(item: str) -> str:
    word = item.strip()
    quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "\"'"
    kind = unicodedata.normalize("NFC", (word[1:-1] if quoted else word)[: 2 * KIND_MOST]).lower()
    odd = (
        not kind
        or len(kind) > KIND_MOST
        or not kind[0].isalpha()
        or not all(char.isalnum() or char in "-_" or _is_mark(char) for char in kind)
        or (not quoted and kind in _YAML_WORDS)
    )
    if odd:
        raise INVALID_SCHEMA(
            what=f"{word[:KIND_MOST] or 'nothing'} is not a kind (one word of at most {KIND_MOST}"
            " letters, digits, `-` and `_`)"
        )
    return kind


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"


def _provenance(name: str) -> Provenance:
    try:
        return Provenance(name.strip().lower())
    except ValueError as error:
        raise INVALID_PROVENANCE(provenance=name[: 2 * KIND_MOST]) from error


def _clean(text: str, *, field: str, most: int) -> str:
    text = text.strip()
    # Composing costs the square of a run of marks; what is four times too long stays too long.
    if len(text) > 4 * most:
        raise TOO_LONG(field=field, most=most)
    if text.isascii() and text.isprintable():
        clean = text
    else:
        clean = unicodedata.normalize("NFC", text)
        for char in clean:
            if unicodedata.category(char) in _UNSAFE or _is_no_character(char):
                raise UNSAFE_CHARACTERS(field=field, character=f"U+{ord(char):04X}")
    if len(clean) > most:
        raise TOO_LONG(field=field, most=most)
    return clean


def _is_no_character(char: str) -> bool:
    """Whether Unicode will never make a character of it."""
    return ord(char) & 0xFFFE == 0xFFFE or "\ufdd0" <= char <= "\ufdef"
