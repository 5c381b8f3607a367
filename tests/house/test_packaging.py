from __future__ import annotations

import tomllib
from pathlib import Path

import lwc

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_every_package_folder_is_shipped() -> None:
    folders = {"lwc": ROOT / "lwc"} | {
        f"lwc.{name}": ROOT / name for name in ("migrations", "skills")
    }
    found = {
        ".".join((name, *file.parent.relative_to(folder).parts))
        for name, folder in folders.items()
        for file in folder.rglob("__init__.py")
    }
    assert sorted(PROJECT["tool"]["setuptools"]["packages"]) == sorted(found)


def test_the_version_is_said_once() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert lwc.__version__.count(".") == 2


def test_pins_hold_no_address_and_every_one_has_its_hashes() -> None:
    for name in ("dev.txt", "run.txt"):
        text = (ROOT / "requirements" / name).read_text("utf-8")
        assert "://" not in text
        assert not any(line.startswith("-") for line in text.splitlines())
        pins = [line for line in text.splitlines() if "==" in line]
        assert pins
        assert all(line.endswith("\\") for line in pins)
