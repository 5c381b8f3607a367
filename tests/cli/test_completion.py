from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import toys

import lwc
from lwc.cli import app, candidates
from lwc.cli.completion import SCRIPTS


def offered(*words: str) -> list[str]:
    lines = candidates.answer(words, table=toys.TABLE, build=app.build).splitlines()
    return [line.partition("\t")[0] for line in lines]


@pytest.mark.parametrize(
    "words, expected",
    [
        pytest.param([""], ["toy"], id="nothing yet"),
        pytest.param(["to"], ["toy"], id="a group"),
        pytest.param(["toy", "e"], ["echo"], id="a command"),
        pytest.param(["--scope", "global", "toy", "re"], ["refuse"], id="behind an option"),
        pytest.param(["--sc"], ["--scope"], id="a common option"),
        pytest.param(["--scope", "g"], ["global"], id="a common option's value"),
        pytest.param(["toy", "echo", "--co"], ["--color"], id="an option"),
        pytest.param(["toy", "echo", "--color", ""], ["red", "blue"], id="an option's value"),
        pytest.param(["toy", "echo", "--color", "=", "b"], ["blue"], id="a value behind ="),
        pytest.param(["toy", "echo", "--color", "="], ["red", "blue"], id="nothing behind ="),
        pytest.param(["toy", "echo", "--color=b"], ["--color=blue"], id="a value in one word"),
        pytest.param(["--scope=g"], ["--scope=global"], id="a common value in one word"),
        pytest.param(["toy", "echo", "--limit", ""], [], id="a value only the user knows"),
        pytest.param(["toy", "stop", "SIGT"], ["SIGTERM"], id="an argument"),
        pytest.param(["toy", "echo", "wor"], [], id="an argument only the user knows"),
        pytest.param(["nothing", ""], [], id="an unknown command"),
    ],
)
def test_what_may_come_next_is_offered(words: list[str], expected: list[str]) -> None:
    assert offered(*words) == expected


def test_an_option_is_offered_again_only_when_it_repeats() -> None:
    again = offered("toy", "echo", "--limit", "3", "--source", "1", "--")
    assert "--source" in again
    assert "--limit" not in again


@pytest.fixture
def command(tmp_path: Path) -> dict[str, str]:
    """An environment in which `lwc` is this interpreter's."""
    script = tmp_path / "bin" / "lwc"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m lwc "$@"\n')
    script.chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{script.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(lwc.__file__).parents[1]),
    }


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    "line, expected",
    [
        (["lwc", "page", "put"], ["put", "put-many"]),
        (["lwc", "comp"], ["completion"]),
        (["lwc", "completion", "--out"], ["--output"]),
        (["lwc", "completion", "b"], ["bash"]),
    ],
    ids=lambda line: " ".join(line),
)
def test_bash_completes(command: dict[str, str], line: list[str], expected: list[str]) -> None:
    program = f"""
        eval "$(lwc completion bash)"
        COMP_WORDS=({shlex.join(line)}); COMP_CWORD={len(line) - 1}
        "$(complete -p lwc | sed 's/.*-F \\([^ ]*\\).*/\\1/')" lwc
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    ran = subprocess.run(
        ["bash", "--norc", "-c", program], env=command, capture_output=True, text=True, check=True
    )
    assert ran.stdout.split() == expected


@pytest.mark.parametrize("shell, checked", [("bash", "-n"), ("zsh", "-n"), ("fish", "-n")])
def test_each_script_is_one_its_shell_can_read(
    command: dict[str, str], tmp_path: Path, shell: str, checked: str
) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    script = tmp_path / "script"
    script.write_text(SCRIPTS[shell])
    subprocess.run([shell, checked, str(script)], check=True)
