"""Whether the Markdown files are what the wiki says, as its doctor asks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from lwc import projection
from lwc.domain.doctor import Flaw
from lwc.errors import LwcError
from lwc.projection import Survey
from lwc.projection.manifest import Standing
from lwc.wiki import Wiki


def flaws(wiki: Wiki) -> Iterator[Flaw]:
    """Files that differ, and a wiki that knows less than was projected from it.

    Files are compared only while nothing waits to be projected: what waits differs rightly.
    """
    try:
        yield from _flaws(wiki)
    except LwcError as error:
        if error.problem.retryable:
            raise
        yield _unreadable(error.details.get("what", error.message))
    except (TypeError, ValueError) as error:
        # A damaged row can hold what the schema forbids.
        yield _unreadable(f"a row that is projected holds what it cannot ({type(error).__name__})")


def _unreadable(what: object) -> Flaw:
    facts = {"what": str(what).rstrip(".")}
    return Flaw(code="database_damaged", entity="database", key="wiki.db", facts=facts)


def _flaws(wiki: Wiki) -> Iterator[Flaw]:
    seen = projection.survey(wiki.database, wiki.workspace.store)
    if seen.standing == Standing.WENT_BACK:
        yield _of_projection("projection_ahead", str(seen.projected_revision), last=seen.revision)
    if seen.projection == "off":
        return
    if behind := _behind(seen):
        yield _of_projection("projection_pending", "outbox", behind=behind)
        return
    found = _differences(wiki)
    if found:
        # Somebody may have been writing the wiki meanwhile: what differs still, does.
        again = _differences(wiki)
        for path in sorted(found.keys() & again.keys()):
            yield Flaw(
                code="projection_differs", entity="file", key=path, facts={"what": again[path]}
            )


def _behind(seen: Survey) -> int:
    """How much waits to be projected: everything, where nothing ever was."""
    if seen.projected_revision is None and not (seen.pages_projected or seen.sources_projected):
        return max(seen.behind, seen.pages + seen.sources)
    return seen.behind


def _of_projection(code: str, key: str, **facts: object) -> Flaw:
    return Flaw(code=code, entity="projection", key=key, facts=facts)


def _differences(wiki: Wiki) -> dict[str, str]:
    try:
        found = projection.differences(wiki.database, wiki.workspace.store)
        return {one.path: one.what for one in found}
    except OSError as error:
        return {".": (error.strerror or "input/output error").lower()}


def mend(wiki: Wiki) -> bool:
    """Write the files anew; edits of others are set aside, and files of others left."""
    with suppress(OSError, LwcError):
        return projection.materialize(wiki.database, wiki.workspace.store).errors_total == 0
    return False
