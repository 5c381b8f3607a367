from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest
from rights import without_rights
from storefiles import closed_store

from lwc.errors import (
    BINARY_SOURCE,
    EMPTY_SOURCE,
    FILE_NOT_FOUND,
    FILE_UNREADABLE,
    HARD_LINK_REFUSED,
    INVALID_ENCODING,
    INVALID_SOURCE_PATH,
    NOT_A_REGULAR_FILE,
    PATH_OUTSIDE_ROOT,
    SOURCE_CHANGED,
    SOURCE_TOO_LARGE,
    STDIN_REFUSED,
    STORE_FILE_REFUSED,
    SYMLINK_REFUSED,
    URL_REFUSED,
    LwcError,
    Problem,
)
from lwc.reader import LARGEST, Document, read_document

SECRET = "the secret of another folder\n"
OWN = "the project's own words\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project's folder, with a secret beside it."""
    inside = tmp_path / "project"
    inside.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "notes.md").write_text(SECRET)
    return inside


def read(folder: Path, path: str, **rules: object) -> Document:
    return read_document(path, root=folder, base=folder, **rules)  # type: ignore[arg-type]


def refused(folder: Path, path: str, **rules: object) -> LwcError:
    with pytest.raises(LwcError) as caught:
        read(folder, path, **rules)
    assert SECRET.strip() not in repr(caught.value.body())
    assert str(folder) not in repr(caught.value.body())
    return caught.value


class TestAFile:
    def test_is_read_as_it_stands_with_its_digest(self, folder: Path) -> None:
        content = "\ufeffGrüße,\r\nзаметки и 𝄞\n".encode()
        (folder / "notes.md").write_bytes(content)
        document = read(folder, "notes.md")
        status = (folder / "notes.md").stat()
        assert document == Document(
            path=folder / "notes.md",
            tracked="notes.md",
            text=content.decode(),
            digest=sha256(content).hexdigest(),
            bytes=len(content),
            mtime_ns=status.st_mtime_ns,
            inode=status.st_ino,
        )

    @pytest.mark.parametrize(
        "written",
        ["docs/a.md", "./docs/a.md", "docs//a.md", "docs/../docs/a.md", "missing/../docs/a.md"],
    )
    def test_has_one_tracked_path_however_it_is_written(self, folder: Path, written: str) -> None:
        (folder / "docs").mkdir()
        (folder / "docs" / "a.md").write_text(OWN)
        assert read(folder, written).tracked == "docs/a.md"

    def test_is_found_from_a_folder_below_the_root(self, folder: Path) -> None:
        (folder / "docs").mkdir()
        (folder / "a.md").write_text(OWN)
        document = read_document("../a.md", root=folder, base=folder / "docs")
        assert document.tracked == "a.md"

    def test_is_inside_however_the_root_itself_is_spelt(self, folder: Path) -> None:
        (folder / "a.md").write_text(OWN)
        alias = folder.parent / "alias"
        alias.symlink_to(folder)
        for root, path in [(alias, folder / "a.md"), (folder, alias / "a.md")]:
            document = read_document(path, root=root, base=folder)
            assert (document.tracked, document.path) == ("a.md", folder / "a.md")

    def test_outside_is_taken_only_when_that_is_allowed(self, folder: Path) -> None:
        path = "../outside/notes.md"
        assert refused(folder, path).problem is PATH_OUTSIDE_ROOT
        document = read(folder, path, allow_external=True)
        assert document.text == SECRET
        assert document.tracked == str(document.path) == str(folder.parent / "outside/notes.md")

    def test_outside_is_taken_by_the_real_name_of_its_folder(self, folder: Path) -> None:
        (folder.parent / "alias").symlink_to("outside")
        document = read(folder, "../alias/notes.md", allow_external=True)
        assert document.tracked == str(folder.parent / "outside/notes.md")

    def test_needs_no_root_in_the_global_scope(self, folder: Path) -> None:
        path = folder.parent / "outside" / "notes.md"
        document = read_document("../outside/notes.md", root=None, base=folder)
        assert document.tracked == str(path)

    def test_outside_is_refused_alike_whether_it_is_there_or_not(self, folder: Path) -> None:
        there = refused(folder, "../outside/notes.md")
        missing = refused(folder, "../outside/nope.md")
        assert there.problem is missing.problem

    def test_with_a_second_name_is_refused_below_the_root(self, folder: Path) -> None:
        os.link(folder.parent / "outside" / "notes.md", folder / "notes.md")
        assert refused(folder, "notes.md").problem is HARD_LINK_REFUSED
        assert read(folder, "notes.md", allow_external=True).text == SECRET

    def test_leaves_no_descriptor_open(self, folder: Path) -> None:
        (folder / "docs").mkdir()
        (folder / "docs" / "a.md").write_text(OWN)
        (folder / "link.md").symlink_to("docs/a.md")
        before = os.listdir("/dev/fd")
        for _ in range(20):
            read(folder, "docs/a.md")
            refused(folder, "link.md")
            refused(folder, "docs")
            refused(folder, "docs/nope/a.md")
        assert len(os.listdir("/dev/fd")) == len(before)


