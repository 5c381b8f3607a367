"""The archive of a whole wiki: how it is written, and how one is read without believing it.

It is a zip of two members, what stands in it and a copy of the database. Nothing in it names a
place: where the copy goes is decided by who reads.
"""

from __future__ import annotations

import os
import stat
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from lwc import clock, wire
from lwc.domain import strict_json
from lwc.domain.strict_json import StrictJsonError
from lwc.errors import ARCHIVE_INVALID, ARCHIVE_NEWER, ARCHIVE_NOT_FOUND
from lwc.store.tables import SCHEMA

Progress = Callable[[int, int], None]

FORMAT = 1
MANIFEST, DATABASE = "manifest.json", "wiki.db"
MANIFEST_BYTES = 65_536
CHUNK = 1024 * 1024
# Of text the quickest level keeps most of what the slowest saves.
LEVEL = 1
# A text squeezes to a fifth; what grows more than this behind so many bytes was made to fill disks.
RATIO_MOST = 200
UNPROVEN_BYTES = 64 * 1024 * 1024
# Where a zip without a comment ends: the end record, and before it the two of large archives.
_END = struct.Struct("<4s4H2LH")
_LOCATOR = struct.Struct("<4sLQL")
_LARGE_END = struct.Struct("<4sQ2H2L4Q")
DIRECTORY_BYTES = 4096
_UNREADABLE = (BadZipFile, EOFError, NotImplementedError, OverflowError, RuntimeError, struct.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What an archive says of the database in it."""

    store_id: str
    revision: int
    schema: int
    lwc: str
    exported_at: datetime
    sha256: str
    bytes: int


def write(
    file: IO[bytes], database: Path, manifest: Manifest, *, progress: Progress | None = None
) -> None:
    """Write an archive of a closed copy of a database."""
    fields = wire.plain(manifest)
    member = {name: fields.pop(name) for name in ("sha256", "bytes")}
    told = {**fields, "format": FORMAT, "members": {DATABASE: member}}
    # Members that are opened by name have no moment and no owner: 1980, and nobody's.
    with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        with archive.open(MANIFEST, "w") as out:
            out.write(f"{wire.encode(told)}\n".encode())
        with (
            database.open("rb") as source,
            archive.open(DATABASE, "w", force_zip64=True) as out,
        ):
            done = 0
            while chunk := source.read(CHUNK):
                out.write(chunk)
                done += len(chunk)
                if progress is not None:
                    progress(done, manifest.bytes)


class Archive:
    """An archive that is open, whose manifest was read; nothing else of it is believed yet."""

    def __init__(self, name: str, archive: ZipFile, manifest: Manifest) -> None:
        self.name = name
        self.manifest = manifest
        self._archive = archive

    def check(self, *, progress: Progress | None = None) -> None:
        """Refuse it unless the database in it is what the manifest says."""
        self._pour(None, progress)

    def extract(self, target: Path) -> None:
        """Write the database to a file that must not exist, and refuse it as `check` does."""
        out = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        with os.fdopen(out, "wb") as file:
            self._pour(file, None)
            file.flush()
            os.fsync(file.fileno())

    def _pour(self, out: IO[bytes] | None, progress: Progress | None) -> None:
        whole, done = sha256(), 0
        with _told(self.name), self._archive.open(DATABASE) as source:
            while chunk := source.read(CHUNK):
                done += len(chunk)
                if done > self.manifest.bytes:
                    raise _invalid(self.name, "its database is longer than it says")
                whole.update(chunk)
                if out is not None:
                    out.write(chunk)
                if progress is not None:
                    progress(done, self.manifest.bytes)
        if done != self.manifest.bytes or whole.hexdigest() != self.manifest.sha256:
            raise _invalid(self.name, "its database is not what was exported")


@contextmanager
def reading(path: Path, *, name: str) -> Iterator[Archive]:
    """An archive whose form is right; refusals call it `name`."""
    with opened(path, name=name) as file:
        _check_end(file, name)
        with _told(name), ZipFile(file) as archive:
            manifest = _manifest(archive, name)
        # Each read seeks for itself, and what is wrong then is told by who reads.
        with ZipFile(file) as archive:
            yield Archive(name, archive, manifest)


@contextmanager
def opened(path: Path, *, name: str) -> Iterator[IO[bytes]]:
    """A plain file to read; nothing else is opened for long."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        what = getattr(error, "strerror", None) or "that is no path"
        raise ARCHIVE_NOT_FOUND(path=name, what=what.lower()) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _invalid(name, "it is not a plain file")
    with os.fdopen(descriptor, "rb") as file:
        yield file


def _check_end(file: IO[bytes], name: str) -> None:
    """Refuse what is no zip of two members before anything reads its directory."""
    size = file.seek(0, os.SEEK_END)
    reach = _END.size + _LOCATOR.size + _LARGE_END.size
    file.seek(max(0, size - reach))
    tail = file.read(reach)
    if len(tail) < _END.size or not _is_end(tail[-_END.size :]):
        raise _invalid(name, "it does not end as an archive of lwc does")
    rest = tail[: -_END.size]
    if rest[-_LOCATOR.size :][:4] == b"PK\x06\x07" and not _is_large_end(rest[: -_LOCATOR.size]):
        raise _invalid(name, "it does not end as a large archive of lwc does")
    file.seek(0)


def _is_end(record: bytes) -> bool:
    mark, _, _, here, members, size, _, comment = _END.unpack(record)
    return bool(
        mark == b"PK\x05\x06" and here == members == 2 and size <= DIRECTORY_BYTES and comment == 0
    )


def _is_large_end(record: bytes) -> bool:
    if len(record) < _LARGE_END.size:
        return False
    mark, _, _, _, _, _, here, members, size, _ = _LARGE_END.unpack(record[-_LARGE_END.size :])
    return bool(mark == b"PK\x06\x06" and here == members == 2 and size <= DIRECTORY_BYTES)


def _manifest(archive: ZipFile, name: str) -> Manifest:
    infos = archive.infolist()
    if sorted(info.filename for info in infos) != [MANIFEST, DATABASE]:
        raise _invalid(name, "it holds other files than a wiki's")
    for info in infos:
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or info.is_dir() or info.flag_bits & 1:
            raise _invalid(name, f"{info.filename} is no plain member")
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise _invalid(name, f"{info.filename} is packed in another way")
    text, database = archive.getinfo(MANIFEST), archive.getinfo(DATABASE)
    if text.file_size > MANIFEST_BYTES:
        raise _invalid(name, "its manifest is too long")
    with archive.open(text) as file:
        manifest = _as_manifest(file.read(MANIFEST_BYTES + 1), name)
    if database.file_size != manifest.bytes:
        raise _invalid(name, "its database has another length than it says")
    if database.file_size > max(UNPROVEN_BYTES, RATIO_MOST * database.compress_size):
        raise _invalid(name, "its database would be more than 200 times what is in the archive")
    return manifest


def _as_manifest(content: bytes, name: str) -> Manifest:
    try:
        fields = _fields(content)
        if fields.pop("format") != FORMAT:
            raise _invalid(name, "it has a form that this lwc does not know")
        members = fields.pop("members")
        called = f"the manifest's {DATABASE}"
        strict_json.members(
            members, required={DATABASE: (dict,)}, optional={}, called="the manifest's members"
        )
        member = strict_json.members(
            members[DATABASE],
            required={"sha256": (str,), "bytes": (int,)},
            optional={},
            called=called,
        )
        moment = clock.parse(fields.pop("exported_at"))
    except (StrictJsonError, ValueError) as error:
        what = f"its manifest cannot be read: {getattr(error, 'what', 'it has no time')}"
        raise _invalid(name, what) from error
    manifest = Manifest(**fields, **member, exported_at=moment)
    if manifest.schema > int(SCHEMA):
        raise ARCHIVE_NEWER(path=name, found=manifest.schema, known=int(SCHEMA))
    return manifest


def _fields(content: bytes) -> dict[str, Any]:
    return strict_json.members(
        strict_json.parse(content, most_bytes=MANIFEST_BYTES),
        required={
            "format": (int,),
            "lwc": (str,),
            "store_id": (str,),
            "revision": (int,),
            "schema": (int,),
            "exported_at": (str,),
            "members": (dict,),
        },
        optional={},
        called="the manifest",
    )


@contextmanager
def _told(name: str) -> Iterator[None]:
    """What the reader of zips meets in a damaged one, as a refusal."""
    try:
        yield
    except (*_UNREADABLE, zlib.error, ValueError, KeyError) as error:
        raise _invalid(name, "it is damaged") from error


def _invalid(name: str, what: str) -> Exception:
    return ARCHIVE_INVALID(path=name, what=what)
