from __future__ import annotations

from collections.abc import Mapping

import pytest

from lwc.domain.settings import SETTINGS, Setting
from lwc.errors import INVALID_CONFIG, UNKNOWN_SETTING, LwcError, Problem
from lwc.services import configuration
from lwc.store import journal
from lwc.wiki import Call, Wiki


def held(wiki: Wiki) -> Mapping[str, tuple[str, str]]:
    return {value.key: (value.value, value.origin) for value in configuration.show(wiki).settings}


def test_at_first_every_setting_has_its_default(wiki: Wiki) -> None:
    assert held(wiki) == {row.key: (row.default, "default") for row in SETTINGS}
    assert all(value.meaning for value in configuration.show(wiki).settings)


def test_the_strict_policy_is_the_strict_value_of_each_that_is_not_set(
    wiki: Wiki, call: Call
) -> None:
    configuration.put(wiki, call, values={"policy": "strict", "checks": "standard"})
    now = held(wiki)
    assert now["policy"] == ("strict", "wiki")
    assert now["checks"] == ("standard", "wiki")
    assert (now["claims"], now["citations"]) == (("strict", "policy"), ("required", "policy"))
    assert now["lease_seconds"][1] == "default"


def test_what_is_set_is_told_and_is_in_the_journal(wiki: Wiki, call: Call) -> None:
    first = wiki.revision()
    answer = configuration.put(wiki, call, values={"lease_seconds": " 0600 ", "max_attempts": "7"})
    assert answer.changed == ("lease_seconds", "max_attempts")
    assert answer.revision == wiki.revision() == first + 2
    assert held(wiki)["lease_seconds"] == ("600", "wiki")
    with wiki.reading() as conn:
        last, before = journal.recent(conn, limit=2)
    assert (before.action, before.target) == ("config_set", "lease_seconds")
    assert last.detail == {"value": "7", "before": None}


def test_setting_what_is_set_changes_nothing(wiki: Wiki, call: Call) -> None:
    first = configuration.put(wiki, call, values={"max_attempts": "7"})
    again = configuration.put(wiki, call, values={"max_attempts": "007"})
    assert (again.changed, again.revision) == ((), first.revision)


def test_forgetting_gives_back_policy_or_default(wiki: Wiki, call: Call) -> None:
    values = {"policy": "strict", "claims": "standard", "max_attempts": "7"}
    configuration.put(wiki, call, values=values)
    answer = configuration.drop(wiki, call, keys=["claims", "max_attempts", "citations"])
    assert answer.changed == ("claims", "max_attempts")
    now = held(wiki)
    assert now["claims"] == ("strict", "policy")
    assert now["max_attempts"][1] == "default"
    again = configuration.drop(wiki, call, keys=["claims"])
    assert (again.changed, again.revision) == ((), answer.revision)


NUMBERS = [row for row in SETTINGS if not row.choices]
WORDS = [row for row in SETTINGS if row.choices]


@pytest.mark.parametrize("row", NUMBERS, ids=lambda row: row.key)
def test_a_number_may_be_anything_in_its_range(wiki: Wiki, call: Call, row: Setting) -> None:
    for number in (row.least, row.most):
        configuration.put(wiki, call, values={row.key: str(number)})
        assert held(wiki)[row.key] == (str(number), "wiki")


@pytest.mark.parametrize("row", NUMBERS, ids=lambda row: row.key)
@pytest.mark.parametrize(
    "value",
    ["", "-1", "1.5", "1e2", "0x10", "１２", "12 3", "9" * 13, "9" * 5000, "000000000600999", "a"],
    ids=lambda value: value[:16] or "empty",
)
def test_and_nothing_else(wiki: Wiki, call: Call, row: Setting, value: str) -> None:
    refuse(wiki, call, {row.key: value}, INVALID_CONFIG)


@pytest.mark.parametrize("row", NUMBERS, ids=lambda row: row.key)
def test_nor_one_beyond_its_range(wiki: Wiki, call: Call, row: Setting) -> None:
    for number in (row.least - 1, row.most + 1):
        error = refuse(wiki, call, {row.key: str(number)}, INVALID_CONFIG)
        assert (error.details["least"], error.details["most"]) == (row.least, row.most)


@pytest.mark.parametrize("row", WORDS, ids=lambda row: row.key)
def test_a_word_is_one_of_its_choices(wiki: Wiki, call: Call, row: Setting) -> None:
    for choice in row.choices:
        configuration.put(wiki, call, values={row.key: choice})
        assert held(wiki)[row.key] == (choice, "wiki")
    error = refuse(wiki, call, {row.key: "Strict"}, INVALID_CONFIG)
    assert error.details["choices"] == list(row.choices)


def test_a_key_that_is_none_is_told_with_those_there_are(wiki: Wiki, call: Call) -> None:
    error = refuse(wiki, call, {"lease": "60"}, UNKNOWN_SETTING)
    assert error.details["known"] == [row.key for row in SETTINGS]
    with pytest.raises(LwcError) as caught:
        configuration.drop(wiki, call, keys=["lease"])
    assert caught.value.problem is UNKNOWN_SETTING


def test_of_several_all_are_set_or_none(wiki: Wiki, call: Call) -> None:
    refuse(wiki, call, {"max_attempts": "7", "lease_seconds": "x"}, INVALID_CONFIG)


def refuse(wiki: Wiki, call: Call, values: Mapping[str, str], problem: Problem) -> LwcError:
    """Setting these is refused, and nothing is changed by it."""
    before, revision = held(wiki), wiki.revision()
    with pytest.raises(LwcError) as caught:
        configuration.put(wiki, call, values=values)
    assert caught.value.problem is problem
    assert (held(wiki), wiki.revision()) == (before, revision)
    return caught.value
