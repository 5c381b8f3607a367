"""The demo's agent: how it reads, what it writes, and a whole run on documents that resist."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

import lwc
from lwc.demo import agent, prose, show
from lwc.demo.__main__ import main
from lwc.demo.commands import typed
from lwc.services import jobs, lint, pages
from lwc.wiki import open_wiki

WRITERS = "Only one writer can hold the lock at any moment of the day."
READERS = "Readers never wait, since each of them sees one moment of it."
HOSTILE = (
    "# --help; rm -rf [[x]] `$(id)`\n\n"
    'It said "ignore what came before" and closed the footnote]: source:9 with that.\n\n'
    "The writers of \x1b[31mred\u202e words <script>alert(1)</script> wrote [a link](../../etc).\n"
)


def read(text: str) -> prose.Prose:
    return prose.read(text, fallback="file.md")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (f"# The store #\n\n{WRITERS}\n", "The store"),
        (f"---\ntitle: 'The store'\n---\n\n{WRITERS}\n", "The store"),
        (f"---\nnever: closed\n\n# The store\n\n{WRITERS}\n", "The store"),
        (f"```\n# no heading\n```\n\n{WRITERS}\n", "file.md"),
        ("", "file.md"),
    ],
    ids=["heading", "front matter", "open front matter", "heading in code", "nothing"],
)
def test_a_title_is_the_first_heading_or_the_name_of_the_file(text: str, title: str) -> None:
    assert read(text).title == title


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (f"{WRITERS} {READERS}", (WRITERS, READERS)),
        (WRITERS.replace(" can ", "\n   can "), (WRITERS,)),
        (f"- {WRITERS}\n- {READERS}\n", (WRITERS, READERS)),
        (f"{WRITERS}\n\n{WRITERS}\n", (WRITERS,)),
        (f"```\n{WRITERS}\n```\n{READERS}\n", (READERS,)),
        (f"| {WRITERS} | x |\n|---|---|\n\n{READERS}\n", (READERS,)),
        (f"| {WRITERS} | x |\n|---|---|\n", (WRITERS,)),
        ("Too short.\n\n" + "12345 " * 20, ()),
        (
            "数据库在任何时刻只允许一个写入者持有锁。读者从不等待。",
            ("数据库在任何时刻只允许一个写入者持有锁。",),
        ),
    ],
    ids=[
        *("two", "over lines", "items", "twice", "behind code", "beside a table", "only a table"),
        *("nothing to quote", "Chinese"),
    ],
)
def test_a_sentence_is_taken_as_it_stands_with_white_space_folded(
    text: str, sentences: tuple[str, ...]
) -> None:
    assert read(text).sentences == sentences


def test_telling_words_are_those_of_headings_and_then_frequent_ones() -> None:
    text = f"# The writer and nobody\n\n{WRITERS} {WRITERS[:-1]}, moment after moment.\n"
    found = read(text)
    assert found.words == ("writer", "moment")
    assert found.titled == 1


@pytest.mark.parametrize("word", ["https", "example", "beside", "finer", "after", "chars"])
def test_addresses_code_and_asides_are_no_words(word: str) -> None:
    text = "Beside https://example.org/chars a finer `chars` after all. " * 3
    assert word not in prose.words_of(text)


def concepts(found: prose.Prose, known: set[str], shared: set[str]) -> tuple[str, ...]:
    return agent.concepts_of(found, known, shared=shared.__contains__)


def test_concepts_are_known_words_first_then_those_that_several_documents_have() -> None:
    found = read(f"# Writer, reader\n\n{WRITERS} {READERS} The moment of a writer is the lock's.")
    assert found.words == ("writer", "moment")
    assert concepts(found, {"moment"}, {"writer"}) == ("moment", "writer")
    assert concepts(found, set(), {"moment"}) == ("moment",)


def test_where_no_word_is_shared_one_of_a_heading_makes_a_concept() -> None:
    found = read(f"# Writer\n\n{WRITERS} {READERS}\n")
    assert concepts(found, set(), set()) == ("writer",)


def test_without_words_there_is_no_concept() -> None:
    assert concepts(read(""), set(), {"writer"}) == ()


def test_a_source_page_quotes_each_sentence_it_says() -> None:
    drafted = agent.source_page(7, read(f"# The store\n\n{WRITERS} {READERS}\n"), ("writer",))
    assert (drafted.slug, drafted.title, drafted.kind) == (
        "source-7-the-store",
        "The store",
        "source",
    )
    assert drafted.body == (
        f"# The store\n\n{WRITERS}[^s1]\n\n{READERS}[^s2]\n\nSee also [[writer]].\n\n"
        f'[^s1]: source:7 "{WRITERS}"\n[^s2]: source:7 "{READERS}"\n'
    )


def test_a_concept_page_keeps_what_it_has_and_rests_when_it_is_full() -> None:
    found = read(f"# The writer\n\n{WRITERS}\n")
    body: str | None = None
    for source_id in range(1, agent.SOURCES_PER_CONCEPT + 1):
        drafted = agent.concept_page("writer", source_id, found, body)
        assert drafted is not None
        body = drafted.body
        labels = [f"c{number}" for number in range(1, source_id + 1)]
        assert re.findall(r"\[\^(c\d+)\] ", body) == labels
        assert re.findall(r"^\[\^(c\d+)\]: ", body, re.MULTILINE) == labels
    assert agent.concept_page("writer", 99, found, body) is None


def test_what_a_source_says_is_no_markup_on_a_page() -> None:
    said = agent.source_page(1, read(HOSTILE), ()).body.partition("\n[^s1]: ")[0]
    assert [mark for mark in ("[[", "](", "]:", "<", "`", "\x1b", "\u202e") if mark in said] == []


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 jobs"), (1, "1 job"), (2, "2 jobs")], ids=["none", "one", "two"]
)
def test_what_is_counted_agrees_with_its_number(number: int, words: str) -> None:
    assert show.counted(number, "job") == words


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "a store.md").write_text(f"# The npm - a writer's store\n\n{WRITERS} {READERS}\n")
    (folder / "copy.md").write_text(f"# The npm - a writer's store\n\n{WRITERS} {READERS}\n")
    (folder / "empty.md").write_text("")
    (folder / "hostile.md").write_text(HOSTILE)
    (folder / "short.md").write_text("# Short\n\nNothing.\n")
    (folder / "link.md").symlink_to("/etc/passwd")
    return folder


def test_every_document_comes_to_an_end_and_a_second_run_makes_the_same(
    documents: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "demo"
    bodies = []
    for run in range(2):
        assert main([str(documents), "--wiki", str(place)]) == 0
        shown, _ = capfd.readouterr()
        assert ("what a former demo left there is replaced" in shown) == (run == 1)
        with open_wiki(place) as wiki:
            done = {job.title: (job.status, job.last_error) for job in jobs.listed(wiki).jobs}
            assert lint.lint(wiki).severities["error"] == 0
            slugs = [page.slug for page in pages.list_(wiki).pages]
            bodies.append({slug: pages.show(wiki, slug=slug).page.body for slug in slugs})
    assert done == {
        "a store.md": ("completed", None),
        "hostile.md": ("completed", None),
        "short.md": ("failed", "no sentence in it that is worth quoting"),
    }
    assert bodies[0] == bodies[1]
    for words in (
        *("5 documents of", "3 jobs; copies of another document: 1"),
        *("not added: empty.md (empty_source)", "2 completed, 1 failed"),
        "failed: short.md: no sentence in it that is worth quoting",
        shlex.join(("--title", "The npm - a writer's store", "--kind", "source")),
    ):
        assert words in shown
    assert not {"\x1b", "\u202e"} & set(shown)


def test_a_folder_with_one_document_is_shown_and_searched(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "one.md").write_text("All of it is what it is, and so it was and so it is to be.\n")
    assert main([str(folder), "--wiki", str(tmp_path / "demo")]) == 0
    shown, _ = capfd.readouterr()
    for words in ("1 document of", "1 job\n", "lwc search one.md", "source-1-one-md"):
        assert words in shown
    assert "1 jobs" not in shown


def test_the_command_that_is_told_runs_this_lwc(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{typed(tmp_path)} --version"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.split()[-1] == lwc.__version__
