"""What agents do to pages, sources and jobs, live or in a draft: each draws what it does."""

from __future__ import annotations

import json

from laws import pages as paged
from laws import sources
from laws.bench import AGENTS, PATHS, SLUGS, TEXTS, WORDS, Bench
from laws.layers import Page

from lwc.services import (
    charter,
    checks,
    completion,
    ingest,
    page_moves,
    page_writes,
    source_writes,
    steps,
)
from lwc.services.completion import Waivers

REASONS = (None, "None follow.")
CHARTERS = ("# Schema\n", "# Another\n", "kept as it is\n", " \n")


class PageCommands(Bench):
    """Pages and their checks."""

    def page_put(self) -> None:
        layer = self.somewhere()
        slug = self.slug(layer)
        seen = self.revision(layer, slug)
        self.put(layer, self.image(layer, slug), if_revision=seen)

    def page_patch(self) -> None:
        layer = self.somewhere()
        slug = self.slug(layer)
        seen = self.revision(layer, slug)
        page = paged.at(layer, slug)
        there = [word for word in WORDS if page is not None and word in page.body]
        old, new = self.pick("old", [*there * 4, *WORDS]), self.pick("new", WORDS)
        edits = json.dumps([{"old": old, "new": new}])
        self.both(
            layer,
            lambda wiki, call: page_writes.patch(
                wiki, call, slug=slug, edits=edits, if_revision=seen
            ),
            lambda: paged.patch(layer, slug, old, new, if_revision=seen),
        )

    def page_rename(self) -> None:
        layer = self.somewhere()
        slug = self.slug(layer)
        seen = self.revision(layer, slug)
        free = [name for name in SLUGS if paged.at(layer, name) is None]
        to = self.pick("to", [*free * 3, *SLUGS])
        self.both(
            layer,
            lambda wiki, call: page_moves.rename(wiki, call, slug=slug, to=to, if_revision=seen),
            lambda: paged.rename(layer, slug, to, if_revision=seen),
        )

    def page_remove(self) -> None:
        layer = self.somewhere()
        slug = self.slug(layer)
        seen = self.revision(layer, slug)
        self.both(
            layer,
            lambda wiki, call: page_moves.remove(wiki, call, slug=slug, if_revision=seen),
            lambda: paged.remove(layer, slug, if_revision=seen),
        )

    def page_restore(self) -> None:
        layer = self.somewhere()
        known = sorted({(rev.page.slug, rev.page.revision) for rev in layer.history()})
        slug, revision = self.pick("revision", [*known * 2, *((slug, 2) for slug in SLUGS)])
        self.both(
            layer,
            lambda wiki, call: page_writes.restore(wiki, call, slug=slug, revision=revision),
            lambda: paged.restore(layer, slug, revision),
        )

    def page_confirm(self) -> None:
        layer = self.somewhere()
        slug = self.slug(layer)
        page = paged.at(layer, slug)
        cited = sorted(page.cited) if page is not None else []
        source = self.pick("source", [*cited * 4, 1, 2])
        self.both(
            layer,
            lambda wiki, call: page_writes.confirm(wiki, call, slug=slug, source_id=source),
            lambda: paged.confirm(layer, slug, source),
        )

    def check_add(self) -> None:
        layer = self.somewhere()
        slug = self.slug(layer)
        words = self.pick("words", [("zulu",), ("zulu", "yankee"), ("xray",), ("yankee", "zulu")])
        added, check = self.both(
            layer,
            lambda wiki, call: checks.add(
                wiki, call, slug=slug, query=words[0], paraphrases=words[1:]
            ),
            lambda: paged.add_check(layer, slug, words),
        )
        assert added is None or added.check.id == check

    def check_remove(self) -> None:
        layer = self.somewhere()
        known = [check.id for check in paged.checks_in_sight(layer)]
        check = self.pick("check", [*known * 4, max(1, self.world.live.last_check), 99])
        self.both(
            layer,
            lambda wiki, call: checks.remove(wiki, call, check),
            lambda: paged.remove_check(layer, check),
        )

    def check_run(self) -> None:
        layer = self.somewhere()
        asked = paged.checks_in_sight(layer)
        ran, held = self.both(
            layer,
            lambda wiki, call: checks.run(wiki, call),
            lambda: {check.id for check in asked if paged.finds(layer, check)},
            repeatable=False,
        )
        assert {one.id for one in ran.checks if one.held} == held
        assert ran.total == len(asked)


