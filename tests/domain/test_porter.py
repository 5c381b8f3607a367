from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain import porter
from lwc.domain.porter import stem

ENDINGS = (
    tuple(suffix for suffix, _ in (*porter._STEP_2, *porter._STEP_3))
    + porter._STEP_4
    + (*("s", "es", "ies", "sses", "ed", "eed", "ing", "ying", "y", "e", "ll", "sion", "tion"),)
)
WORDS = st.builds(
    "{}{}{}".format,
    st.text(alphabet="abcdeghilnoprstuvyz", min_size=1, max_size=7),
    st.sampled_from(ENDINGS),
    st.sampled_from(["", "", *ENDINGS]),
)


@pytest.mark.parametrize(
    ("word", "expected"),
    [  # the examples of Porter's paper
        *[("caresses", "caress"), ("ponies", "poni"), ("ties", "ti"), ("caress", "caress")],
        *[("cats", "cat"), ("feed", "feed"), ("agreed", "agre"), ("plastered", "plaster")],
        *[("bled", "bled"), ("motoring", "motor"), ("sing", "sing"), ("conflated", "conflat")],
        *[("troubled", "troubl"), ("sized", "size"), ("hopping", "hop"), ("tanned", "tan")],
        *[("falling", "fall"), ("hissing", "hiss"), ("fizzed", "fizz"), ("failing", "fail")],
        *[("filing", "file"), ("happy", "happi"), ("sky", "sky"), ("relational", "relat")],
        *[("conditional", "condit"), ("rational", "ration"), ("digitizer", "digit")],
        *[("radically", "radic"), ("differently", "differ"), ("vilely", "vile")],
        *[("vietnamization", "vietnam"), ("predication", "predic"), ("operator", "oper")],
        *[("feudalism", "feudal"), ("decisiveness", "decis"), ("hopefulness", "hope")],
        *[("formality", "formal"), ("sensitivity", "sensit"), ("sensibility", "sensibl")],
        *[("triplicate", "triplic"), ("formative", "form"), ("formalize", "formal")],
        *[("electrical", "electr"), ("goodness", "good"), ("revival", "reviv")],
        *[("allowance", "allow"), ("inference", "infer"), ("airliner", "airlin")],
        *[("adjustable", "adjust"), ("replacement", "replac"), ("adoption", "adopt")],
        *[("probate", "probat"), ("rate", "rate"), ("cease", "ceas"), ("controll", "control")],
        *[("roll", "roll"), ("generalizations", "gener"), ("oscillators", "oscil")],
        *[("is", "is"), ("as", "as"), ("1990s", "1990"), ("2026", "2026"), ("yyyy", "yyyi")],
    ],
)
def test_words_have_the_stems_of_the_paper(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.fixture(scope="module")
def sqlite_porter() -> Iterator[sqlite3.Connection]:
    conn = sqlite3.connect(":memory:")
    conn.execute("CREATE VIRTUAL TABLE words USING fts5(word, tokenize='porter unicode61')")
    conn.execute("CREATE VIRTUAL TABLE stems USING fts5vocab(words, 'instance')")
    yield conn
    conn.close()


def test_every_word_of_our_own_texts_is_stemmed_as_sqlite_does(
    sqlite_porter: sqlite3.Connection,
) -> None:
    files = Path(porter.__file__).parents[1].rglob("*.py")
    text = " ".join(file.read_text(encoding="utf-8").lower() for file in files)
    # SQLite leaves a word that is nothing but a suffix as it is.
    words = sorted(set(re.findall("[a-z]{2,40}", text)) - set(ENDINGS))
    assert len(words) > 500
    with sqlite_porter as conn:
        conn.executemany("INSERT INTO words(rowid, word) VALUES (?, ?)", enumerate(words))
        stems = dict(conn.execute("SELECT doc, term FROM stems"))
    assert {word: stem(word) for word in words} == {words[at]: s for at, s in stems.items()}


@given(WORDS)
def test_a_stem_keeps_all_but_its_last_letter_from_the_word(word: str) -> None:
    kept = stem(word)
    assert kept
    assert word.startswith(kept[:-1])
    assert len(kept) <= len(word)
