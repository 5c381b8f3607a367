"""Whatever live and draft do, the baseline tells what lint of both whole wikis would tell."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from drafting import DRAFT, a_draft
from hypothesis import HealthCheck, given, settings
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

# The first live a while already; the others come to be on one side or the other.
NAMES = ("ant", "bee", "cat", "dog")
TEXTS = {
    number: f"Source {number} says that {number} writers wait for one." for number in (1, 2, 3)
}
NEVER_SAID = "Nobody ever said such a thing."
# Warnings about pairs of pages: that an untouched page is like a new one, only a look at all tells.
ELSEWHERE = ("possible_duplicate", "slug_confusable")

Act = Callable[[Wiki], object]
Findings = Counter[tuple[str, str, str]]


@st.composite
def puts(draw: st.DrawFn) -> Act:
    slug, kind = draw(st.sampled_from(NAMES)), draw(st.sampled_from(("source", "concept")))
    cited = draw(st.lists(st.tuples(st.sampled_from(tuple(TEXTS)), st.booleans()), max_size=2))
    named = draw(st.sampled_from(((), (), (1,), (3,))))
    links = draw(st.lists(st.sampled_from((*NAMES, "eel")), max_size=2))
    body = written(links, cited)
    return lambda wiki: put(wiki, slug, body, kind=kind, source_ids=named)


def written(links: list[str], cited: list[tuple[int, bool]]) -> str:
    marks = "".join(f"[^c{at}]" for at, _ in enumerate(cited))
    notes = "".join(
        f'[^c{at}]: source:{number} "{TEXTS[number] if is_true else NEVER_SAID}"\n'
        for at, (number, is_true) in enumerate(cited)
    )
    return f"See {' '.join(f'[[{link}]]' for link in links)}.{marks}\n\n{notes}"


def renames(slug: str, to: str) -> Act:
    return lambda wiki: page_moves.rename(wiki, AGENT, slug=slug, to=to)


def restores(slug: str, revision: int) -> Act:
    return lambda wiki: page_writes.restore(wiki, AGENT, slug=slug, revision=revision)


def confirms(slug: str, source_id: int) -> Act:
    return lambda wiki: page_writes.confirm(wiki, AGENT, slug=slug, source_id=source_id)


def removes(slug: str) -> Act:
    return lambda wiki: page_moves.remove(wiki, AGENT, slug=slug)


def sources_removed(source_id: int) -> Act:
    return lambda wiki: source_writes.remove(wiki, AGENT, source_id=source_id)


def sources_added(number: int) -> Act:
    return lambda wiki: a_source(wiki, TEXTS[number], name=f"{number}.md")


def completes(source_id: int, reason: str | None) -> Act:
    def complete(wiki: Wiki) -> None:
        held = analyzed(wiki, source_id)
        put(wiki, f"about-{source_id}", written([], [(source_id, True)]), kind="source")
        waivers = Waivers(no_derived_pages_reason=reason, unread_reason="It is short.")
        completion.complete(wiki, AGENT, source_id, waivers=waivers, token=held.token)

    return complete


SLUGS = st.sampled_from(NAMES)
NUMBERS = st.sampled_from(tuple(TEXTS))
DEEDS = st.one_of(
    puts(),
    puts(),
    st.builds(removes, SLUGS),
    st.builds(renames, SLUGS, SLUGS),
    st.builds(restores, SLUGS, st.integers(1, 3)),
    st.builds(confirms, SLUGS, NUMBERS),
    st.builds(sources_removed, NUMBERS),
    st.builds(sources_added, NUMBERS),
    st.builds(completes, NUMBERS, st.sampled_from((None, "Nothing to say."))),
)
HISTORIES = st.lists(st.tuples(st.booleans(), DEEDS), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, empty_store: Path) -> Path:
    """The closed `.lwc` of a wiki with some debt, and an empty draft."""
    folder = tmp_path_factory.mktemp("begun")
    with closed_store():
        shutil.copytree(empty_store, folder / ".lwc")
    with opened(folder) as wiki:
        for number in TEXTS:
            sources_added(number)(wiki)
        put(wiki, "ant", written(["bee"], [(1, True)]), kind="source")
        put(wiki, "bee", written(["ant", "eel"], [(1, True), (2, False)]))
        put(wiki, "cat", written(["bee"], []), source_ids=(2,))
        completes(1, None)(wiki)
        a_draft(wiki).close()
    return folder / ".lwc"


def opened(folder: Path, *, changeset: str | None = None) -> Wiki:
    return open_wiki(folder, environ={"HOME": str(folder / "nobody")}, changeset=changeset)


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


def hold(begun: Path, history: list[tuple[bool, Act]], policy: str) -> None:
    with both(begun) as (live, draft):
        configuration.put(live, AGENT, values={"citations": policy})
        for is_drafted, act in history:
            if is_drafted and collide(draft):
                continue  # such a draft has to be rebased first
            with suppress(LwcError):
                act(draft if is_drafted else live)
        check(live, draft, policy)


def check(live: Wiki, draft: Wiki, policy: str) -> None:
    with live.database.writing() as conn:
        gate = lint_baseline.gate(conn, drafts.opened(conn, DRAFT))
    with live.reading() as conn:
        baseline = lint_baseline.baseline(conn, drafts.opened(conn, DRAFT))
    old, now = findings_of(live, new_names(live, draft)), findings_of(draft)
    assert told(baseline.introduced) == now - old
    assert told(gate.introduced) == errors(now - old, policy)
    assert told(gate.touched) <= errors(now & old, policy)
    assert (gate.touched, gate.digest) == (baseline.touched, baseline.digest)
    assert baseline.inherited == {
        level: count - baseline.introduced.severities[level] - baseline.touched.severities[level]
        for level, count in lint.lint(draft).severities.items()
    }


def findings_of(wiki: Wiki, renamed: Mapping[str, str] = {}) -> Findings:
    """All that lint finds in the whole wiki, a page under the slug that the draft gives it."""
    return identities(lint.lint(wiki, limit=1000).issues, renamed)


def told(part: Told) -> Findings:
    return identities(part.issues, {})


def identities(issues: Iterable[Finding], renamed: Mapping[str, str]) -> Findings:
    return Counter(
        (one.code, renamed.get(one.page or "", one.page or ""), one.target or "")
        for one in issues
        if one.code not in ELSEWHERE
    )


def errors(found: Findings, policy: str) -> Findings:
    graver = {code for code, rule in BY_CODE.items() if rule.severity_under(policy) == "error"}
    return Counter({one: number for one, number in found.items() if one[0] in graver})


def new_names(live: Wiki, draft: Wiki) -> dict[str, str]:
    before, after = by_id(live), by_id(draft)
    return {slug: after[id_] for id_, slug in before.items() if id_ in after}


def by_id(wiki: Wiki) -> dict[int, str]:
    with wiki.reading() as conn:
        return {row.id: row.slug for row in conn.exec_driver_sql("SELECT id, slug FROM pages")}


def collide(draft: Wiki) -> bool:
    """Whether live and draft have each made a page of one name."""
    slugs = list(by_id(draft).values())
    return len(set(slugs)) < len(slugs)


POLICIES = st.sampled_from(("optional", "required"))


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=HISTORIES, policy=POLICIES)
def test_the_baseline_is_the_difference_of_two_whole_lints(
    begun: Path, history: list[tuple[bool, Act]], policy: str
) -> None:
    hold(begun, history, policy)


@pytest.mark.slow
@settings(
    max_examples=2_000,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=HISTORIES, policy=POLICIES)
def test_the_baseline_is_the_difference_of_two_whole_lints_in_many_histories(
    begun: Path, history: list[tuple[bool, Act]], policy: str
) -> None:
    hold(begun, history, policy)
