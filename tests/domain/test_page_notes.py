from __future__ import annotations

import pytest

from lwc.domain.citation import citation_marks
from lwc.domain.markdown import read_page
from lwc.domain.page_notes import MOST_OF_A_KIND, NoteCode, notes_of


def noted(body: str) -> list[tuple[str, int, str]]:
    text = read_page(body)
    return [(note.code, note.line, note.target) for note in notes_of(text, citation_marks(text))]


@pytest.mark.parametrize(
    "body, expected",
    [
        pytest.param(
            "A claim that rests on nothing.\n", [(NoteCode.CLAIM_UNCITED, 1, "")], id="uncited"
        ),
        pytest.param('A claim that is cited.[^a]\n\n[^a]: source:1 "words"\n', [], id="cited"),
        pytest.param(
            "A claim with a mere remark.[^a]\n\n[^a]: a remark\n",
            [(NoteCode.CLAIM_UNCITED, 1, "")],
            id="a footnote that is no citation",
        ),
        pytest.param(
            "[^a]: source:1\n", [(NoteCode.FOOTNOTE_UNREFERENCED, 1, "a")], id="unreferenced"
        ),
        pytest.param(
            "Word[^a]\n\n[^a]: source:1\n\n[^a]: source:2\n",
            [(NoteCode.FOOTNOTE_DUPLICATE, 5, "a")],
            id="defined twice",
        ),
        pytest.param("Word[^a]\n", [(NoteCode.FOOTNOTE_UNDEFINED, 1, "a")], id="undefined"),
    ],
)
def test_a_text_is_noted_with_its_place(body: str, expected: list[tuple[str, int, str]]) -> None:
    assert noted(body) == expected


def test_each_is_noted_once_and_of_one_kind_only_so_many() -> None:
    assert noted("[^a] [^a] [^a]\n") == [(NoteCode.FOOTNOTE_UNDEFINED, 1, "a")]
    body = "".join(f"[^n{number}] " for number in range(MOST_OF_A_KIND + 5))
    assert len(noted(body)) == MOST_OF_A_KIND