class TestWhatIsNoFile:
    @pytest.mark.parametrize(
        "path, problem",
        [
            pytest.param("missing.md", FILE_NOT_FOUND, id="missing"),
            pytest.param("a.md/b.md", FILE_NOT_FOUND, id="below-a-file"),
            pytest.param("nope/b.md", FILE_NOT_FOUND, id="below-nothing"),
            pytest.param("-", STDIN_REFUSED, id="standard-input"),
            pytest.param("https://example.com/a.md", URL_REFUSED, id="web-address"),
            pytest.param("HTTP://example.com/", URL_REFUSED, id="web-address-upper-case"),
            pytest.param("", INVALID_SOURCE_PATH, id="empty"),
            pytest.param("a\0.md", INVALID_SOURCE_PATH, id="nul-in-path"),
            pytest.param("a\udcff.md", INVALID_SOURCE_PATH, id="not-utf-8-name"),
            pytest.param("a" * 300 + ".md", INVALID_SOURCE_PATH, id="too-long"),
            pytest.param("/etc/passwd", PATH_OUTSIDE_ROOT, id="absolute"),
            pytest.param("../../../../etc/passwd", PATH_OUTSIDE_ROOT, id="parents"),
            pytest.param(".", NOT_A_REGULAR_FILE, id="the-root"),
            pytest.param("docs", NOT_A_REGULAR_FILE, id="folder"),
        ],
    )
    def test_is_refused(self, folder: Path, path: str, problem: Problem) -> None:
        (folder / "a.md").write_text(OWN)
        (folder / "docs").mkdir()
        assert refused(folder, path).problem is problem

    def test_a_fifo_is_answered_at_once(self, folder: Path) -> None:
        os.mkfifo(folder / "notes.md")
        error = refused(folder, "notes.md")
        assert (error.problem, error.details["kind"]) == (NOT_A_REGULAR_FILE, "FIFO")

    def test_a_device_is_not_opened(self, folder: Path) -> None:
        error = refused(folder, "/dev/zero", allow_external=True)
        assert (error.problem, error.details["kind"]) == (NOT_A_REGULAR_FILE, "device")

    def test_a_socket_is_not_opened(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(folder)  # the path of a socket is short
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("notes.md")
            error = refused(folder, "notes.md")
        assert (error.problem, error.details["kind"]) == (NOT_A_REGULAR_FILE, "socket")

    @pytest.mark.skipif(sys.platform != "linux", reason="kernel files are Linux's")
    @pytest.mark.parametrize("path", ["/proc/version", "/proc/self/environ", "/sys/kernel/mm"])
    def test_what_the_kernel_answers_is_no_file(self, folder: Path, path: str) -> None:
        error = refused(folder, path, allow_external=True)
        assert error.problem is NOT_A_REGULAR_FILE

    def test_a_file_without_rights_is_unreadable(self, public: Path) -> None:
        (public / "a.md").write_text(OWN)
        (public / "a.md").chmod(0)
        with without_rights():
            assert refused(public, "a.md").problem is FILE_UNREADABLE

    def test_a_folder_that_may_only_be_entered_is_no_hindrance(self, public: Path) -> None:
        (public / "docs").mkdir()
        (public / "docs" / "a.md").write_text(OWN)
        (public / "docs").chmod(0o711)
        with without_rights():
            assert read(public, "docs/a.md").text == OWN


class TestALink:
    @pytest.mark.parametrize("target", ["../outside/notes.md", "own.md", "/etc/passwd", "nowhere"])
    def test_is_refused_as_the_file(self, folder: Path, target: str) -> None:
        (folder / "own.md").write_text(OWN)
        (folder / "notes.md").symlink_to(target)
        assert refused(folder, "notes.md").problem is SYMLINK_REFUSED
        assert refused(folder, "notes.md", allow_external=True).problem is SYMLINK_REFUSED

    @pytest.mark.parametrize("target", ["../outside", "real", "/proc/self/cwd"])
    def test_is_refused_as_a_folder_on_the_way(self, folder: Path, target: str) -> None:
        (folder / "real").mkdir()
        (folder / "real" / "notes.md").write_text(OWN)
        (folder / "docs").symlink_to(target)
        assert refused(folder, "docs/notes.md").problem is SYMLINK_REFUSED

    def test_outside_is_refused_as_the_last_part(self, folder: Path) -> None:
        (folder.parent / "outside" / "link.md").symlink_to("notes.md")
        error = refused(folder, "../outside/link.md", allow_external=True)
        assert error.problem is SYMLINK_REFUSED

    def test_typed_from_outside_leads_no_further_than_the_root(self, folder: Path) -> None:
        (folder / "docs").symlink_to("../outside")
        alias = folder.parent / "alias"
        alias.symlink_to(folder)
        assert refused(folder, f"{alias}/docs/notes.md").problem is PATH_OUTSIDE_ROOT


class TestTheStore:
    @pytest.mark.parametrize(
        "path",
        [
            ".lwc/wiki.db",
            ".lwc/wiki.db-wal",
            ".lwc/config.json",
            ".LWC/schema.md",
            "docs/.lwc/raw/a.md",
            "copy/wiki.db",
            "copy/WIKI.DB-shm",
        ],
    )
    def test_is_never_opened(self, folder: Path, path: str) -> None:
        (folder / path).parent.mkdir(parents=True)
        with closed_store():
            (folder / path).write_text(OWN)
        (folder / path).chmod(0)
        for rules in ({}, {"allow_external": True}):
            assert refused(folder, path, **rules).problem is STORE_FILE_REFUSED

    def test_of_another_project_is_never_opened(self, folder: Path) -> None:
        path = "../outside/.lwc/wiki.db"
        assert refused(folder, path, allow_external=True).problem is STORE_FILE_REFUSED
        (folder.parent / "outside" / ".lwc").mkdir()
        (folder.parent / "alias").symlink_to("outside/.lwc")
        path = "../alias/raw.md"
        assert refused(folder, path, allow_external=True).problem is STORE_FILE_REFUSED

    def test_keeps_its_locks_when_an_open_database_has_another_name(self, folder: Path) -> None:
        (folder / "database").write_text(OWN)
        os.link(folder / "database", folder / "notes.md")
        with open(folder / "database"):
            error = refused(folder, "notes.md", allow_external=True)
        assert error.problem is STORE_FILE_REFUSED

    def test_is_told_from_documents_of_a_like_name(self, folder: Path) -> None:
        (folder / "wiki.db.md").write_text(OWN)
        assert read(folder, "wiki.db.md").text == OWN


class TestContent:
    @pytest.mark.parametrize(
        "content, problem, offset",
        [
            pytest.param(b"", EMPTY_SOURCE, None, id="empty"),
            pytest.param(b" \n\t\r\n", EMPTY_SOURCE, None, id="blank"),
            pytest.param("\ufeff\u2003\n".encode(), EMPTY_SOURCE, None, id="only-a-mark"),
            pytest.param(b"\xff\xfe\x80", INVALID_ENCODING, 0, id="not-utf-8"),
            pytest.param("ä\n".encode() + b"\xe4", INVALID_ENCODING, 3, id="cut-off"),
            pytest.param(b"ab\xed\xa0\x80", INVALID_ENCODING, 2, id="surrogate"),
            pytest.param(b"\xc0\xaf", INVALID_ENCODING, 0, id="overlong"),
            pytest.param("äö".encode() + b"\0 x", BINARY_SOURCE, 4, id="nul"),
        ],
    )
    def test_that_is_no_text_is_refused(
        self, folder: Path, content: bytes, problem: Problem, offset: int | None
    ) -> None:
        (folder / "a.md").write_bytes(content)
        error = refused(folder, "a.md")
        assert (error.problem, error.details.get("offset")) == (problem, offset)

    def test_of_the_limit_is_taken_and_one_byte_more_is_not(self, folder: Path) -> None:
        (folder / "a.md").write_text("x" * 100)
        assert read(folder, "a.md", most=100).bytes == 100
        assert refused(folder, "a.md", most=99).problem is SOURCE_TOO_LARGE

    def test_of_64_mib_costs_less_than_600_mb(self, folder: Path) -> None:
        # One letter beyond the BMP makes Python keep four bytes for each of the others.
        content = "𝄞".encode() + b"x" * (LARGEST - 4)
        (folder / "a.md").write_bytes(content)
        bytes_read, digest, peak = _in_a_process(folder)
        assert (bytes_read, digest) == (str(LARGEST), sha256(content).hexdigest())
        assert int(peak) < 600_000_000

    def test_of_64_mib_and_a_byte_is_refused_without_reading_it(self, folder: Path) -> None:
        with open(folder / "a.md", "wb") as file:
            file.truncate(LARGEST + 1)
        reason, peak = _in_a_process(folder)
        assert reason == "source_too_large"
        assert int(peak) < LARGEST


def _in_a_process(folder: Path) -> list[str]:
    """What a fresh process says of `a.md`, and the most memory it had."""
    program = """
import resource, sys
from pathlib import Path
from lwc.errors import LwcError
from lwc.reader import read_document
folder = Path(sys.argv[1])
try:
    document = read_document("a.md", root=folder, base=folder)
    print(document.bytes, document.digest, end=" ")
except LwcError as error:
    print(error.problem.name, end=" ")
try:
    # ru_maxrss would tell the parent's peak, too.
    lines = open("/proc/self/status").read().splitlines()
    print(*(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")))
except OSError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    return subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True, check=True, text=True
    ).stdout.split()


@contextmanager
def _running(program: str, *argv: object) -> Iterator[None]:
    """Another process that does this over and over, from its first line of output on."""
    command = [sys.executable, "-c", program, *map(str, argv)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()


class TestARace:
    READS = 6_000

    def test_over_the_file_leaks_no_byte_of_another(self, folder: Path) -> None:
        swapper = """
import os, sys
os.chdir(sys.argv[1])
def put_own():
    with open("own", "w") as file:
        file.write(sys.argv[2])
    os.replace("own", "notes.md")
put_own()
print(flush=True)
while True:
    os.symlink("../outside/notes.md", "link")
    os.replace("link", "notes.md")
    put_own()
"""
        with _running(swapper, folder, OWN):
            self._nothing_leaks(folder, "notes.md")

    def test_over_a_folder_on_the_way_leaks_no_byte_of_another(self, folder: Path) -> None:
        swapper = """
import os, sys
os.chdir(sys.argv[1])
os.makedirs("real")
with open("real/notes.md", "w") as file:
    file.write(sys.argv[2])
os.symlink("../outside", "link")
os.rename("real", "docs")
print(flush=True)
while True:
    os.rename("docs", "real")
    os.rename("link", "docs")
    os.rename("docs", "link")
    os.rename("real", "docs")
"""
        with _running(swapper, folder, OWN):
            self._nothing_leaks(folder, "docs/notes.md")

    def _nothing_leaks(self, folder: Path, path: str) -> None:
        taken: set[str] = set()
        refusals: set[Problem] = set()
        reads = 0
        # Longer where the swapper is slow to get its turn: both outcomes must have been met.
        while reads < self.READS or (not (taken and refusals) and reads < 100 * self.READS):
            reads += 1
            match outcome(folder, path):
                case Document(text=text):
                    taken.add(text)
                case LwcError(problem=problem):
                    refusals.add(problem)
        assert taken == {OWN}
        assert SYMLINK_REFUSED in refusals
        assert refusals <= {SYMLINK_REFUSED, FILE_NOT_FOUND, SOURCE_CHANGED}

    def test_with_a_writer_gives_what_was_written_or_says_that_it_changed(
        self, folder: Path
    ) -> None:
        writer = """
import sys
with open(sys.argv[1], "ab", buffering=0) as file:
    for number in range(100_000):
        file.write(b"%08d\\n" % number)
        if number == 0:
            print(flush=True)
"""
        versions = "".join(f"{number:08d}\n" for number in range(100_000))
        with _running(writer, folder / "a.md"):
            for _ in range(1_000):
                match outcome(folder, "a.md"):
                    case LwcError(problem=problem):
                        assert problem is SOURCE_CHANGED
                    case Document(text=text, bytes=size, digest=digest):
                        assert size % 9 == 0
                        assert text == versions[:size]
                        assert digest == sha256(text.encode()).hexdigest()


def outcome(folder: Path, path: str) -> Document | LwcError:
    try:
        return read(folder, path)
    except LwcError as error:
        return error
