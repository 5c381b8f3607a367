"""Sources, the charter and ingest jobs in the model; jobs and claims are always live."""

from __future__ import annotations

from dataclasses import dataclass

from laws.layers import Draft, Job, Layer, Refused, Source, World
from laws.pages import live_of

from lwc.errors import (
    ATTEMPTS_EXHAUSTED,
    BLANK,
    CITATION_MISSING,
    CLAIM_LOST,
    CLAIM_REQUIRED,
    DERIVED_PAGES_EXIST,
    ILLEGAL_TRANSITION,
    INTEGRATION_REQUIRED,
    JOB_NOT_FOUND,
    JOB_PINNED,
    SOURCE_CLAIMED,
    SOURCE_IN_USE,
    SOURCE_NOT_FOUND,
    SOURCE_SUMMARY_MISSING,
    STALE_REVISION,
    Problem,
)

LEASE = 1800
MOST_ATTEMPTS = 3
FAILURE = "It was too hard."


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who works on a job, with which token; none is no token."""

    agent: str
    token: str | None = None

    def holds(self, job: Job) -> bool:
        return self.agent == job.agent if self.token is None else self.token == job.token


def add(world: World, layer: Layer, path: str, text: str) -> int:
    """Take a file in; answers the id of its source."""
    live = live_of(layer)
    source = next((known for known, kept in live.texts.items() if kept == text), None)
    if source is None:
        source = len(live.texts) + 1
        live.texts[source] = text
    created = layer.get("source", source) is None
    if created:
        layer.put("source", source, Source(id=source, title=path, at=world.now))
        live.jobs.setdefault(source, Job())
    before = layer.get("path", path)
    advanced = before is None or before[-1][1] != source
    if advanced:
        head = (1 if before is None else before[-1][0] + 1, source, world.now)
        layer.put("path", path, (*(before or ()), head))
    if created or advanced:
        layer.record()
    return source


def remove(world: World, layer: Layer, source: int) -> None:
    if layer.get("source", source) is None:
        raise Refused(SOURCE_NOT_FOUND)
    if any(source in page.cited for page in layer.of("page").values()):
        raise Refused(SOURCE_IN_USE)
    job = _job(layer, source)
    if job.claimed and not job.expired(world.now):
        raise Refused(SOURCE_CLAIMED)
    forget_paths(layer, source)
    layer.drop("source", source)
    forget_job(world, source)
    layer.record()


def forget_paths(layer: Layer, source: int) -> None:
    """A path whose head goes is forgotten whole; of others the source's revisions go."""
    for path, held in list(layer.of("path").items()):
        if source not in {row[1] for row in held}:
            continue
        kept = () if held[-1][1] == source else tuple(row for row in held if row[1] != source)
        layer.put("path", path, kept)
        if not kept:
            layer.drop("path", path)


def forget_job(world: World, source: int) -> None:
    """The job goes with the last place that has its source."""
    if not world.holds_source(source):
        world.live.jobs.pop(source, None)


def set_charter(layer: Layer, name: str, text: str, *, if_revision: int | None = None) -> None:
    if not text.strip():
        raise Refused(BLANK)
    check_revision(layer, if_revision)
    before = layer.get("charter", name)
    if before[-1][1] == text:
        return
    layer.put("charter", name, (*before, (before[-1][0] + 1, text)))
    layer.record()


def check_revision(layer: Layer, expected: int | None) -> None:
    """Refuse when the wiki, or the draft, is at another revision than the caller has seen."""
    found = layer.revision if isinstance(layer, Draft) else layer.ops
    if expected is not None and expected != found:
        raise Refused(STALE_REVISION)


def next_job(world: World, layer: Layer, agent: str) -> int | None:
    """Take the lowest job; answers its source."""
    here = {source: job for source in layer.of("source") if (job := layer.job(source))}
    for job in here.values():
        _exhaust(world, job)
    pending = [source for source, job in here.items() if job.state == "pending"]
    expired = [(job.until, source) for source, job in here.items() if job.expired(world.now)]
    firsts = [*sorted(pending)[:1], *(source for _, source in sorted(expired)[:1])]
    if not firsts:
        return None
    _claim(world, here[min(firsts)], agent)
    return min(firsts)


def claim(world: World, layer: Layer, source: int, agent: str) -> None:
    job = _job(layer, source)
    if job.pinned is not None:
        raise Refused(JOB_PINNED)
    if _exhaust(world, job):
        raise Refused(ATTEMPTS_EXHAUSTED)
    if job.state != "pending" and not job.expired(world.now):
        raise Refused(ILLEGAL_TRANSITION)
    _claim(world, job, agent)


def _claim(world: World, job: Job, agent: str) -> None:
    job.state, job.agent, job.token, job.failure = "analyzing", agent, None, None
    job.attempts += 1
    job.attempt += 1
    job.until = world.now + LEASE
    world.live.record()


