from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.difference import MOST_COMPARED, difference

NAMES = ("before", "after")
TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d"]), max_size=14).map("".join)


def applied(before: str, diff: str) -> str:
    """The text that the unified diff makes of `before`."""
    old, made, at = before.splitlines(keepends=True), list[str](), 0
    for line in diff.replace("\n\\ No newline at end of file\n", "\0\n").splitlines()[2:]:
        head = re.match(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@", line)
        if head:
            start = int(head.group(1)) - (head.group(2) != "0")
            made += old[at:start]
            at = start
            continue
        text = line[1:-1] if line.endswith("\0") else f"{line[1:]}\n"
        if line[0] in " -":
            assert old[at] == text
            at += 1
        if line[0] in " +":
            made.append(text)
    return "".join([*made, *old[at:]])


@given(TEXTS, TEXTS)
def test_a_diff_makes_the_one_text_of_the_other(before: str, after: str) -> None:
    made = difference(before, after, names=NAMES, most_chars=10**6)
    if before == after:
        assert made.text == ""
    else:
        assert applied(before, made.text) == after


def test_only_the_lines_around_a_change_are_shown() -> None:
    before = "\n".join(map(str, range(100)))
    made = difference(before, before.replace("50", "fifty"), names=NAMES, most_chars=10**6)
    assert made.text.splitlines() == [
        "--- before",
        "+++ after",
        "@@ -48,7 +48,7 @@",
        " 47",
        " 48",
        " 49",
        "-50",
        "+fifty",
        " 51",
        " 52",
        " 53",
    ]
    assert (made.added, made.removed, made.has_more) == (1, 1, False)


def test_a_long_diff_is_cut_at_a_line() -> None:
    made = difference("", "\n".join(["word"] * 100), names=NAMES, most_chars=60)
    assert len(made.text) <= 60
    assert made.text.endswith("+word\n")
    assert made.has_more
    assert made.total_chars > 500


def test_texts_with_too_much_to_compare_are_shown_whole() -> None:
    before = "\n".join(f"a{n % 7}" for n in range(MOST_COMPARED + 1))
    after = "\n".join(f"b{n % 7}" for n in range(MOST_COMPARED + 1))
    made = difference(before, after, names=NAMES, most_chars=10**6)
    assert (made.added, made.removed) == (MOST_COMPARED + 1, MOST_COMPARED + 1)
    assert applied(before, made.text) == after
