"""What a person sees at 80 columns: nothing to be copied is broken, and nothing is said twice."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result
from hypothesis import given
from hypothesis import strategies as st
from ingesting import AGENT, a_page, a_source, analyzed
from rich.console import Console
from rich.text import Text

from lwc import wire
from lwc.cli import output, refusal_views, views
from lwc.cli.line_views import Indented, Prose
from lwc.errors import EMPTY_SOURCE, LwcError
from lwc.services import completion, ingest, page_writes, pages, source_folders
from lwc.services.completion import Waivers
from lwc.wiki import Wiki

Lwc = Callable[..., Result]

SLUG = "single-writer-and-many-readers-in-one-moment-of-the-store"
TITLE = "Why a single writer and many readers of the store never meet"
MISQUOTED = 'Locks.[^c1] See [[Gone]].\n\n[^c1]: source:1 "Only two writers can hold the lock"\n'


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def held(wiki: Wiki) -> str:
    """A wiki with a claimed job, a page with a wrong quote, and names that fit in no cell."""
    source = a_source(wiki, name=f"{SLUG}.md")
    token = analyzed(wiki, source).token
    a_page(wiki, "note", kind="source", sources=(source,))
    page_writes.put(
        wiki,
        AGENT,
        slug=SLUG,
        title=TITLE,
        body=MISQUOTED,
        summary="Why writes never meet. " * 6,
        source_ids=(source,),
    )
    a_source(wiki, "Another writer waits for the lock. " * 9, name=f"other-{SLUG}.md")
    assert token
    return token


LOOKS = {
    "pages": ["page", "list"],
    "page": ["page", "show", SLUG],
    "history": ["page", "history", SLUG],
    "links": ["page", "links", SLUG],
    "refs": ["source", "refs", "1"],
    "sources": ["source", "list"],
    "coverage": ["source", "coverage", "1"],
    "context": ["context"],
    "log": ["log"],
    "jobs": ["ingest", "list"],
    "job": ["ingest", "show", "1"],
    "check": ["ingest", "complete", "1", "--check", "--agent", "tester"],
    "packet": ["ingest", "next"],
    "search": ["search", "writer"],
    "lint": ["lint"],
    "settings": ["config", "show"],
    "query": ["db", "SELECT slug, title, summary FROM pages"],
}


def looked(lwc: Lwc, argv: list[str]) -> str:
    result = lwc(*argv, "--output", "text")
    assert result.status == 0, result.err
    return result.out


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize("argv", LOOKS.values(), ids=LOOKS)
def test_no_line_is_wider_than_the_terminal_but_for_one_word(lwc: Lwc, argv: list[str]) -> None:
    for line in looked(lwc, argv).splitlines():
        assert len(line) <= 80 or len(line.split()) <= 2 or line.startswith("next  "), line


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize("argv", LOOKS.values(), ids=LOOKS)
def test_no_slug_and_no_time_is_broken(lwc: Lwc, argv: list[str]) -> None:
    shown = looked(lwc, argv)
    assert shown.count("single-writer") == shown.count(SLUG)
    assert len(re.findall(r"\b20\d\d-", shown)) == len(re.findall(r"\b20\d\d-\d\d-\d\d", shown))


@pytest.mark.usefixtures("held")
def test_a_heading_of_a_table_is_on_one_line(lwc: Lwc) -> None:
    lines = looked(lwc, ["page", "history", "note"]).splitlines()
    heads = next(line for line in lines if "revision" in line)
    assert heads.split() == ["revision", "written", "action", "author", "operation", "title"]


@pytest.mark.usefixtures("held")
def test_a_digest_is_on_one_line(lwc: Lwc) -> None:
    assert re.search(r"\b[0-9a-f]{64}\b", looked(lwc, ["source", "show", "1"]))


@pytest.mark.usefixtures("held")
def test_the_next_command_is_the_last_line_and_only_one(lwc: Lwc) -> None:
    shown = looked(lwc, ["ingest", "next"])
    token = re.search(r"^token +([0-9a-f]{32})$", shown, re.MULTILINE)
    assert token
    last = shown.splitlines()[-1]
    assert re.fullmatch(rf"next +lwc ingest analyze 2 --file - --token {token[1]}", last)


def test_an_empty_queue_is_told_in_one_line(lwc: Lwc) -> None:
    assert looked(lwc, ["ingest", "next"]) == "Nothing to ingest.\n"


def test_init_says_where_the_wiki_is_and_what_to_do_next(lwc: Lwc, project: Path) -> None:
    shown = looked(lwc, ["init"])
    assert " ".join(shown.split()).startswith(f"There is a wiki already: {project / '.lwc'} ")
    assert shown.endswith("next  lwc source add-dir DIR\n")


@pytest.mark.usefixtures("held")
def test_a_check_shows_what_stands_there_instead_of_a_wrong_quote(lwc: Lwc) -> None:
    shown = " ".join(looked(lwc, LOOKS["check"]).split())
    assert "job 1 generating not ready" in shown
    assert "held covered" in shown
    assert 'the source has "Only one writer can hold the lock"' in shown
    assert "`lwc page show SLUG`" in shown


def refusal(wiki: Wiki, token: str) -> LwcError:
    with pytest.raises(LwcError) as caught:
        completion.complete(wiki, AGENT, 1, waivers=Waivers(), token=token)
    return caught.value


def test_a_refusal_has_a_line_for_each_gate_and_no_brace(wiki: Wiki, held: str) -> None:
    said = refusal_views.worded(refusal(wiki, held), colours=False)
    assert "{" not in said
    assert said.splitlines()[1:-1] == [
        f'quoted: {SLUG}[^c1] "Only two writers can hold the lock"; '
        'the source has "Only one writer can hold the lock"'
    ]


def test_every_gate_that_is_open_has_its_line(wiki: Wiki) -> None:
    source = a_source(wiki)
    packet = ingest.claim(wiki, AGENT, source)
    assert packet.job is not None
    error = refusal(wiki, packet.job.claim.token)
    lines = refusal_views.worded(error, colours=False).splitlines()
    told = {line.split(":")[0] for line in lines[1:-1]}
    gates = [gate for gate in error.details["gates"] if gate["message"] != error.message]
    assert told == {gate["gate"] for gate in gates}
    assert len(lines) == len(gates) + 2


def test_a_file_that_was_not_added_has_a_line(wiki: Wiki, project: Path) -> None:
    folder = project / "docs"
    folder.mkdir()
    (folder / "good.md").write_text("Words.")
    (folder / "empty.md").write_text("")
    (folder / "binary.md").write_bytes(b"a\0b")
    with pytest.raises(LwcError) as caught:
        source_folders.add_dir(wiki, AGENT, path="docs", base=project)
    said = refusal_views.worded(caught.value, colours=False)
    assert "{" not in said
    assert "docs/empty.md holds no text. (empty_source)\n" in said
    assert "(binary_source)\n" in said


def test_a_refusal_names_the_word_that_scripts_see_where_it_differs() -> None:
    said = refusal_views.worded(EMPTY_SOURCE(path="a.md"), colours=False)
    assert said.startswith("empty_source (invalid_input) ")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_no_detail_of_a_refusal_drives_the_terminal_or_takes_more_than_its_line(
    value: object,
) -> None:
    error = EMPTY_SOURCE(path="a.md", details={"found": [{"said": value}], "more": {"x": value}})
    said = refusal_views.worded(error, colours=False)
    assert all(line.isprintable() or wire.visible(line) == line for line in said.split("\n"))
    assert said.count("\n") == 4
    assert "\x1b" not in said


def test_a_diff_keeps_each_line_with_its_sign(wiki: Wiki, held: str) -> None:
    body = f"{'A line that no terminal of 80 columns can hold. ' * 3}\x1b[2J\n"
    page_writes.put(wiki, AGENT, slug=SLUG, title=TITLE, body=body)
    answer = pages.diff(wiki, slug=SLUG)
    lines = views.render(answer, terminal=False).splitlines()
    assert f"+{wire.visible(body.strip())}" in [line.rstrip() for line in lines]
    assert "-Locks.[^c1] See [[Gone]]." in lines


def test_a_diff_has_colours_where_they_are_wanted(
    wiki: Wiki, held: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = pages.diff(wiki, slug=SLUG)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b[32m+Locks." in views.render(answer, terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in views.render(answer, terminal=True)


def test_no_bar_is_drawn_where_no_escape_is_wanted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with output.progress(3, "Adding files") as advance:
        advance()
    assert capsys.readouterr().err == ""


@given(text=st.text(alphabet="ab 漢`\t\n", max_size=80), width=st.integers(20, 40))
def test_wrapping_breaks_lines_only_at_blanks_and_loses_no_word(text: str, width: int) -> None:
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(Indented(content=Prose(Text(text), hang=4)), crop=False)
    assert captured.get().split() == text.split()


def test_a_command_between_backticks_stays_on_one_line() -> None:
    console = Console(width=40, color_system=None)
    with console.capture() as captured:
        console.print(Prose(Text("Find what is meant with `lwc search -- single-writer` first.")))
    assert "`lwc search -- single-writer`" in captured.get()


def test_a_colour_holds_for_its_word_only(
    wiki: Wiki, held: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR")
    shown = views.render(completion.check(wiki, AGENT, 1, waivers=Waivers()), terminal=True)
    assert "\x1b[32mheld  \x1b[0mcovered\n" in shown
    assert "\x1b[1mjob 1\x1b[0m  generating  \x1b[1;31mnot ready\x1b[0m\n" in shown