class SourceCommands(Bench):
    """Sources and the charter."""

    def source_add(self) -> None:
        self.add(self.somewhere(), self.pick("path", PATHS), self.pick("text", TEXTS))

    def source_remove(self) -> None:
        layer = self.somewhere()
        source = self.source(layer)
        self.both(
            layer,
            lambda wiki, call: source_writes.remove(wiki, call, source_id=source),
            lambda: sources.remove(self.world, layer, source),
        )

    def charter_set(self) -> None:
        layer = self.somewhere()
        name, text = self.pick("name", ["schema", "purpose"]), self.pick("text", CHARTERS)
        seen = self.wiki_revision(layer)
        self.both(
            layer,
            lambda wiki, call: charter.put(wiki, call, name=name, text=text),
            lambda: sources.set_charter(layer, name, text, if_revision=seen),
            if_revision=seen,
        )


class JobCommands(Bench):
    """Ingest jobs, from a claim to its end."""

    def summary_put(self) -> None:
        """The page that a completion needs; without it hardly any job would be completed."""
        layer = self.somewhere()
        source = self.source(layer, "generating")
        slug = self.slug(layer)
        text = self.world.live.texts.get(source, TEXTS[0]).strip()
        body = f'Says so.[^a]\n\n[^a]: source:{source} "{text}"'
        self.put(layer, Page(id=0, slug=slug, title="Summary", kind="source", body=body))

    def ingest_next(self) -> None:
        layer, agent = self.somewhere(), self.pick("agent", AGENTS)
        packet, source = self.both(
            layer,
            lambda wiki, call: ingest.next_job(wiki, call),
            lambda: sources.next_job(self.world, layer, agent),
            agent=agent,
            repeatable=False,
        )
        assert (None if packet.job is None else packet.job.source.id) == source
        if source is not None:
            self.world.live.jobs[source].token = packet.job.claim.token

    def ingest_claim(self) -> None:
        layer, agent = self.somewhere(), self.pick("agent", AGENTS)
        source = self.source(layer, "pending")
        packet, _ = self.both(
            layer,
            lambda wiki, call: ingest.claim(wiki, call, source),
            lambda: sources.claim(self.world, layer, source, agent),
            agent=agent,
            repeatable=False,
        )
        if packet is not None:
            self.world.live.jobs[source].token = packet.job.claim.token

    def ingest_analyze(self) -> None:
        layer = self.somewhere()
        source = self.source(layer, "analyzing")
        caller = self.caller(source)
        self.both(
            layer,
            lambda wiki, call: steps.analyze(
                wiki, call, source, text="It is about locks.", token=caller.token
            ),
            lambda: sources.analyze(self.world, layer, source, caller),
            agent=caller.agent,
        )

    def ingest_fail(self) -> None:
        self._held("fail", message=sources.FAILURE)

    def ingest_release(self) -> None:
        self._held("release")

    def ingest_heartbeat(self) -> None:
        self._held("heartbeat")

    def _held(self, step: str, **words: str) -> None:
        layer = self.somewhere()
        source = self.source(layer, "analyzing", "generating")
        caller = self.caller(source)
        self.both(
            layer,
            lambda wiki, call: getattr(steps, step)(
                wiki, call, source, token=caller.token, **words
            ),
            lambda: getattr(sources, step)(self.world, layer, source, caller),
            agent=caller.agent,
        )

    def ingest_retry(self) -> None:
        layer, reset = self.somewhere(), self.pick("reset", [False, True])
        source = self.source(layer, "failed", "analyzing")
        caller = self.caller(source)
        self.both(
            layer,
            lambda wiki, call: steps.retry(
                wiki, call, source, reset=reset, reason="Again.", token=caller.token
            ),
            lambda: sources.retry(self.world, layer, source, caller, reset=reset),
            agent=caller.agent,
        )

    def ingest_complete(self) -> None:
        source = self.source(self.somewhere(), "generating")
        ways = [(layer, reason) for layer in self.world.layers for reason in REASONS]
        ready = [way for way in ways if sources.is_ready(way[0], source, way[1])]
        told = {f"{layer.name or 'live'}, {reason}": (layer, reason) for layer, reason in ways}
        ready_told = [name for name, way in told.items() if way in ready]
        layer, reason = told[self.pick("where, why", [*ready_told * 8, *told])]
        caller = self.caller(source)
        self.both(
            layer,
            lambda wiki, call: completion.complete(
                wiki,
                call,
                source,
                waivers=Waivers(no_derived_pages_reason=reason),
                token=caller.token,
            ),
            lambda: sources.complete(layer, source, caller, reason=reason),
            agent=caller.agent,
        )

    def ingest_reopen(self) -> None:
        layer = self.somewhere()
        source = self.source(layer, "completed")
        self.both(
            layer,
            lambda wiki, call: steps.reopen(wiki, call, source, reason="A mistake."),
            lambda: sources.reopen(self.world, layer, source),
        )
