from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from storefiles import closed_store

from lwc.errors import (
    BINARY_SOURCE,
    FILE_NOT_FOUND,
    INPUT_TOO_LARGE,
    INVALID_ENCODING,
    INVALID_SOURCE_PATH,
    NOT_A_REGULAR_FILE,
    STORE_FILE_REFUSED,
    LwcError,
    Problem,
)
from lwc.reader import read_text_argument


def read(base: Path, path: str, *, stdin: bytes = b"", most: int = 100) -> str:
    return read_text_argument(
        path, base=base, stdin=io.BytesIO(stdin), most=most, what="The page body"
    )


def refused(base: Path, path: str, *, stdin: bytes = b"", most: int = 100) -> LwcError:
    with pytest.raises(LwcError) as caught:
        read(base, path, stdin=stdin, most=most)
    return caught.value


@pytest.mark.parametrize("content", ["", " \n", "Grüße,\r\nзаметки\u2028und 𝄞\n", "\ufeffx"])
def test_a_text_is_taken_as_it_stands(tmp_path: Path, content: str) -> None:
    (tmp_path / "body.md").write_bytes(content.encode())
    assert read(tmp_path, "body.md") == content
    assert read(tmp_path, "-", stdin=content.encode()) == content


@pytest.mark.parametrize(
    "content, problem",
    [
        pytest.param(b"x" * 101, INPUT_TOO_LARGE, id="too-large"),
        pytest.param(b"ab\xff", INVALID_ENCODING, id="not-utf-8"),
        pytest.param(b"ab\0", BINARY_SOURCE, id="nul"),
    ],
)
def test_what_is_no_text_is_refused_alike(tmp_path: Path, content: bytes, problem: Problem) -> None:
    (tmp_path / "body.md").write_bytes(content)
    for error in (refused(tmp_path, "body.md"), refused(tmp_path, "-", stdin=content)):
        assert error.problem is problem
        assert error.details.get("offset", 2) == 2


def test_no_more_than_a_byte_over_the_limit_is_read_from_standard_input(tmp_path: Path) -> None:
    stdin = io.BytesIO(b"x" * 1_000)
    with pytest.raises(LwcError):
        read_text_argument("-", base=tmp_path, stdin=stdin, most=100, what="The page body")
    assert stdin.tell() == 101


def test_a_link_is_followed_to_the_agents_own_file(tmp_path: Path) -> None:
    (tmp_path / "scratch.md").write_text("a body")
    (tmp_path / "body.md").symlink_to("scratch.md")
    assert read(tmp_path, "body.md") == "a body"


def test_a_pipe_of_the_shell_is_read_to_its_end(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"from a command")
    os.close(writer)
    try:
        assert read(tmp_path, f"/dev/fd/{reader}") == "from a command"
    finally:
        os.close(reader)


@pytest.mark.parametrize(
    "path, problem",
    [
        pytest.param("missing.md", FILE_NOT_FOUND, id="missing"),
        pytest.param("body.md/x", FILE_NOT_FOUND, id="below-a-file"),
        pytest.param("", INVALID_SOURCE_PATH, id="empty"),
        pytest.param("a\0b", INVALID_SOURCE_PATH, id="nul-in-path"),
        pytest.param(".", NOT_A_REGULAR_FILE, id="folder"),
        pytest.param("fifo", NOT_A_REGULAR_FILE, id="fifo"),
        pytest.param("/dev/zero", NOT_A_REGULAR_FILE, id="device"),
        pytest.param(".lwc/wiki.db", STORE_FILE_REFUSED, id="store"),
        pytest.param("link.md", STORE_FILE_REFUSED, id="link-to-the-store"),
        pytest.param(".lwc/checkpoints/one.db", STORE_FILE_REFUSED, id="checkpoint"),
    ],
)
def test_what_is_no_file_of_the_agent_is_refused(
    tmp_path: Path, path: str, problem: Problem
) -> None:
    (tmp_path / "body.md").write_text("a body")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link.md").symlink_to(".lwc/wiki.db")
    (tmp_path / ".lwc" / "checkpoints").mkdir(parents=True)
    with closed_store():
        for name in ("wiki.db", "checkpoints/one.db"):
            (tmp_path / ".lwc" / name).touch()
    assert refused(tmp_path, path).problem is problem


def test_a_text_of_the_projection_is_taken(tmp_path: Path) -> None:
    (tmp_path / ".lwc").mkdir()
    (tmp_path / ".lwc" / "schema.md").write_text("# Schema")
    assert read(tmp_path, ".lwc/schema.md") == "# Schema"


def test_an_open_database_under_another_name_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "database").write_text("rows")
    os.link(tmp_path / "database", tmp_path / "body.md")
    with open(tmp_path / "database"):
        assert refused(tmp_path, "body.md").problem is STORE_FILE_REFUSED
    assert read(tmp_path, "body.md") == "rows"
