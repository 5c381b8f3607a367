"""The machine: two agents with drafts on one wiki, every command a rule."""

from __future__ import annotations

import json

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from laws import changesets as drafted
from laws import pages as paged
from laws import sources
from laws.bench import AGENTS, NAMES, PATHS, SLUGS, TEXTS, WORDS, Bench, Template

from lwc.services import (
    changeset_publish,
    changeset_rollback,
    changesets,
    charter,
    checks,
    completion,
    ingest,
    page_moves,
    page_writes,
    source_writes,
    steps,
)
from lwc.services.changeset_publish import LintOverride
from lwc.services.completion import Waivers

CHARTERS = ("# Schema\n", "# Another\n", "kept as it is\n", " \n")


class Changesets(Bench, RuleBasedStateMachine):
    """Each rule draws what it does, mostly to what is there."""

    template: Template

    def __init__(self) -> None:
        super().__init__(self.template)

    def say(self, line: str) -> None:
        note(line)

    @rule(data=st.data())
    def a_page_is_put(self, data: st.DataObject) -> None:
        layer = self.somewhere(data)
        slug = self.slug(data, layer)
        seen = self.revision(data, layer, slug)
        self.put(layer, self.image(data, layer, slug), if_revision=seen)

    @rule(data=st.data())
    def a_page_is_put_again(self, data: st.DataObject) -> None:
        layer = self.somewhere(data)
        self.put(layer, self.image(data, layer, self.slug(data, layer)))

    @rule(data=st.data(), old=st.sampled_from(WORDS), new=st.sampled_from(WORDS))
    def a_page_is_patched(self, data: st.DataObject, old: str, new: str) -> None:
        layer = self.somewhere(data)
        slug = self.slug(data, layer)
        seen = self.revision(data, layer, slug)
        edits = json.dumps([{"old": old, "new": new}])
        self.both(
            layer,
            lambda wiki, call: page_writes.patch(
                wiki, call, slug=slug, edits=edits, if_revision=seen
            ),
            lambda: paged.patch(layer, slug, old, new, if_revision=seen),
        )

    @rule(data=st.data(), to=st.sampled_from(SLUGS))
    def a_page_is_renamed(self, data: st.DataObject, to: str) -> None:
        layer = self.somewhere(data)
        slug = self.slug(data, layer)
        seen = self.revision(data, layer, slug)
        self.both(
            layer,
            lambda wiki, call: page_moves.rename(wiki, call, slug=slug, to=to, if_revision=seen),
            lambda: paged.rename(layer, slug, to, if_revision=seen),
        )

    @rule(data=st.data())
    def a_page_is_removed(self, data: st.DataObject) -> None:
        layer = self.somewhere(data)
        slug = self.slug(data, layer)
        seen = self.revision(data, layer, slug)
        self.both(
            layer,
            lambda wiki, call: page_moves.remove(wiki, call, slug=slug, if_revision=seen),
            lambda: paged.remove(layer, slug, if_revision=seen),
        )

    @rule(data=st.data(), revision=st.integers(1, 6))
    def a_page_is_restored(self, data: st.DataObject, revision: int) -> None:
        layer = self.somewhere(data)
        slug = data.draw(st.sampled_from(SLUGS))
        self.both(
            layer,
            lambda wiki, call: page_writes.restore(wiki, call, slug=slug, revision=revision),
            lambda: paged.restore(layer, slug, revision),
        )

    @rule(data=st.data())
    def a_page_is_confirmed(self, data: st.DataObject) -> None:
        layer = self.somewhere(data)
        slug, source = self.slug(data, layer), self.source(data, layer)
        self.both(
            layer,
            lambda wiki, call: page_writes.confirm(wiki, call, slug=slug, source_id=source),
            lambda: paged.confirm(layer, slug, source),
        )

    @rule(data=st.data(), path=st.sampled_from(PATHS), text=st.sampled_from(TEXTS))
    def a_source_is_added(self, data: st.DataObject, path: str, text: str) -> None:
        self.add(self.somewhere(data), path, text)

    @rule(data=st.data())
    def a_source_is_removed(self, data: st.DataObject) -> None:
        layer = self.somewhere(data)
        source = self.source(data, layer)
        self.both(
            layer,
            lambda wiki, call: source_writes.remove(wiki, call, source_id=source),
            lambda: sources.remove(self.world, layer, source),
        )

    @rule(
        data=st.data(), name=st.sampled_from(["schema", "purpose"]), text=st.sampled_from(CHARTERS)
    )
    def a_text_is_set(self, data: st.DataObject, name: str, text: str) -> None:
        layer = self.somewhere(data)
        self.both(
            layer,
            lambda wiki, call: charter.put(wiki, call, name=name, text=text),
            lambda: sources.set_charter(layer, name, text),
        )

    @rule(data=st.data())
    def a_check_is_added(self, data: st.DataObject) -> None:
        layer = self.somewhere(data)
        slug = self.slug(data, layer)
        words = data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True))
        self.both(
            layer,
            lambda wiki, call: (
                checks.add(wiki, call, slug=slug, query=words[0], paraphrases=words[1:]).check.id
            ),
            lambda: paged.add_check(layer, slug, tuple(words)),
        )

    @rule(data=st.data())
    def a_check_is_removed(self, data: st.DataObject) -> None:
        layer = self.somewhere(data)
        known = [check.id for check in paged.checks_in_sight(layer)]
        check = data.draw(st.sampled_from([*known, *known, self.world.live.last_check, 99]))
        self.both(
            layer,
            lambda wiki, call: checks.remove(wiki, call, check),
            lambda: paged.remove_check(layer, check),
        )

    @rule(data=st.data(), name=st.sampled_from(NAMES))
    def a_draft_is_begun(self, data: st.DataObject, name: str) -> None:
        free = [each for each in NAMES if each not in self.world.drafts]
        self.begin(data.draw(st.sampled_from([*free, *free, name])))

    @rule(data=st.data(), to=st.sampled_from(NAMES))
    def a_draft_is_renamed(self, data: st.DataObject, to: str) -> None:
        name = self.draft(data)
        self.both(
            self.world.live,
            lambda wiki, call: changesets.rename(wiki, call, name=name, to=to),
            lambda: drafted.rename(self.world, name, to),
        )
        self.close(name, to)

    @rule(data=st.data())
    def a_draft_is_discarded(self, data: st.DataObject) -> None:
        name = self.draft(data)
        self.both(
            self.world.live,
            lambda wiki, call: changesets.discard(wiki, call, name=name),
            lambda: drafted.discard(self.world, name),
        )
        self.close(name)

    @rule(data=st.data(), waived=st.booleans())
    def a_draft_is_published(self, data: st.DataObject, waived: bool) -> None:
        name = self.draft(data)
        override = LintOverride(reason="It may.") if waived else None
        self.both(
            self.world.live,
            lambda wiki, call: changeset_publish.publish(wiki, call, name=name, waived=override),
            lambda: drafted.publish(self.world, name, waived=waived),
        )
        self.close(name)

    @rule(data=st.data())
    def a_changeset_is_rolled_back(self, data: st.DataObject) -> None:
        newest = [ended.id for ended in self.world.ended[-3:] if ended.status == "committed"]
        others = [ended.id for ended in self.world.ended]
        word = data.draw(st.sampled_from([*newest, *newest, *newest, *others, *NAMES]))
        self.both(
            self.world.live,
            lambda wiki, call: changeset_rollback.rollback(wiki, call, changeset=word),
            lambda: drafted.rollback(self.world, drafted.by_word(self.world, word)),
        )

    @rule(data=st.data(), agent=st.sampled_from(AGENTS))
    def a_job_is_claimed(self, data: st.DataObject, agent: str) -> None:
        layer = self.somewhere(data)
        source = data.draw(st.sampled_from([None, self.source(data, layer)]))
        if source is None:
            packet, found = self.both(
                layer,
                lambda wiki, call: ingest.next_job(wiki, call),
                lambda: sources.next_job(self.world, layer, agent),
                agent=agent,
                repeatable=False,
            )
            assert (None if packet.job is None else packet.job.source.id) == found
            source = found
        else:
            packet, _ = self.both(
                layer,
                lambda wiki, call: ingest.claim(wiki, call, source),
                lambda: sources.claim(self.world, layer, source, agent),
                agent=agent,
                repeatable=False,
            )
        if packet is not None and packet.job is not None:
            self.world.live.jobs[source].token = packet.job.claim.token

    @rule(data=st.data())
    def a_job_is_analysed(self, data: st.DataObject) -> None:
        layer = self.somewhere(data)
        source = self.source(data, layer)
        caller = self.caller(data, source)
        self.both(
            layer,
            lambda wiki, call: steps.analyze(
                wiki, call, source, text="It is about locks.", token=caller.token
            ),
            lambda: sources.analyze(self.world, layer, source, caller),
            agent=caller.agent,
        )

    @rule(data=st.data(), step=st.sampled_from(["fail", "release", "heartbeat"]))
    def a_job_is_given_up_or_kept(self, data: st.DataObject, step: str) -> None:
        layer = self.somewhere(data)
        source = self.source(data, layer)
        caller = self.caller(data, source)
        words = {"message": "It was too hard."} if step == "fail" else {}
        self.both(
            layer,
            lambda wiki, call: getattr(steps, step)(
                wiki, call, source, token=caller.token, **words
            ),
            lambda: getattr(sources, step)(self.world, layer, source, caller),
            agent=caller.agent,
        )

    @rule(data=st.data(), reset=st.booleans())
    def a_job_is_retried(self, data: st.DataObject, reset: bool) -> None:
        layer = self.somewhere(data)
        source = self.source(data, layer)
        caller = self.caller(data, source)
        self.both(
            layer,
            lambda wiki, call: steps.retry(
                wiki, call, source, reset=reset, reason="Again.", token=caller.token
            ),
            lambda: sources.retry(self.world, layer, source, caller, reset=reset),
            agent=caller.agent,
        )

    @rule(data=st.data(), reason=st.sampled_from([None, "None follow."]))
    def a_job_is_completed(self, data: st.DataObject, reason: str | None) -> None:
        layer = self.somewhere(data)
        source = self.source(data, layer)
        caller = self.caller(data, source)
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

    @rule(data=st.data())
    def a_job_is_reopened(self, data: st.DataObject) -> None:
        layer = self.somewhere(data)
        source = self.source(data, layer)
        self.both(
            layer,
            lambda wiki, call: steps.reopen(wiki, call, source, reason="A mistake."),
            lambda: sources.reopen(self.world, layer, source),
        )

    @rule(seconds=st.sampled_from([600, 1801]))
    def time_passes(self, seconds: int) -> None:
        self.world.now += seconds

    @rule()
    def the_wiki_is_opened_again(self) -> None:
        self.close()

    @rule()
    def a_request_is_repeated(self) -> None:
        self.repeat()