def _exhaust(world: World, job: Job) -> bool:
    """Fail a job whose last permitted claim ran out."""
    if not job.expired(world.now) or job.attempts < MOST_ATTEMPTS:
        return False
    job.ended("failed", failure="attempts_exhausted")
    world.live.record()
    return True


def analyze(world: World, layer: Layer, source: int, caller: Caller) -> None:
    job = _held(layer, source, caller, states=("analyzing",))
    job.state, job.failure, job.until = "generating", None, world.now + LEASE
    world.live.record()


def fail(world: World, layer: Layer, source: int, caller: Caller) -> None:
    _held(layer, source, caller).ended("failed", failure=FAILURE)
    world.live.record()


def release(world: World, layer: Layer, source: int, caller: Caller) -> None:
    _held(layer, source, caller).ended("pending")
    world.live.record()


def heartbeat(world: World, layer: Layer, source: int, caller: Caller) -> None:
    _held(layer, source, caller, pinned=True).until = world.now + LEASE


def retry(world: World, layer: Layer, source: int, caller: Caller, *, reset: bool) -> None:
    job = _job(layer, source)
    if job.state not in ("failed", "analyzing", "generating"):
        raise Refused(ILLEGAL_TRANSITION)
    if job.pinned is not None:
        raise Refused(JOB_PINNED)
    if job.claimed and not job.expired(world.now) and not caller.holds(job):
        raise Refused(CLAIM_LOST)
    if not reset and job.attempts >= MOST_ATTEMPTS:
        raise Refused(ATTEMPTS_EXHAUSTED)
    job.ended("pending", failure=None, attempts=0 if reset else job.attempts)
    world.live.record()


def reopen(world: World, layer: Layer, source: int) -> None:
    job = _job(layer, source)
    if job.state != "completed":
        raise Refused(ILLEGAL_TRANSITION)
    job.ended("pending", attempts=0, reason=None)
    world.live.record()


def complete(layer: Layer, source: int, caller: Caller, *, reason: str | None) -> None:
    """Complete a job, or stage that: then the draft pins it."""
    job = _job(layer, source)
    if job.claimed and not caller.holds(job):
        raise Refused(CLAIM_LOST)
    if job.state != "generating":
        raise Refused(CLAIM_REQUIRED if job.state == "pending" else ILLEGAL_TRANSITION)
    unheld = ungated(layer, source, reason)
    if unheld is not None:
        raise Refused(unheld)
    if job.pinned is not None:
        raise Refused(JOB_PINNED)
    layer.record()
    if isinstance(layer, Draft):
        stage_completion(layer, source, job, reason)
    else:
        job.ended("completed", failure=None, reason=reason)


def is_ready(layer: Layer, source: int, reason: str | None) -> bool:
    """Whether only the caller may stand in the way of completing a job here."""
    job = layer.job(source)
    generating = job is not None and job.state == "generating" and job.pinned is None
    return generating and ungated(layer, source, reason) is None


def stage_completion(draft: Draft, source: int, job: Job, reason: str | None) -> None:
    draft.touch_completion(source, job.attempt)
    draft.completions[source] = reason
    job.pinned = draft.id


def give_back(world: World, draft: Draft, source: int) -> None:
    """Take a staged completion back; the job is pending again."""
    draft.completions.pop(source, None)
    job = world.live.jobs.get(source)
    if job is None or job.pinned != draft.id:
        return
    job.pinned = None
    if job.state == "generating":
        job.ended("pending")


def ungated(layer: Layer, source: int, reason: str | None) -> Problem | None:
    """Which gate of completion does not hold; the claim delivered all of the source."""
    citing = [page for page in layer.of("page").values() if source in page.cited]
    derived = [page for page in citing if page.kind != "source"]
    if len(derived) == len(citing):
        return SOURCE_SUMMARY_MISSING
    if derived and reason is not None:
        return DERIVED_PAGES_EXIST
    if not derived and reason is None:
        return INTEGRATION_REQUIRED
    text = live_of(layer).texts[source]
    if any(each == source and q not in text for page in citing for each, q in page.quotes):
        return CITATION_MISSING
    return None


def _job(layer: Layer, source: int) -> Job:
    job = layer.job(source)
    if job is None:
        raise Refused(JOB_NOT_FOUND)
    return job


def _held(
    layer: Layer,
    source: int,
    caller: Caller,
    *,
    states: tuple[str, ...] = ("analyzing", "generating"),
    pinned: bool = False,
) -> Job:
    job = _job(layer, source)
    if not job.claimed:
        raise Refused(CLAIM_REQUIRED if job.state == "pending" else ILLEGAL_TRANSITION)
    if not caller.holds(job):
        raise Refused(CLAIM_LOST)
    if job.state not in states:
        raise Refused(ILLEGAL_TRANSITION)
    if job.pinned is not None and not pinned:
        raise Refused(JOB_PINNED)
    return job
