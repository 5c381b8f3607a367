"""What the documentation says holds: printed pages are fresh, links lead somewhere, commands parse.

The files are those of the checkout; the package may be the installed one.
"""

from __future__ import annotations

import json
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from command_lines import in_backticks, in_blocks, parsed

from lwc.cli.commands import COMMANDS, GROUPS
from lwc.domain.ingest import Gate, JobEvent, JobState
from lwc.domain.lint import RULES
from lwc.domain.settings import SETTINGS
from lwc.errors import problems

ROOT = Path(__file__).parents[2]
FOLDERS = ("docs", "skills", "benchmarks", "requirements")
PAGES = sorted(
    (*ROOT.glob("*.md"), *(path for it in FOLDERS for path in (ROOT / it).rglob("*.md")))
)
PRINTED = ROOT / "docs" / "reference"
WRITTEN = [path for path in PAGES if path.parent != PRINTED]
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
FENCED = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)
WORD = re.compile(r"`([a-z]+(?:_[a-z]+)+)`")
# Words of the code that stand in no table; each is a name the text explains.
EXPLAINED = {
    "application_id",
    "conn",
    "created_ids",
    "data_version",
    "open_wiki",
    "query_only",
    "retry_after_ms",
    "skipped_files",
    "sqlite_master",
    "user_version",
}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def printer() -> ModuleType:
    spec = spec_from_file_location("print_docs", ROOT / "scripts" / "print_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_printed_pages_say_what_the_code_says(printer: ModuleType) -> None:
    assert printer.stale() == [], "run `make docs`"


def test_no_printed_page_is_left_over(printer: ModuleType) -> None:
    assert {path.name for path in PRINTED.iterdir()} == set(printer.PAGES)


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_a_link_leads_to_a_file_and_a_heading(path: Path) -> None:
    for target in LINK.findall(FENCED.sub("", path.read_text("utf-8"))):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.exists(), target
        if anchor:
            assert anchor in anchors(there), target


def anchors(path: Path) -> set[str]:
    """The headings of a page as links name them."""
    headings = HEADING.findall(FENCED.sub("", path.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", WRITTEN, ids=name)
def test_a_command_that_is_shown_can_be_typed(path: Path) -> None:
    text = path.read_text("utf-8")
    for line in (*in_blocks(text), *in_backticks(FENCED.sub("", text))):
        parsed(line)


@pytest.mark.parametrize("path", WRITTEN, ids=name)
def test_a_name_of_the_code_is_one_that_it_has(path: Path) -> None:
    text = FENCED.sub("", path.read_text("utf-8"))
    assert {word for word in WORD.findall(text) if word not in known()} == set()


def known() -> set[str]:
    """Codes, reasons, rules, states, settings, and every field of every answer."""
    shapes = json.loads((ROOT / "tests" / "contracts" / "shapes.json").read_text("utf-8"))
    places = " ".join(place for shape in shapes.values() for place in shape)
    fields = re.findall(r"\w+", places)
    return {
        *EXPLAINED,
        *fields,
        *(word for _, row in problems() for word in (row.code, row.reason)),
        *(rule.code for rule in RULES),
        *(row.key for row in SETTINGS),
        *JobState,
        *JobEvent,
        *Gate,
        *("database_damaged", "schema_differs", "reference_broken", "content_hash_mismatch"),
    }


def test_every_command_and_group_has_its_place_in_the_reference() -> None:
    text = (PRINTED / "cli.md").read_text("utf-8")
    for row in COMMANDS:
        assert f"\n## lwc {row[0]}\n" in text
    for group in GROUPS:
        assert f"`lwc {group}`" in text
