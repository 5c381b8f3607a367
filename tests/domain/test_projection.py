from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwc.domain.projection import (
    FOLDERS,
    NAME_BYTES,
    OTHER,
    kind_folder,
    page_path,
    source_name,
    source_path,
)
from lwc.domain.slug import collision_key


@pytest.mark.parametrize(
    "path, name",
    [
        pytest.param("docs/notes.md", "notes.md", id="last part"),
        pytest.param("A b  c!.txt", "A-b-c-.txt", id="other runs become one hyphen"),
        pytest.param("README", "README.txt", id="no dot"),
        pytest.param(".env", "env.txt", id="hidden"),
        pytest.param("--x-.md", "x-.md", id="hyphens before"),
        pytest.param("x.md.", "x.md", id="dot behind"),
        pytest.param("docs/!!!", "source.txt", id="nothing left"),
        pytest.param("指南.md", "指南.md", id="letters of any script"),
        pytest.param("über straße.md", "über-straße.md", id="umlauts"),
        pytest.param("a\u202eb\u200bc.md", "a-b-c.md", id="unseen characters"),
        pytest.param("a\nb\x1b[2J.md", "a-b-2J.md", id="control characters"),
        pytest.param("con.md", "con.md", id="a device, which its id makes harmless"),
        pytest.param("..", "source.txt", id="dots"),
        pytest.param("a" * 200 + ".md", "a" * 117 + ".md", id="long"),
        pytest.param("语" * 200 + ".md", "语" * 59 + ".md", id="long in bytes"),
        pytest.param("v1." + "x" * 40, "v1." + "x" * 40, id="no extension behind the dot"),
    ],
)
def test_a_source_keeps_the_last_part_of_its_path(path: str, name: str) -> None:
    assert source_name(path) == name
    assert source_path(12, path) == f"raw/sources/12--{name}"


@given(st.text(max_size=300))
def test_any_path_gives_one_plain_file_name(path: str) -> None:
    name = source_name(path)
    assert name == source_name(path)
    assert "/" not in name
    assert "\0" not in name
    assert name.isprintable()
    assert not name.startswith((".", "-"))
    assert not name.endswith((".", "-", " "))
    assert 0 < len(name.encode()) <= NAME_BYTES
    assert "." in name


@pytest.mark.parametrize(
    "kind, folder",
    [
        *FOLDERS.items(),
        ("decision", "decision"),
        ("rezept", "rezept"),
        ("entities", OTHER),
        ("entity2", "entity2"),
        ("other", OTHER),
        ("ｅｎｔｉｔｉｅｓ", OTHER),
        ("index", OTHER),
        ("con", OTHER),
        ("..", OTHER),
        ("a/b", OTHER),
        ("", OTHER),
    ],
)
def test_a_kind_has_a_folder(kind: str, folder: str) -> None:
    assert kind_folder(kind) == folder
    assert page_path("x", kind) == f"wiki/{folder}/x.md"


@given(st.text(max_size=60))
def test_any_kind_has_a_folder_of_one_safe_name(kind: str) -> None:
    folder = kind_folder(kind)
    assert "/" not in folder
    assert folder not in ("", ".", "..")
    assert folder == OTHER or collision_key(folder) not in {OTHER, *FOLDERS.values()} - {
        FOLDERS.get(kind, "")
    }
