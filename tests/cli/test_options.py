from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import toys
from hypothesis import given
from hypothesis import strategies as st

from lwc.cli import app, parameters
from lwc.errors import LwcError
from lwc.services import workspaces
from lwc.workspace import Scope

Toy = Callable[..., Any]


@pytest.mark.parametrize(
    "typed", ["0", "1.0", "1e3", "٣", " 1", "1 ", "1_000", "+1", "01", "", "x", "9" * 20]
)
def test_an_id_is_plain_digits_or_misuse(toy: Toy, typed: str) -> None:
    ran = toy("toy", "show", typed)
    assert (ran.status, ran.error["reason"]) == (2, "not_a_number")


def test_the_largest_id_is_the_stores(toy: Toy) -> None:
    assert toy("toy", "show", str(2**63 - 1)).answer == {"source": 2**63 - 1}
    assert toy("toy", "show", str(2**63)).status == 2


@given(st.text(max_size=24))
def test_what_parses_as_an_id_prints_as_it_was_typed(typed: str) -> None:
    with suppress(LwcError):
        parsed = parameters.source_id(typed)
        assert str(parsed) == typed
        assert 1 <= parsed < 2**63


@pytest.mark.parametrize(
    "typed, code, status",
    [
        ("0", "invalid_limit", 6),
        ("-1", "invalid_limit", 6),
        ("1000001", "invalid_limit", 6),
        ("9" * 5000, "invalid_limit", 6),
        ("abc", "usage_error", 2),
        ("1_0", "usage_error", 2),
    ],
)
def test_a_limit_outside_its_range_is_told_the_range(
    toy: Toy, typed: str, code: str, status: int
) -> None:
    ran = toy("toy", "echo", "a", "--limit", typed)
    assert (ran.status, ran.error["code"]) == (status, code)
    assert ran.error["reason"] == "limit_out_of_range"
    assert "from 1 to 1000" in ran.error["message"]


@pytest.mark.parametrize("typed, code", [("-1", "invalid_offset"), ("x", "usage_error")])
def test_an_offset_is_zero_or_more(toy: Toy, typed: str, code: str) -> None:
    assert toy("toy", "echo", "a", f"--offset={typed}").error["code"] == code


def test_repeated_options_arrive_as_a_tuple(toy: Toy) -> None:
    parsed = app.parse(["toy", "echo", "a", "--source", "3", "--source", "1"], table=toys.TABLE)
    assert parsed.declared.own(parsed.values)["sources"] == (3, 1)
    assert toy("toy", "echo", "a").answer["sources"] == []


def test_a_repeated_id_is_as_strict_as_a_single_one(toy: Toy) -> None:
    assert toy("toy", "echo", "a", "--source", "1e3").error["reason"] == "not_a_number"


def test_a_service_is_told_who_asks_for_what(toy: Toy) -> None:
    ran = toy(
        *("toy", "write", "p", "--file", "-", "--if-revision", "4", "--if-wiki-revision", "7"),
        *("--agent", "ann", "--request-id", "r1", "--token", "secret"),
        stdin="Text\n",
    )
    assert ran.answer == {
        "agent": "ann",
        "request_id": "r1",
        "if_revision": 7,
        "command": "toy write",
        "arguments": {
            "slug": "p",
            "file": {"sha256": hashlib.sha256(b"Text\n").hexdigest()},
            "if_revision": 4,
        },
        "text": "Text\n",
    }


def test_the_same_text_from_elsewhere_is_the_same_request(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.md").write_text("Text\n")
    from_file = toy("toy", "write", "p", "--file", "one.md").answer
    from_stdin = toy("toy", "write", "p", stdin="Text\n").answer
    assert from_file["arguments"] == from_stdin["arguments"]


@pytest.mark.parametrize(
    "given, expected",
    [
        pytest.param(["--agent", "ann"], "ann", id="option"),
        pytest.param([], "from-variable", id="variable"),
    ],
)
def test_the_option_goes_before_the_variable(
    toy: Toy, monkeypatch: pytest.MonkeyPatch, given: list[str], expected: str
) -> None:
    monkeypatch.setenv("LWC_AGENT", "from-variable")
    assert toy("toy", "write", "p", *given).answer["agent"] == expected


def test_without_a_name_the_agent_is_the_user_of_the_machine(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("USER", "ann")
    assert toy("toy", "write", "p").answer["agent"] == f"ann@{os.uname().nodename}"


@pytest.mark.parametrize(
    "given, reason",
    [
        (["--agent", "a\nb"], "invalid_agent"),
        (["--agent", "a" * 129], "invalid_agent"),
        (["--request-id", "a b"], "invalid_request_id"),
        (["--request-id", "é"], "invalid_request_id"),
    ],
)
def test_names_of_callers_and_requests_are_checked(toy: Toy, given: list[str], reason: str) -> None:
    assert toy("toy", "write", "p", *given).error["reason"] == reason


@pytest.mark.parametrize("typed", ["-1", "x", "1.5", "01"])
def test_a_revision_is_plain_digits(toy: Toy, typed: str) -> None:
    ran = toy("toy", "write", "p", "--if-wiki-revision", typed)
    assert (ran.status, ran.error["reason"]) == (2, "not_a_revision")


@pytest.mark.parametrize(
    "name, code",
    [
        ("../../x", "changeset_name_invalid"),
        (".", "changeset_name_invalid"),
        ("a b", "changeset_name_invalid"),
        ("a\n", "changeset_name_invalid"),
        ("ä" * 41, "changeset_name_invalid"),
        ("spring", "changeset_command_unsupported"),
    ],
)
def test_a_changeset_is_a_safe_name_and_only_for_content(toy: Toy, name: str, code: str) -> None:
    assert toy("toy", "echo", "a", "--changeset", name).error["code"] == code


def test_the_changeset_may_come_from_the_environment(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LWC_CHANGESET", "spring")
    assert toy("toy", "echo", "a").error["code"] == "changeset_command_unsupported"


def test_only_merging_commands_work_on_all_wikis(toy: Toy) -> None:
    ran = toy("--scope", "all", "toy", "echo", "a")
    assert (ran.status, ran.error["code"]) == (2, "scope_not_supported")
    ran = toy("--scope", "all", "--changeset", "spring", "toy", "merge")
    assert ran.error["code"] == "scope_not_supported"


def test_all_wikis_are_those_that_are_there(
    toy: Toy, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert toy("--scope", "all", "toy", "merge").answer["wikis"] == ["project"]
    workspaces.init(project, scope=Scope.GLOBAL, environ=os.environ)
    assert toy("--scope", "all", "toy", "merge").answer["wikis"] == ["project", "global"]


def test_no_wiki_at_all_is_refused(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert toy("--scope", "all", "toy", "merge").error["code"] == "store_not_found"
    assert toy("toy", "merge").error["code"] == "store_not_found"
