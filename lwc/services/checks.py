"""Retrieval checks: keeping them with pages, and running them by the search that agents use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lwc.domain.check import CHECKS_MOST, TOP, Place, holds, is_checking, parse_questions
from lwc.domain.listing import check_part
from lwc.domain.slug import parse_slug
from lwc.errors import STALE_REVISION, TOO_MANY_CHECKS
from lwc.services.intake import Progress
from lwc.services.page_named import named_page
from lwc.services.search import first_pages
from lwc.store import checks, journal, layers, pages
from lwc.store.checks import CheckState, Chosen
from lwc.store.database import Connection
from lwc.store.search import page_names
from lwc.wiki import Answer, Call, Change, Changed, Wiki, replayable

# What is shown of the pages before one, or instead of it.
RESULTS_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAdded(Changed):
    """A check stands with its page; `created` is false when one that asks the same did already."""

    check: CheckState
    created: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRemoved(Changed):
    """A check is gone; `check` is what it was."""

    check: CheckState
    removed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckList(Answer):
    """Checks by page, each with how it came out last on the live wiki."""

    checks: tuple[CheckState, ...]
    total: int
    limit: int
    offset: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A page among what a query found, and its place there."""

    place: int
    slug: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Where a query found the page of its check: none when not among the first `top`.

    `results` are the first pages it found, up to that page, at most ten.
    """

    query: str
    place: Place
    results: tuple[Ranked, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOutcome:
    """A check that was run: it held when the query and every paraphrase found its page."""

    id: int
    page: str
    top: int
    held: bool
    query: str
    place: Place
    results: tuple[Ranked, ...]
    paraphrases: tuple[Found, ...]

    @property
    def places(self) -> tuple[Place, ...]:
        """In the order of the queries."""
        return (self.place, *(found.place for found in self.paraphrases))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksRun(Changed):
    """How checks came out at this revision: those that failed first, then by page.

    `held` and `totals` are of all that were run, `checks` is the part asked for. `recorded` is
    false in a draft, and where the wiki may only be read.
    """

    checks: tuple[CheckOutcome, ...]
    held: bool
    totals: Mapping[str, int]
    recorded: bool
    total: int
    limit: int
    offset: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChecks:
    """How a page stands in its checks.

    It is `checked` when the original of one of them and a paraphrase in other words find it;
    `paraphrased` when one has a paraphrase at all.
    """

    page_id: int
    page: str
    paraphrased: bool
    checked: bool
    outcomes: tuple[CheckOutcome, ...]

    @property
    def failed(self) -> tuple[CheckOutcome, ...]:
        return tuple(outcome for outcome in self.outcomes if not outcome.held)


@replayable(CheckAdded)
def add(
    wiki: Wiki,
    call: Call,
    *,
    slug: str,
    query: str,
    paraphrases: Iterable[str] = (),
    top: int = TOP,
) -> CheckAdded:
    """Keep a check with a page: each query must find the page among the first `top`.

    One that looks for the same words is there already and stays as it is.
    """
    slug = parse_slug(slug)
    questions = parse_questions(query, paraphrases, top=top)
    with wiki.staging(call) as change:
        page = named_page(change.conn, slug)
        there = checks.of_page(change.conn, page.id)
        check = next((one for one in there if one.questions.asks_the_same(questions)), None)
        created = check is None
        if check is None:
            if len(there) >= CHECKS_MOST:
                raise TOO_MANY_CHECKS(slug=page.slug, most=CHECKS_MOST)
            check = checks.add(change.conn, page.id, questions, author=change.agent, now=change.now)
            change.record("check_add", page.slug, check_id=check.id)
        return change.finish(
            CheckAdded(**wiki.label(), revision=change.revision, check=check, created=created)
        )


@replayable(CheckRemoved)
def remove(wiki: Wiki, call: Call, check_id: int) -> CheckRemoved:
    """Take a check away, and how it came out with it."""
    with wiki.staging(call) as change:
        check = checks.find(change.conn, check_id)
        checks.drop(change.conn, check_id)
        change.record("check_remove", check.page, check_id=check_id)
        return change.finish(
            CheckRemoved(**wiki.label(), revision=change.revision, check=check, removed=True)
        )


def list_(wiki: Wiki, *, slug: str | None = None, limit: int = 100, offset: int = 0) -> CheckList:
    """The checks of a page, or of all pages."""
    check_part(limit=limit, offset=offset)
    with wiki.reading() as conn:
        chosen = Chosen(page_ids=_page_ids(conn, () if slug is None else (slug,)))
        total = checks.count(conn, chosen)
        found = checks.listed(conn, chosen, limit=limit, offset=offset)
    return CheckList(
        **wiki.label(),
        checks=found,
        total=total,
        limit=limit,
        offset=offset,
        has_more=offset + len(found) < total,
    )


@replayable(ChecksRun)
def run(
    wiki: Wiki,
    call: Call,
    *,
    slugs: Sequence[str] = (),
    failed: bool = False,
    limit: int = 100,
    offset: int = 0,
    progress: Progress | None = None,
) -> ChecksRun:
    """Ask every query of the checks of these pages, or of all, and keep how each check came out.

    `failed` leaves out what held when it was last run. In a draft the search is the draft's and
    nothing is kept. Keeping results is no change of content: the wiki's revision stays.
    """
    check_part(limit=limit, offset=offset)
    with wiki.reading() as conn:
        draft = layers.of(conn)
        revision = journal.revision(conn)
        _check_revision(call, found=revision if draft is None else draft.revision)
        chosen = Chosen(page_ids=_page_ids(conn, slugs), failed=failed)
        outcomes = _run_all(conn, checks.listed(conn, chosen), progress=progress)
    held = sum(outcome.held for outcome in outcomes)
    shown = sorted(outcomes, key=lambda outcome: outcome.held)[offset : offset + limit]
    answer = ChecksRun(
        **wiki.label(),
        revision=revision,
        draft_revision=None if draft is None else draft.revision,
        checks=tuple(shown),
        held=held == len(outcomes),
        totals={
            "checks": len(outcomes),
            "held": held,
            "failed": len(outcomes) - held,
            "queries": sum(len(outcome.places) for outcome in outcomes),
        },
        recorded=draft is None and wiki.database.mode == "rw",
        total=len(outcomes),
        limit=limit,
        offset=offset,
        has_more=offset + len(shown) < len(outcomes),
    )
    return _record(wiki, call, answer, outcomes) if answer.recorded else answer


def standing(conn: Connection, page_ids: Iterable[int]) -> tuple[PageChecks, ...]:
    """How these pages stand in their checks, which are run on this connection: live or a draft.

    In the order asked for; pages that are not there are left out.
    """
    return tuple(_standing(conn, page.id, page.slug) for page in pages.of_ids(conn, page_ids))


def record(change: Change, outcomes: Iterable[CheckOutcome], *, revision: int) -> None:
    """Keep how checks came out on the live wiki at a revision; the journal is not told."""
    places = {outcome.id: outcome.places for outcome in outcomes}
    checks.record(change.conn, places, revision=revision, agent=change.agent, now=change.now)


def _standing(conn: Connection, page_id: int, slug: str) -> PageChecks:
    states = checks.of_page(conn, page_id)
    outcomes = _run_all(conn, states)
    return PageChecks(
        page_id=page_id,
        page=slug,
        paraphrased=any(state.paraphrases for state in states),
        checked=any(
            is_checking(state.questions, outcome.places)
            for state, outcome in zip(states, outcomes, strict=True)
        ),
        outcomes=outcomes,
    )


def _check_revision(call: Call, *, found: int) -> None:
    if call.if_revision is not None and call.if_revision != found:
        raise STALE_REVISION(expected=call.if_revision, found=found)


def _page_ids(conn: Connection, slugs: Sequence[str]) -> tuple[int, ...] | None:
    """The pages that are meant; none when all are. An earlier name leads to its page."""
    if not slugs:
        return None
    return tuple(pages.find(conn, parse_slug(slug)).id for slug in slugs)


def _run_all(
    conn: Connection, states: Sequence[CheckState], *, progress: Progress | None = None
) -> tuple[CheckOutcome, ...]:
    outcomes = []
    for number, state in enumerate(states):
        if progress is not None:
            progress(number, len(states))
        outcomes.append(_run(conn, state))
    return tuple(outcomes)


def _run(conn: Connection, state: CheckState) -> CheckOutcome:
    original, *others = (
        _found(conn, query, page=state.page, top=state.top) for query in state.questions.queries
    )
    return CheckOutcome(
        id=state.id,
        page=state.page,
        top=state.top,
        held=holds([original.place, *(found.place for found in others)]),
        query=original.query,
        place=original.place,
        results=original.results,
        paraphrases=tuple(others),
    )


def _found(conn: Connection, query: str, *, page: str, top: int) -> Found:
    ids = first_pages(conn, query, most=top)
    names = page_names(conn, ids)
    ranked = [
        Ranked(place=place, slug=names[id_][1], title=names[id_][0])
        for place, id_ in enumerate(ids, start=1)
    ]
    place = next((one.place for one in ranked if one.slug == page), None)
    shown = min(place or RESULTS_SHOWN, RESULTS_SHOWN)
    return Found(query=query, place=place, results=tuple(ranked[:shown]))


def _record(
    wiki: Wiki, call: Call, answer: ChecksRun, outcomes: Sequence[CheckOutcome]
) -> ChecksRun:
    # They ran at the revision that was asked for, wherever the wiki is by now.
    with wiki.writing(replace(call, if_revision=None)) as change:
        record(change, outcomes, revision=answer.revision)
        return change.finish(answer)
