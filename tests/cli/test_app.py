from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import toys

from lwc.__main__ import main
from lwc.cli import app
from lwc.errors import (
    INCOMPLETE_COMMAND,
    NOT_A_NUMBER,
    UNKNOWN_COMMAND,
    USAGE_ERROR,
    LwcError,
    Problem,
)

Toy = Callable[..., Any]


@pytest.mark.parametrize(
    "argv, problem, hint",
    [
        pytest.param(["xyzzy"], UNKNOWN_COMMAND, "lwc --help", id="unknown word"),
        pytest.param(["tyo"], UNKNOWN_COMMAND, "lwc toy --help", id="misspelt group"),
        pytest.param(["toys", "echo"], UNKNOWN_COMMAND, "lwc toy echo", id="unknown group"),
        pytest.param(["toy", "ecko"], UNKNOWN_COMMAND, "lwc toy echo", id="misspelt command"),
        pytest.param(["echo", "x"], UNKNOWN_COMMAND, "lwc toy echo", id="group left out"),
        pytest.param(["toy", "zzz"], UNKNOWN_COMMAND, "lwc toy --help", id="nothing near"),
        pytest.param(["toy"], INCOMPLETE_COMMAND, "lwc toy --help", id="group alone"),
        pytest.param(["--scope", "global"], INCOMPLETE_COMMAND, "lwc --help", id="options alone"),
        pytest.param(["toy", "echo"], USAGE_ERROR, "lwc toy echo --help", id="missing argument"),
        pytest.param(["toy", "echo", "a", "b"], USAGE_ERROR, "lwc toy echo --help", id="too many"),
        pytest.param(["toy", "echo", "a", "--bogus"], USAGE_ERROR, "--help", id="unknown option"),
        pytest.param(["--bogus", "toy", "echo", "a"], USAGE_ERROR, "--help", id="unknown before"),
        pytest.param(["toy", "echo", "a", "--limit"], USAGE_ERROR, "--help", id="no value"),
        pytest.param(["toy", "echo", "a", "--color", "x"], USAGE_ERROR, "--help", id="bad choice"),
        pytest.param(["toy", "echo", "a", "--scope", "x"], USAGE_ERROR, "--help", id="bad scope"),
        pytest.param(["toy", "show", "-1"], USAGE_ERROR, "--help", id="negative id"),
        pytest.param(["toy", "show", "0"], NOT_A_NUMBER, "source list", id="zero id"),
    ],
)
def test_misuse_is_json_on_stderr_with_the_way_out(
    toy: Toy, argv: list[str], problem: Problem, hint: str
) -> None:
    ran = toy(*argv)
    assert (ran.status, ran.error["code"], ran.error["reason"]) == (2, "usage_error", problem.name)
    assert hint in ran.error["hint"]


def test_a_misspelt_option_is_told_the_near_one(toy: Toy) -> None:
    assert "--limit" in toy("toy", "echo", "a", "--limt", "3").error["message"]


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param(["--scope", "global", "toy", "echo", "a"], id="before"),
        pytest.param(["toy", "--scope", "global", "echo", "a"], id="between"),
        pytest.param(["toy", "echo", "--scope", "global", "a"], id="behind"),
        pytest.param(["toy", "echo", "a", "--scope=global"], id="last"),
    ],
)
def test_common_options_stand_anywhere(argv: list[str]) -> None:
    parsed = app.parse(argv, table=toys.TABLE)
    assert (parsed.name, parsed.values["common_scope"]) == ("toy echo", "global")
    assert parsed.values["word"] == "a"


def test_a_value_that_looks_like_an_option_stays_a_value(toy: Toy) -> None:
    assert toy("toy", "echo", "--", "--help").answer["word"] == "--help"


def test_parsing_alone_runs_nothing() -> None:
    assert app.parse(["toy", "boom"], table=toys.TABLE).name == "toy boom"
    with pytest.raises(LwcError) as caught:
        app.parse(["toy", "boom", "x"], table=toys.TABLE)
    assert caught.value.problem is USAGE_ERROR


def test_a_refusal_is_one_line_with_its_exit_status(toy: Toy) -> None:
    ran = toy("toy", "refuse", "no-such page")
    assert (ran.status, ran.err.count("\n")) == (3, 1)
    assert ran.error["code"] == "page_not_found"
    assert "'no-such page'" in ran.error["hint"]


def test_an_unforeseen_failure_is_internal_and_keeps_its_traceback_for_v(toy: Toy) -> None:
    quiet, verbose = toy("toy", "boom"), toy("toy", "boom", "-v")
    assert (quiet.status, quiet.error["code"]) == (1, "internal_error")
    assert "Traceback" not in quiet.err
    assert "ZeroDivisionError: boom" in verbose.err
    assert verbose.error["details"]["kind"] == "ZeroDivisionError"


@pytest.mark.parametrize("name, status", [("SIGINT", 130), ("SIGTERM", 143)])
def test_an_interrupted_command_says_so_and_leaves_the_handlers_as_they_were(
    toy: Toy, name: str, status: int
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    ran = toy("toy", "stop", name)
    assert (ran.status, ran.error["code"]) == (status, "interrupted")
    assert ran.error["committed"] is False
    assert signal.getsignal(signal.SIGTERM) == before


def test_an_interrupted_change_of_an_open_wiki_does_not_claim_to_know(
    toy: Toy, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert toy("toy", "stop", "SIGTERM", "--wiki").error["committed"] == "unknown"


@pytest.mark.parametrize(
    "argv, words",
    [
        pytest.param(["toy", "--help"], "toy echo", id="group"),
        pytest.param(["--help"], "Options that most commands have", id="front"),
        pytest.param(
            ["--scope", "global", "-h"], "Options that most commands have", id="behind options"
        ),
        pytest.param(["toy", "echo", "--help"], "It stays as it was.", id="command"),
        pytest.param(["toy", "echo", "a", "-h"], "Say a word back.", id="behind arguments"),
    ],
)
def test_help_is_a_text_on_stdout(toy: Toy, argv: list[str], words: str) -> None:
    ran = toy(*argv)
    assert (ran.status, ran.err) == (0, "")
    assert words in ran.out


def test_a_manual_has_the_same_width_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    narrow = app.manual(toys.TABLE[0])
    monkeypatch.setenv("COLUMNS", "200")
    assert app.manual(toys.TABLE[0]) == narrow


def test_main_runs_again_and_again_with_another_folder_and_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for form in ("json", "text", "json"):
        folder = tmp_path / form
        folder.mkdir(exist_ok=True)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("LWC_OUTPUT", form)
        assert main(["no-such-command"]) == 2
        assert capsys.readouterr().err.startswith("{") is (form == "json")


def test_main_reads_the_words_of_the_process_when_given_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["lwc", "--version"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("lwc ")


def test_no_words_at_all_print_the_front_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "ingest next" in capsys.readouterr().out


def test_a_removed_current_folder_is_refused_in_words(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert "was removed" in toy("toy", "merge").error["message"]
    os.chdir(tmp_path)


def test_errors_are_compact_json(toy: Toy) -> None:
    line = toy("toy", "refuse", "x").err.strip()
    assert line == json.dumps(
        json.loads(line), separators=(",", ":"), sort_keys=True, ensure_ascii=False
    )
