from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.letters import WORD_LIMIT, fold_char, in_word, is_cjk, runs


def words(text: str) -> list[str]:
    return [word for word, _ in runs(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Version 2026.4.10, snake_case!", ["version", "2026", "4", "10", "snake", "case"]),
        ("Don't", ["don", "t"]),
        ("Straße ÉCOLE ﬁle Ｗｉｄｅ", ["strasse", "école", "file", "wide"]),
        ("cafe\u0301 CAFÉ", ["café", "café"]),
        ("ΣΊΣΥΦΟΣ σίσυφος", ["σίσυφοσ", "σίσυφοσ"]),
        ("soft\u00adhyphen zero\u200bwidth", ["softhyphen", "zero", "width"]),
        ("हिन्दी में ภาษาไทย", ["हिन्दी", "में", "ภาษาไทย"]),
        ("用SQLite3存储", ["用", "sqlite3", "存储"]),
        ("キャッシュ・メモリ ｷｬｯｼｭ", ["キャッシュ", "メモリ", "キャッシュ"]),
        ("한국어 지식", ["한국어", "지식"]),
        ("時々", ["時々"]),
        ("x² ㎏ ½", ["x2", "kg", "1", "2"]),
        ("\U0001f600 \ue000 \ud800 — …", []),
    ],
    ids=ascii,
)
def test_texts_fall_into_folded_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_decomposed_hangul_is_the_same_word() -> None:
    assert words(unicodedata.normalize("NFD", "한국어 지식")) == words("한국어 지식")


@given(st.text(max_size=60))
def test_every_normal_form_of_a_text_has_the_same_words(text: str) -> None:
    expected = list(runs(text))
    for form in ("NFC", "NFD"):
        assert list(runs(unicodedata.normalize(form, text))) == expected


@given(st.text(max_size=60))
def test_words_hold_nothing_but_letters_marks_and_digits(text: str) -> None:
    for word, cjk in runs(text):
        assert all(map(in_word, word))
        assert {is_cjk(char) for char in word} == {cjk}
        assert cjk or len(word) <= WORD_LIMIT


@given(st.characters())
def test_folding_a_character_twice_is_folding_it_once(char: str) -> None:
    once = fold_char(char)
    assert once == " " or "".join(map(fold_char, once)).split() == once.split()


@given(st.text(max_size=40))
def test_words_fold_to_themselves(text: str) -> None:
    found = words(text)
    assert words(" ".join(found)) == found


@pytest.mark.parametrize(
    "unit",
    ["a", "é", "\u0316\u0301", "漢", "\u3099\u302a", "\u1100\u1161", "ﷺ", "_", "aB", "\u00ad"],
    ids=ascii,
)
def test_a_hundred_thousand_of_anything_are_read_at_once(unit: str) -> None:
    # Composing all the marks in one go would take ten seconds; 100 MB a second is not asked here.
    assert sum(len(word) for word, _ in runs(unit * 100_000)) >= 0
