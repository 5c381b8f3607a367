from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import lwc
from lwc.cli import output, views
from lwc.errors import SOURCE_NOT_FULLY_READ

Toy = Callable[..., Any]
HERE = {"PYTHONPATH": str(Path(lwc.__file__).parents[1])}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@dataclass(frozen=True)
class Row:
    slug: str
    title: str
    sha256: str
    sources: tuple[int, ...]


@dataclass(frozen=True)
class Listing:
    scope: str
    pages: tuple[Row, ...]
    note: str
    total: int
    limit: int
    offset: int
    has_more: bool


LISTING = Listing(
    scope="project",
    pages=(Row("alpha", "Alpha\nline", "a" * 64, (1, 2)), Row("二", "漢字", "b" * 64, ())),
    note="first\nsecond",
    total=12,
    limit=2,
    offset=0,
    has_more=True,
)


def test_a_pipe_gets_json_and_a_terminal_text(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    assert toy("toy", "echo", "word").out.startswith("{")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    output.reply(LISTING)
    assert not terminal.getvalue().startswith("{")


@pytest.mark.parametrize(
    "given, variable, is_json",
    [
        pytest.param([], "text", False, id="variable"),
        pytest.param(["--output", "json"], "text", True, id="option over variable"),
        pytest.param(["--output", "text"], "", False, id="option"),
    ],
)
def test_the_form_can_be_forced(
    toy: Toy, monkeypatch: pytest.MonkeyPatch, given: list[str], variable: str, is_json: bool
) -> None:
    monkeypatch.setenv("LWC_OUTPUT", variable)
    assert toy("toy", "echo", "word", *given).out.startswith("{") is is_json
    assert toy("toy", "refuse", "x", *given).err.startswith("{") is is_json


def test_an_unknown_form_is_misuse(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LWC_OUTPUT", "yaml")
    assert toy("toy", "echo", "word").error["code"] == "usage_error"


def test_json_is_utf8_whatever_the_locale() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", "from lwc.cli.output import reply; reply({'a': '漢\\u202e'})"],
        env={**os.environ, **HERE, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert ran.stdout.decode() == '{\n  "a": "漢\\u202e"\n}\n'


def test_a_listing_is_a_table_with_the_way_to_the_rest() -> None:
    text = views.render(LISTING, terminal=False)
    assert "slug" in text
    assert "Alpha line" in text
    assert "漢字" in text
    assert "aaaaaaaaaaaa " in text
    assert "a" * 13 not in text
    assert "--offset 2" in text
    assert "\x1b" not in text


def test_objects_in_a_cell_are_counted() -> None:
    text = views.render(
        [{"slug": "alpha", "citations": [{"label": "c1"}, {"label": "c2"}]}], terminal=False
    )
    assert text.splitlines()[-1].split() == ["alpha", "2"]


def test_no_text_can_drive_the_terminal() -> None:
    evil = "\x1b]0;owned\x07 \x9b2J \u202edcba [red]x[/red]"
    for answer in ({"a": evil}, {"a": [{"b": evil}]}, {"a": f"x\n{evil}"}, [evil], evil):
        text = views.render(answer, terminal=False)
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(text)
        assert "[red]x[/red]" in text


def test_colours_are_for_terminals_that_may_show_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b[" in views.render({"a": 1}, terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in views.render({"a": 1}, terminal=True)


def test_an_answer_may_have_a_view_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "VIEWS", {"Listing": lambda answer: views.words(answer.total)})
    assert views.render(LISTING, terminal=False) == "12\n"


def test_a_refusal_at_a_terminal_is_words_with_the_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    error = SOURCE_NOT_FULLY_READ(job=3, missing_chars=9, details={"missing": [[1, 10]]})
    assert output.refuse(error) == 5
    said = terminal.getvalue()
    assert said.startswith("source_not_fully_read 9 characters")
    assert "missing: 1–10" in said
    assert "lwc ingest read 3" in said


def test_progress_is_drawn_at_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR")
    for stream, drawn in ((io.StringIO(), False), (Terminal(), True)):
        monkeypatch.setattr(sys, "stderr", stream)
        with output.progress(3, "Adding files") as advance:
            advance()
            advance(2, 3)
        assert ("Adding files" in stream.getvalue()) is drawn


def _script(stdout: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lwc", "completion", "bash"],
        env={**os.environ, **HERE},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_device_is_a_refusal() -> None:
    with open("/dev/full", "w") as full:
        ran = _script(full)
    assert ran.returncode == 1
    assert '"reason":"output_not_written"' in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_reader_that_left_is_no_news() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ran = _script(writer)
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (141, "")


def test_a_closed_stdout_is_a_refusal_and_no_file_is_printed_into(tmp_path: Path) -> None:
    ran = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" -m lwc completion bash >&-', sys.executable],
        env={**os.environ, **HERE},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert '"reason":"output_not_written"' in ran.stderr


def test_an_answer_that_could_not_be_written_says_whether_the_change_stands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert output.reply({"a": 1}, "json", committed=True) == 1
    assert '"committed":true' in capsys.readouterr().err
