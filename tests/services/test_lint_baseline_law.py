"""Whatever live and draft do, the baseline tells what two lints of the whole wiki would tell."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from drafting import DRAFT, a_draft
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from ingesting import AGENT, a_source, analyzed
from page_makers import put
from storefiles import closed_store

from lwc.domain.lint import BY_CODE, Finding
from lwc.errors import LwcError
from lwc.services import (
    completion,
    configuration,
    lint,
    lint_baseline,
    page_moves,
    page_writes,
    source_writes,
)
from lwc.services.completion import Waivers
from lwc.services.lint_baseline import Told
from lwc.store import drafts
from lwc.wiki import Wiki, open_wiki

# Whether it is done in the draft, and what is done; what is refused there is left.
Deed = tuple[bool, Callable[[Wiki], object]]
Findings = Counter[tuple[str, str, str]]

NAMES = ("ant", "bee", "cat", "dog")
TEXTS = {
    number: f"Source {number} says that {number} writers wait for one." for number in (1, 2, 3)
}
REMOVED = "removed"
NEVER_SAID = "Nobody ever said such a thing."
# Warnings about pairs of pages: that an untouched page is like a new one, only a look at all tells.
OF_PAIRS = ("possible_duplicate", "slug_confusable")


def write(
    wiki: Wiki,
    *,
    slug: str,
    kind: str = "concept",
    links: Iterable[str] = (),
    quotes: Iterable[tuple[int, bool]] = (),
    named: tuple[int, ...] = (),
) -> None:
    """A page with these links and quotes, each of a source and true or not."""
    quoted = [(number, TEXTS[number] if is_true else NEVER_SAID) for number, is_true in quotes]
    marks = "".join(f"[^{at}]" for at, _ in enumerate(quoted))
    notes = "".join(
        f'[^{at}]: source:{number} "{quote}"\n' for at, (number, quote) in enumerate(quoted)
    )
    text = f"See {' '.join(f'[[{link}]]' for link in links)}.{marks}\n\n{notes}"
    put(wiki, slug, text, kind=kind, source_ids=named)


def rename(wiki: Wiki, *, slug: str, to: str) -> None:
    page_moves.rename(wiki, AGENT, slug=slug, to=to)


def restore(wiki: Wiki, *, slug: str, revision: int) -> None:
    page_writes.restore(wiki, AGENT, slug=slug, revision=revision)


def confirm(wiki: Wiki, *, slug: str, source_id: int) -> None:
    page_writes.confirm(wiki, AGENT, slug=slug, source_id=source_id)


def remove(wiki: Wiki, *, slug: str) -> None:
    page_moves.remove(wiki, AGENT, slug=slug)


def forget(wiki: Wiki, *, source_id: int) -> None:
    source_writes.remove(wiki, AGENT, source_id=source_id)


def add(wiki: Wiki, *, number: int) -> None:
    a_source(wiki, TEXTS[number], name=f"{number}.md")


def complete(wiki: Wiki, *, source_id: int, reason: str | None) -> None:
    held = analyzed(wiki, source_id)
    write(wiki, slug=f"about-{source_id}", kind="source", quotes=[(source_id, True)])
    waivers = Waivers(no_derived_pages_reason=reason, unread_reason="It is short.")
    completion.complete(wiki, AGENT, source_id, waivers=waivers, token=held.token)


SLUGS = st.sampled_from(NAMES)
NUMBERS = st.sampled_from(tuple(TEXTS))
WRITES = st.builds(
    partial,
    st.just(write),
    slug=SLUGS,
    kind=st.sampled_from(("source", "concept")),
    links=st.lists(st.sampled_from((*NAMES, "eel")), max_size=2),
    quotes=st.lists(st.tuples(NUMBERS, st.booleans()), max_size=2),
    named=st.sampled_from(((), (), (1,), (3,))),
)
ACTS = st.one_of(
    WRITES,
    WRITES,
    st.builds(partial, st.just(rename), slug=SLUGS, to=SLUGS),
    st.builds(partial, st.just(restore), slug=SLUGS, revision=st.integers(1, 3)),
    st.builds(partial, st.just(confirm), slug=SLUGS, source_id=NUMBERS),
    st.builds(partial, st.just(remove), slug=SLUGS),
    st.builds(partial, st.just(forget), source_id=NUMBERS),
    st.builds(partial, st.just(add), number=NUMBERS),
    st.builds(
        partial, st.just(complete), source_id=NUMBERS, reason=st.sampled_from((None, "Enough."))
    ),
)
SOME = st.lists(st.tuples(st.booleans(), ACTS), max_size=4)
LIVE, STAGED = False, True
# What chance brings about too seldom: both sides at one name, one source, one earlier name.
RACES: Mapping[str, list[Deed]] = {
    "none": [],
    "a page goes and is linked to": [
        (STAGED, partial(remove, slug="cat")),
        (LIVE, partial(write, slug="ant", links=["cat"])),
    ],
    "a page goes and is linked to by an earlier name": [
        (LIVE, partial(rename, slug="cat", to="dog")),
        (STAGED, partial(remove, slug="dog")),
        (LIVE, partial(write, slug="ant", links=["cat"])),
    ],
    "a source goes and is cited": [
        (STAGED, partial(forget, source_id=3)),
        (LIVE, partial(write, slug="ant", quotes=[(3, True)])),
    ],
    "a source is cited and goes": [
        (STAGED, partial(write, slug="ant", quotes=[(3, True)])),
        (LIVE, partial(forget, source_id=3)),
    ],
    "a page with errors has another name": [
        (STAGED, partial(rename, slug="bee", to="dog")),
        (STAGED, partial(write, slug="dog", links=["eel", "elk"], quotes=[(2, False), (2, False)])),
    ],
    "a page takes the name of a removed one": [
        (LIVE, partial(write, slug="cat", links=["eel"])),
        (STAGED, partial(remove, slug="cat")),
        (STAGED, partial(rename, slug="bee", to="cat")),
        (STAGED, partial(write, slug="cat", links=["eel", "elk"])),
        (STAGED, partial(write, slug="ant")),
    ],
    "both make a page of one name": [
        (STAGED, partial(write, slug="dog", links=["eel"])),
        (LIVE, partial(write, slug="dog", links=["eel", "elk"], quotes=[(2, False)])),
    ],
    "a page is given the name that one of the draft has": [
        (STAGED, partial(write, slug="dog", links=["eel"])),
        (LIVE, partial(rename, slug="bee", to="dog")),
    ],
    "a page of the draft is given an earlier name of another": [
        (STAGED, partial(write, slug="dog")),
        (LIVE, partial(write, slug="ant", links=["cat"])),
        (LIVE, partial(rename, slug="cat", to="dog")),
        (LIVE, partial(rename, slug="dog", to="cow")),
        (LIVE, partial(write, slug="ant", links=["dog"])),
    ],
    "the links to an earlier name go": [
        (LIVE, partial(write, slug="ant", links=["bee"])),
        (LIVE, partial(rename, slug="cat", to="dog")),
        (LIVE, partial(write, slug="bee", links=["cat"])),
        (STAGED, partial(write, slug="bee")),
    ],
    "the links to a page go": [
        (LIVE, partial(write, slug="bee", links=["cat"])),
        (STAGED, partial(write, slug="bee")),
    ],
    "a completed source is cited no more": [
        (STAGED, partial(write, slug="bee")),
        (STAGED, partial(write, slug="ant")),
    ],
}
HISTORIES = st.builds(
    lambda before, race, after: [*before, *RACES[race], *after],
    SOME,
    st.sampled_from(tuple(RACES)),
    SOME,
)
POLICIES = st.sampled_from(("optional", "required"))


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, empty_store: Path) -> Path:
    """The closed `.lwc` of a wiki with some debt, and an empty draft."""
    folder = tmp_path_factory.mktemp("begun")
    with closed_store():
        shutil.copytree(empty_store, folder / ".lwc")
    with opened(folder) as wiki:
        for number in TEXTS:
            add(wiki, number=number)
        write(wiki, slug="ant", kind="source", links=["bee"], quotes=[(1, True)])
        write(wiki, slug="bee", links=["ant", "eel"], quotes=[(1, True), (2, False)])
        write(wiki, slug="cat", links=["bee"], named=(2,))
        held = analyzed(wiki, 1)
        waivers = Waivers(unread_reason="It is short.")
        completion.complete(wiki, AGENT, 1, waivers=waivers, token=held.token)
        a_draft(wiki).close()
    return folder / ".lwc"


@pytest.mark.parametrize("race", RACES)
def test_the_baseline_is_the_difference_of_two_lints_after_a_race(begun: Path, race: str) -> None:
    hold(begun, RACES[race], "required")


@settings(
    max_examples=20,
    deadline=None,
    # Ten deeds can be read as they are; making them fewer takes minutes.
    phases=(Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(history=HISTORIES, policy=POLICIES)
def test_the_baseline_is_the_difference_of_two_lints(
    begun: Path, history: list[Deed], policy: str
) -> None:
    hold(begun, history, policy)


@pytest.mark.slow
@settings(
    max_examples=1_000,
    deadline=None,
    phases=(Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(history=HISTORIES, policy=POLICIES)
def test_the_baseline_is_the_difference_of_two_lints_in_many_histories(
    begun: Path, history: list[Deed], policy: str
) -> None:
    hold(begun, history, policy)


def hold(begun: Path, history: list[Deed], policy: str) -> None:
    with both(begun) as (live, draft):
        configuration.put(live, AGENT, values={"citations": policy})
        for is_staged, act in history:
            with suppress(LwcError):
                act(draft if is_staged else live)
        check(live, draft, policy)


@contextmanager
def both(begun: Path) -> Iterator[tuple[Wiki, Wiki]]:
    """The wiki, live and as its draft, for one history."""
    folder = Path(tempfile.mkdtemp())
    with closed_store():
        shutil.copytree(begun, folder / ".lwc")
    try:
        with opened(folder) as live, opened(folder, changeset=DRAFT) as draft:
            yield live, draft
    finally:
        shutil.rmtree(folder)


def opened(folder: Path, *, changeset: str | None = None) -> Wiki:
    return open_wiki(folder, environ={"HOME": str(folder / "nobody")}, changeset=changeset)


def check(live: Wiki, draft: Wiki, policy: str) -> None:
    with live.database.writing() as conn:
        gate = lint_baseline.gate(conn, drafts.opened(conn, DRAFT))
    with live.reading() as conn:
        baseline = lint_baseline.baseline(conn, drafts.opened(conn, DRAFT))
    old, now = whole(live, new_names(live, draft)), whole(draft, {})
    assert told(baseline.introduced) == now - old
    assert told(gate.introduced) == errors(now - old, policy)
    assert told(gate.touched) <= errors(now & old, policy)
    assert (gate.touched, gate.digest) == (baseline.touched, baseline.digest)
    assert baseline.inherited == {
        level: count - baseline.introduced.severities[level] - baseline.touched.severities[level]
        for level, count in lint.lint(draft).severities.items()
    }


def whole(wiki: Wiki, renamed: Mapping[str, str]) -> Findings:
    """All that lint finds in the wiki, a page under the slug that the draft gives it."""
    return identities(lint.lint(wiki, limit=1000).issues, renamed)


def told(part: Told) -> Findings:
    return identities(part.issues, {})


def identities(issues: Iterable[Finding], renamed: Mapping[str, str]) -> Findings:
    return Counter(
        (one.code, renamed.get(one.page or "", one.page or ""), one.target or "")
        for one in issues
        if one.code not in OF_PAIRS
    )


def errors(found: Findings, policy: str) -> Findings:
    graver = {code for code, rule in BY_CODE.items() if rule.severity_under(policy) == "error"}
    return Counter({one: number for one, number in found.items() if one[0] in graver})


def new_names(live: Wiki, draft: Wiki) -> dict[str, str]:
    after = by_id(draft)
    return {slug: after.get(id_, REMOVED) for id_, slug in by_id(live).items()}


def by_id(wiki: Wiki) -> dict[int, str]:
    with wiki.reading() as conn:
        return {row.id: row.slug for row in conn.exec_driver_sql("SELECT id, slug FROM pages")}
