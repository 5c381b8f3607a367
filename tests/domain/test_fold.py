from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.fold import SPACED, TYPESET, Trace, fold_character, folded, lowered

TEXTS = st.text(
    alphabet=st.one_of(
        st.sampled_from(
            list(" \n\t-*_`[]()\"'“”’…—–−\u00ad\u200b\u00a0ﬁ５，。你好ｶﾞe\u0301İΣaB19.")
        ),
        st.characters(codec="utf-8"),
    ),
    max_size=60,
)


@given(TEXTS, st.sampled_from([SPACED, TYPESET]))
def test_a_trace_folds_as_folding_does(text: str, stages: tuple[object, ...]) -> None:
    assert Trace(text, stages).text == folded(text, stages)  # type: ignore[arg-type]


@given(TEXTS, st.sampled_from([SPACED, TYPESET]))
def test_every_folded_character_stems_from_some_of_the_text(
    text: str, stages: tuple[object, ...]
) -> None:
    trace = Trace(text, stages)  # type: ignore[arg-type]
    last = 0
    for at in range(len(trace.text)):
        start, end = trace.origin(at, at + 1)
        assert 0 <= start < end <= len(text)
        assert start >= last or end >= last
        last = start


@given(TEXTS)
def test_a_passage_mapped_back_folds_to_itself_when_only_spaces_fold(text: str) -> None:
    trace = Trace(text, SPACED)
    start, end = trace.origin(0, len(trace.text)) if trace.text else (0, 0)
    assert text[start:end].split() == text.split()


@given(TEXTS)
def test_lower_case_keeps_the_length_of_folded_text(text: str) -> None:
    cased = folded(text, TYPESET)
    assert len(lowered(cased)) == len(cased)


@pytest.mark.parametrize(
    "text, words",
    [
        ("a  b\n\tc", "a b c"),
        ("“a” ‘b’ «c» 「d」", "'a' 'b' 'c' 'd'"),
        ("a – b — c -- d", "a - b - c - d"),
        ("a—b a--b 3–5 3--5", "a-b a-b 3-5 3-5"),
        ("**a** *b* __c d__ _e_ `f` ***g***", "a b c d e f g"),
        ("**one `two` three**", "one two three"),
        ("这是**重点**内容", "这是重点内容"),
        ("see [the docs](https://x.y/z) and ![a map](m.png)", "see the docs and a map"),
        ("ofﬁce ﬂoor", "office floor"),
        ("inter\u00adnational inter\u00ad\nnational", "international international"),
        ("well-\nknown well-  known", "well-known well-known"),
        ("１２３ＡＢＣ", "123ABC"),
        ("第一行\n第二行，\n第三行", "第一行第二行,第三行"),
        ("e\u0301 ｶﾞ", "é ガ"),
        ("a\u200bb\ufeff", "ab"),
        ("…", "..."),
    ],
)
def test_typography_goes(text: str, words: str) -> None:
    assert folded(text, TYPESET) == words


@pytest.mark.parametrize(
    "text",
    [
        "10² 10₂ 1½ ① ⑴ ª ㎡",
        "5*10*2 2 *3*4 2 * 3",
        "snake_case __init__ _private *.py *args src/*.py test/*.py",
        "a[i](x) f[0](1)",
        "~5 ~~not~~",
        "--force i-- --5",
        "5' and 5\"",
        "你好 world 你好",
        "二 三",
        "5 - 3",
        "can't cannot",
    ],
)
def test_what_may_matter_stays(text: str) -> None:
    assert folded(text, TYPESET) == text


def test_no_folding_of_one_character_changes_a_digit() -> None:
    for code in range(0x110000):
        char = chr(code)
        put = fold_character(char)
        if put == char:
            continue
        digits = [part for part in put if unicodedata.category(part)[0] == "N"]
        if digits:
            value = unicodedata.digit(char, None)
            assert unicodedata.category(char) == "Nd"
            assert [str(value)] == digits
