"""The difference of two texts as a unified diff, at a price that is bounded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

CONTEXT = 3
# Looking for what two texts have in common may cost the square of their lines.
MOST_COMPARED = 4_000

_NO_NEWLINE = "\\ No newline at end of file"

_Opcode = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A unified diff, cut at a line when it is longer than asked for."""

    text: str
    added: int
    removed: int
    total_chars: int

    @property
    def has_more(self) -> bool:
        return self.total_chars > len(self.text)


def difference(before: str, after: str, *, names: tuple[str, str], most_chars: int) -> Difference:
    """What makes `after` of `before`; the empty text when they are equal.

    Where more than 4,000 lines differ the whole stretch is shown as taken out and put in.
    """
    if before == after:
        return Difference(text="", added=0, removed=0, total_chars=0)
    old, new = _lines(before), _lines(after)
    opcodes = _opcodes(old, new)
    changed = [opcode for opcode in opcodes if opcode[0] != "equal"]
    lines = [f"--- {names[0]}", f"+++ {names[1]}", *_hunks(old, new, opcodes)]
    text = "\n".join(lines) + "\n"
    return Difference(
        text=_cut(text, most_chars),
        added=sum(to - start for *_, start, to in changed),
        removed=sum(to - start for _, start, to, *_ in changed),
        total_chars=len(text),
    )


def _lines(text: str) -> list[str]:
    """The lines of a text; the last one says so when no newline ends it."""
    *lines, rest = text.split("\n")
    return [*lines, f"{rest}\n{_NO_NEWLINE}"] if rest else lines


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[_Opcode]:
    """How to make one of the other; only what lies between their common ends is compared."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    if max(old_end, new_end) - head > MOST_COMPARED:
        middle: list[_Opcode] = [("replace", head, old_end, head, new_end)]
    else:
        matcher = SequenceMatcher(None, old[head:old_end], new[head:new_end])
        middle = [
            (tag, a + head, b + head, c + head, d + head)
            for tag, a, b, c, d in matcher.get_opcodes()
        ]
    ends: list[_Opcode] = [("equal", 0, head, 0, head)]
    rest: list[_Opcode] = [("equal", old_end, len(old), new_end, len(new))]
    return [*ends, *middle, *rest]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines the two have in common at their beginning."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _hunks(old: Sequence[str], new: Sequence[str], opcodes: Sequence[_Opcode]) -> Iterator[str]:
    matcher = SequenceMatcher(None, "", "")
    matcher.opcodes = list(opcodes)  # type: ignore[attr-defined]
    for group in matcher.get_grouped_opcodes(CONTEXT):
        _, old_start, _, new_start, _ = group[0]
        _, _, old_end, _, new_end = group[-1]
        old_range, new_range = _range(old_start, old_end), _range(new_start, new_end)
        yield f"@@ -{old_range} +{new_range} @@"
        for tag, a, b, c, d in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[a:b])
                continue
            yield from (f"-{line}" for line in old[a:b])
            yield from (f"+{line}" for line in new[c:d])


def _range(start: int, end: int) -> str:
    """Lines as a hunk's head names them: the first, counted from one, and how many."""
    count = end - start
    return str(start + 1) if count == 1 else f"{start + 1 if count else start},{count}"


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return text[: text.rfind("\n", 0, most) + 1] or text[:most]
