"""The examples for Python, run one after the other as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "howto" / "python.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_every_example_does_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    blocks = BLOCK.findall(DOCS.read_text("utf-8"))
    assert len(blocks) == 4
    for block in blocks:
        exec(compile(block, str(DOCS), "exec"), names)
    first, found, source, refused = capfd.readouterr().out.splitlines()
    assert first == "exact 1"
    assert found.startswith("single-writer One writer.")
    assert source.startswith("1 Only one writer can hold")
    assert refused.startswith("single-writer is at revision 1, not 7.")
