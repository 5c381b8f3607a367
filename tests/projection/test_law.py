"""The law of the projection: after any changes the files are those that a full run makes anew."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from projecting import catch_up, files, made_anew, materialize, switch
from storefiles import closed_store

from lwc.errors import LwcError
from lwc.services import charter, page_moves, page_writes, source_writes
from lwc.wiki import Call, Wiki, open_wiki

CALL = Call(agent="tester")
SLUGS = ("a", "b", "B", "c d")
KINDS = ("concept", "entity", "decision", "source")
TITLES = ("One", "two: [x]", "One")
SCHEMA = "---\nkinds: [decision]\n---\n# Schema\n"

slugs = st.sampled_from(SLUGS)
numbers = st.integers(min_value=1, max_value=3)
changes = st.one_of(
    st.tuples(
        st.just("put"),
        slugs,
        st.sampled_from(KINDS),
        st.sampled_from(TITLES),
        st.sampled_from(["", "A summary."]),
        st.sets(numbers, max_size=1),
    ),
    st.tuples(st.just("remove"), slugs),
    st.tuples(st.just("rename"), slugs, slugs),
    st.tuples(st.just("add"), numbers, st.sampled_from(["x.md", "sub/x.txt"])),
    st.tuples(st.just("forget"), numbers),
    st.tuples(st.just("purpose"), st.sampled_from(["# P\n", "# Q\r\n\r\nx"])),
    st.tuples(st.just("switch"), st.sampled_from(["on", "off"])),
    st.tuples(st.just("materialize")),
)


def apply(wiki: Wiki, change: tuple) -> None:  # type: ignore[type-arg]
    root = wiki.workspace.root
    match change:
        case ("put", slug, kind, title, summary, cited):
            body = f"{title} {kind} [[a]]" + "".join(
                f"[^{one}]\n\n[^{one}]: source:{one}\n" for one in cited
            )
            page_writes.put(
                wiki, CALL, slug=slug, title=title, kind=kind, summary=summary, body=body
            )
        case ("remove", slug):
            page_moves.remove(wiki, CALL, slug=slug)
        case ("rename", slug, to):
            page_moves.rename(wiki, CALL, slug=slug, to=to)
        case ("add", number, path):
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(f"The text of source {number}.")
            source_writes.add(wiki, CALL, path=path, base=root)
        case ("forget", number):
            source_writes.remove(wiki, CALL, source_id=number)
        case ("purpose", text):
            charter.put(wiki, CALL, name="purpose", text=text)
        case ("switch", word):
            switch(wiki, word)
        case ("materialize",):
            materialize(wiki)


@settings(max_examples=25, deadline=None)
@given(history=st.lists(changes, min_size=1, max_size=14))
def test_files_kept_up_are_those_of_a_full_run(empty_store: Path, history: list) -> None:  # type: ignore[type-arg]
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        with closed_store():
            shutil.copytree(empty_store, project / ".lwc")
        with open_wiki(project, environ={"HOME": str(project / "nobody")}) as wiki:
            charter.put(wiki, CALL, name="schema", text=SCHEMA)
            for change in history:
                try:
                    apply(wiki, change)
                except LwcError:
                    continue
            switch(wiki, "on")
            # The log tells what changes no file only with the next that does.
            charter.put(wiki, CALL, name="purpose", text="# Last\n")
            assert catch_up(wiki) is None
            assert files(project / ".lwc") == made_anew(wiki)
            assert materialize(wiki).written == 0
