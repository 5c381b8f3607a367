"""Bad inputs that are refused, by the ids of the list they were collected in: typed → refusal."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from worlds import HELD, PUT, World, put

MOST = 64 * 1024 * 1024
SECRET = "root:x:0:0:the secret of another folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bad:
    """What is arranged, what is typed, and the refusal."""

    id: str
    argv: tuple[str, ...]
    code: str
    reason: str = ""
    status: int = 6
    stdin: str | bytes = ""
    make: Callable[[World], object] | None = None
    told: Mapping[str, Any] = field(default_factory=dict)
    as_process: bool = False

    def __str__(self) -> str:
        return f"{self.id} {' '.join(self.argv)}"[:60].encode("unicode_escape").decode()


def file(name: str, content: str | bytes) -> Callable[[World], object]:
    return lambda world: world.write(name, content)


def sparse(name: str, size: int) -> Callable[[World], object]:
    return lambda world: os.truncate(world.write(name, b"x"), size)


def listing(*paths: str) -> Callable[[World], object]:
    entries = [{"path": path} for path in paths]
    return file("m.json", json.dumps({"sources": entries}))


def outside(world: World) -> None:
    (world.project.parent / "outside.md").write_text(SECRET)


def link_outside(world: World) -> None:
    outside(world)
    (world.project / "notes.md").symlink_to("../outside.md")


def manifest_outside(world: World) -> None:
    outside(world)
    listing("../outside.md")(world)


ADD = ("source", "add", "notes.md")
MANIFEST = ("source", "add-manifest", "m.json")
PUT_PAGE = ("page", "put", "fresh", *PUT)


SOURCES = (
    Bad(
        id="B001",
        argv=("source", "add", "missing.md"),
        code="io_error",
        reason="source_file_not_found",
        status=3,
        as_process=True,
    ),
    Bad(
        id="B003",
        argv=ADD,
        code="not_a_regular_file",
        make=lambda world: os.mkfifo(world.project / "notes.md"),
        told={"kind": "FIFO"},
        as_process=True,
    ),
    Bad(id="B004", argv=ADD, code="symlink_refused", make=link_outside, as_process=True),
    Bad(
        id="B004",
        argv=("source", "add", "../outside.md"),
        code="external_source_requires_acknowledgement",
        reason="path_outside_root",
        status=5,
        make=outside,
    ),
    Bad(
        id="B007",
        argv=ADD,
        code="invalid_input",
        reason="empty_source",
        make=file("notes.md", ""),
    ),
    Bad(
        id="B009",
        argv=ADD,
        code="invalid_utf8",
        reason="invalid_encoding",
        make=file("notes.md", b"ab\xff\xfe\x80"),
        told={"offset": 2},
        as_process=True,
    ),
    Bad(
        id="B011",
        argv=ADD,
        code="binary_source",
        make=file("notes.md", b"text\0text"),
        told={"offset": 4},
    ),
    Bad(
        id="B013",
        argv=ADD,
        code="input_too_large",
        reason="source_too_large",
        make=sparse("notes.md", MOST + 1),
        told={"most": MOST},
    ),
)
MANIFESTS = (
    Bad(
        id="B022",
        argv=MANIFEST,
        code="invalid_manifest",
        make=file("m.json", "hello"),
        told={"line": 1, "column": 1},
    ),
    Bad(
        id="B023",
        argv=MANIFEST,
        code="invalid_manifest",
        reason="empty_manifest",
        make=file("m.json", '{"sources": []}'),
    ),
    Bad(
        id="B024",
        argv=MANIFEST,
        code="invalid_manifest",
        reason="duplicate_key",
        make=file("m.json", '{"sources":[{"path":"late.md","path":"../outside.md"}]}'),
        told={"key": "path"},
    ),
    Bad(
        id="B025",
        argv=MANIFEST,
        code="external_source_requires_acknowledgement",
        reason="path_outside_root",
        status=5,
        make=manifest_outside,
        told={"index": 0},
        as_process=True,
    ),
    Bad(
        id="B026",
        argv=MANIFEST,
        code="io_error",
        reason="source_file_not_found",
        status=3,
        make=listing(*["late.md"] * 499, "nowhere.md"),
        told={"entry": 500, "index": 499},
    ),
    Bad(
        id="B027",
        argv=MANIFEST,
        code="invalid_manifest",
        make=file("m.json", "[" * 100_000),
        as_process=True,
    ),
    Bad(
        id="B034",
        argv=MANIFEST,
        code="input_too_large",
        reason="manifest_too_large",
        make=listing(*["nowhere.md"] * 100_001),
    ),
    Bad(
        id="B034",
        argv=MANIFEST,
        code="input_too_large",
        reason="manifest_too_large",
        make=sparse("m.json", 17 * 1024 * 1024),
    ),
)
PAGES = (
    Bad(id="B035", argv=PUT_PAGE, code="invalid_input", reason="empty_body", as_process=True),
    Bad(
        id="B039",
        argv=(*put("alone"), "--if-revision", "1"),
        code="page_revision_conflict",
        status=4,
        stdin="New.\n",
        told={"current": 2, "expected": 1},
    ),
    Bad(
        id="B042",
        argv=("page", "remove", "readers"),
        code="page_in_use",
        reason="inbound_links",
        status=4,
        told={"pages": ["store-source", "writers"]},
    ),
)
SLUGS = (
    *(
        Bad(id=id_, argv=("page", "put", *PUT, "--", slug), code="invalid_slug", stdin="Text.\n")
        for id_, slug in (
            ("B044", "../../etc/cron"),
            ("B047", "abc\n"),
            ("B047", " abc"),
            ("B048", "what?"),
            ("B048", "-dash"),
            ("B048", "dot."),
            ("B048", "a" * 81),
            ("B048", "right\u202eleft"),
        )
    ),
    Bad(
        id="B048",
        argv=put("Alone"),
        code="slug_collision",
        status=4,
        stdin="Text.\n",
        told={"existing": "alone"},
    ),
    *(
        Bad(id="B051", argv=put(slug), code="slug_reserved", stdin="Text.\n")
        for slug in ("con", "nul", "aux", "com1", "lpt9", "CON.md", "index", "log", ".hidden")
    ),
)
CITATIONS = (
    Bad(
        id="B064",
        argv=(*put("alone"), "--source", "999999"),
        code="source_not_found",
        status=3,
        stdin="New.\n",
        told={"missing": [999999]},
        as_process=True,
    ),
    *(
        Bad(
            id=id_,
            argv=(*put("alone"), f"--source={typed}"),
            code="usage_error",
            reason="not_a_number",
            status=2,
            stdin="New.\n",
        )
        for id_, typed in (
            *(
                ("B065", typed)
                for typed in ("0", "-1", "1.0", "1e3", "٣", " 1", "1_000", "+1", "01")
            ),
            ("B066", "99999999999999999999"),
            ("B066", "9" * 5000),
        )
    ),
    *(
        Bad(
            id="B069",
            argv=(*put("alone"), "--source", "1"),
            code="invalid_span",
            stdin=f'A claim.[^c1]\n\n[^c1]: source:1{span} "The store keeps"\n',
        )
        for span in ("#20-10", "#-5-10", "#x-y", "#99999999999999999999-5")
    ),
    Bad(
        id="B073",
        argv=("ingest", "complete", "3", *HELD),
        code="source_summary_missing",
        reason="not_cited",
        status=5,
        make=lambda world: (
            world.do("ingest", "claim", "3", *HELD),
            world.do("ingest", "analyze", "3", *HELD, "--file", "-", stdin="Analysis."),
        ),
    ),
)
INGEST = (
    Bad(
        id="B074",
        argv=("ingest", "analyze", "3", "--file", "-"),
        code="invalid_ingest_state",
        reason="claim_required",
        status=4,
        stdin="Analysis.",
        as_process=True,
    ),
    Bad(
        id="B075",
        argv=("ingest", "analyze", "2", *HELD, "--file", "-"),
        code="claim_lost",
        status=4,
        stdin="Analysis.",
        make=lambda world: (
            world.clock.tick(24 * 3600),
            world.do("ingest", "claim", "2", "--agent", "berta"),
        ),
        told={"agent": "berta"},
    ),
    Bad(
        id="B076",
        argv=("ingest", "complete", "1", *HELD),
        code="invalid_ingest_state",
        reason="bad_state",
        status=4,
        make=lambda world: world.do("ingest", "complete", "1", *HELD),
    ),
    Bad(
        id="B079",
        argv=("ingest", "analyze", "2", *HELD, "--file", "analysis.md"),
        code="input_too_large",
        make=sparse("analysis.md", MOST + 1),
        told={"most": MOST},
    ),
    Bad(
        id="B079",
        argv=("ingest", "analyze", "2", *HELD, "--file", "-"),
        code="input_too_large",
        stdin=b"a" * (MOST + 1),
    ),
    Bad(
        id="B080",
        argv=("ingest", "analyze", "2", *HELD, "--file", "-"),
        code="invalid_utf8",
        reason="invalid_encoding",
        stdin=b"text\xff",
        told={"offset": 4},
        as_process=True,
    ),
)
SEARCH = (
    *(
        Bad(id="B085", argv=("search", words), code="invalid_input", reason="blank_query")
        for words in ("", "  ", "\t\n")
    ),
    *(
        Bad(
            id="B093",
            argv=("search", "store", f"--limit={typed}"),
            code="invalid_limit",
            reason="limit_out_of_range",
            told={"least": 1, "most": 1000},
        )
        for typed in ("0", "-1", "1000001", "9" * 30)
    ),
    Bad(
        id="B093",
        argv=("search", "store", "--limit", "abc"),
        code="usage_error",
        reason="limit_out_of_range",
        status=2,
        told={"least": 1, "most": 1000},
        as_process=True,
    ),
)
CLI = (
    Bad(
        id="B095",
        argv=("pages",),
        code="usage_error",
        reason="unknown_command",
        status=2,
        as_process=True,
    ),
    Bad(id="B095", argv=("page", "lst"), code="usage_error", reason="unknown_command", status=2),
    Bad(id="B095", argv=("page",), code="usage_error", reason="incomplete_command", status=2),
    Bad(id="B095", argv=("page", "list", "--colour"), code="usage_error", status=2),
    Bad(id="B095", argv=("page", "show"), code="usage_error", status=2, as_process=True),
    Bad(id="B095", argv=("page", "show", "a", "b"), code="usage_error", status=2),
    Bad(id="B095", argv=("page", "put", "fresh"), code="usage_error", status=2),
    Bad(
        id="B102",
        argv=("page", "list", "--changeset", "../../x"),
        code="changeset_name_invalid",
        reason="invalid_name",
    ),
)
BAD = (*SOURCES, *MANIFESTS, *PAGES, *SLUGS, *CITATIONS, *INGEST, *SEARCH, *CLI)
