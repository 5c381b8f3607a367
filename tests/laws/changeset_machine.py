"""The machine: two agents with drafts on one wiki; each step is one command, drawn by what is."""

from __future__ import annotations

from collections import Counter

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from laws import changesets as drafted
from laws import gates, mending, rolling, shown
from laws.bench import NAMES, SLUGS, Bench, Template
from laws.commands import JobCommands, PageCommands, SourceCommands
from laws.layers import Draft, Ended, Refused

from lwc.errors import CHANGESET_COMMAND_UNSUPPORTED
from lwc.services import (
    changeset_drop,
    changeset_publish,
    changeset_rebase,
    changeset_rollback,
    changesets,
)
from lwc.services.changeset_publish import LintOverride
from lwc.wiki import Call, open_wiki

# How often each command comes at least.
COMMANDS = {
    "page_put": 8,
    "page_patch": 2,
    "page_rename": 3,
    "page_remove": 3,
    "page_restore": 3,
    "page_confirm": 1,
    "check_add": 2,
    "check_remove": 1,
    "check_run": 1,
    "source_add": 4,
    "source_remove": 4,
    "charter_set": 2,
    "summary_put": 1,
    "ingest_next": 2,
    "ingest_claim": 2,
    "ingest_analyze": 1,
    "ingest_fail": 1,
    "ingest_release": 1,
    "ingest_heartbeat": 1,
    "ingest_retry": 1,
    "ingest_complete": 1,
    "ingest_reopen": 1,
    "changeset_draft": 1,
    "changeset_rename": 1,
    "changeset_discard": 1,
    "changeset_publish": 1,
    "changeset_rollback": 1,
    "changeset_rebase": 2,
    "changeset_drop": 2,
    "not_a_draft": 1,
    "time_passes": 2,
    "wiki_reopened": 1,
    "request_repeated": 1,
}
# A history does some things more than others.
MOODS = (
    (),
    ("page", "changeset"),
    ("source", "changeset"),
    ("summary", "ingest_claim", "ingest_analyze", "ingest_complete", "page_remove", "changeset_p"),
)


class DraftCommands(Bench):
    """Drafts, and what became of them."""

    def changeset_draft(self) -> None:
        free = [name for name in NAMES if name not in self.world.drafts]
        self.begin(self.pick("name", [*free * 3, *NAMES]))

    def changeset_rename(self) -> None:
        name, to = self.draft(), self.pick("to", NAMES)
        self.both(
            self.world.live,
            lambda wiki, call: changesets.rename(wiki, call, name=name, to=to),
            lambda: drafted.rename(self.world, name, to),
        )
        self.close(name, to)

    def changeset_discard(self) -> None:
        name = self.draft()
        self.both(
            self.world.live,
            lambda wiki, call: changesets.discard(wiki, call, name=name),
            lambda: drafted.discard(self.world, name),
        )
        self.close(name)

    def changeset_publish(self) -> None:
        name, waived = self.draft(), self.pick("waived", [True, False])
        seen = self.wiki_revision(self.world.live)
        override = LintOverride(reason="It may.") if waived else None
        published, failed = self.both(
            self.world.live,
            lambda wiki, call: changeset_publish.publish(wiki, call, name=name, waived=override),
            lambda: drafted.publish(self.world, name, waived=waived, if_revision=seen),
            if_revision=seen,
        )
        assert published is None or set(published.failed_checks) == failed
        self.close(name)

    def not_a_draft(self) -> None:
        """What cannot be staged, and drafts that are not there."""
        name = self.draft()
        home = {"HOME": str(self.folder / "nobody")}
        try:
            drafted.opened(self.world, name)
        except Refused as refused:
            self.refused(refused, lambda: open_wiki(self.folder, environ=home, changeset=name))
            return
        wiki, call = self.wiki(name), Call(agent="ann")
        unsupported = Refused(CHANGESET_COMMAND_UNSUPPORTED)
        self.refused(unsupported, lambda: changesets.draft(wiki, call, name="within"))
        self.refused(unsupported, lambda: changesets.discard(wiki, call, name=name))

    def changeset_rebase(self) -> None:
        name = self.draft()
        draft = self.world.drafts.get(name)
        known = [] if draft is None else mending.resolvable(self.world, draft)
        wrong = [(called, number + 1) for called, number in known] + [("ant", 1)]
        resolved = self.pick("resolved", [None, *known * 3, *wrong])
        rebased, foreseen = self.both(
            self.world.live,
            lambda wiki, call: changeset_rebase.rebase(
                wiki, call, name=name, resolved=dict([resolved] if resolved else [])
            ),
            lambda: mending.rebase(self.world, name, resolved),
        )
        if rebased is not None:
            draft, settled = foreseen
            assert (rebased.unresolved == ()) == settled
            assert rebased.draft_revision == draft.revision
            assert rebased.conflicts_total == len(gates.clashes(self.world, draft))
            self.told_entries(draft)

    def changeset_drop(self) -> None:
        name = self.draft()
        draft = self.world.drafts.get(name)
        staged = [] if draft is None else list(draft.staged)
        kind, key = self.pick("what", [*staged * 3, ("page", 1), ("source", 3)])
        if kind == "page":
            slugs = [
                page.slug
                for layer in self.world.layers
                if (page := layer.get(kind, key)) is not None
            ]
            key = self.pick("slug", [*slugs * 3, *SLUGS])
        word = "job" if kind == "completion" else "slug" if kind == "page" else kind
        meant = {key: True} if kind == "charter" else {word: key}
        dropped, draft = self.both(
            self.world.live,
            lambda wiki, call: changeset_drop.drop(
                wiki, call, name=name, target=changeset_drop.target(**meant)
            ),
            lambda: mending.drop(self.world, name, kind, key),
        )
        if dropped is not None:
            assert dropped.draft_revision == draft.revision
            assert dropped.remaining == len(draft.staged)
            self.told_entries(draft)

    def told_entries(self, draft: Draft) -> None:
        """Which entries of a draft's journal were about what is gone is not foreseen, but read.

        None comes back, and what stands keeps its own.
        """
        kept = shown.entries(self.wiki(None), draft)
        assert kept <= set(draft.entries)
        assert {rev.op[1] for rev in draft.revs} <= kept
        draft.entries = {entry: draft.entries[entry] for entry in kept}

    def changeset_rollback(self) -> None:
        everyone = {f"changeset {one.begun}": one.id for one in self.world.ended}
        newest = [f"changeset {one.begun}" for one in self.published()[-2:]]
        names = {name: name for name in NAMES}
        word = (everyone | names)[self.pick("which", [*newest * 6, *everyone, *names])]
        self.both(
            self.world.live,
            lambda wiki, call: changeset_rollback.rollback(wiki, call, changeset=word),
            lambda: rolling.rollback(self.world, drafted.by_word(self.world, word)),
        )

    def published(self) -> list[Ended]:
        return [ended for ended in self.world.ended if ended.status == "committed"]


class Changesets(PageCommands, SourceCommands, JobCommands, DraftCommands, RuleBasedStateMachine):
    """Every command may come at any time; what can do something now comes more often."""

    template: Template

    def __init__(self) -> None:
        super().__init__(self.template)
        self.mood: tuple[str, ...] = ()

    @initialize(mood=st.sampled_from(MOODS))
    def begin_in(self, mood: tuple[str, ...]) -> None:
        self.mood = mood

    def say(self, line: str) -> None:
        note(line)

    @rule(data=st.data())
    def step(self, data: st.DataObject) -> None:
        self.data = data
        getattr(self, self.pick("command", self.likely().elements()))()

    def time_passes(self) -> None:
        self.world.now += self.pick("seconds", [600, 1801])

    def wiki_reopened(self) -> None:
        self.close()

    def request_repeated(self) -> None:
        self.repeat()

    def likely(self) -> Counter[str]:
        """How often each command is to come, as things stand."""
        states = Counter(job.state for job in self.world.live.jobs.values())
        pinned = any(job.pinned is not None for job in self.world.live.jobs.values())
        staged = sum(bool(draft.staged) for draft in self.world.drafts.values())
        wanted = Counter(COMMANDS)
        wanted["summary_put"] += 6 * states["generating"]
        wanted["ingest_analyze"] += 6 * states["analyzing"]
        wanted["ingest_complete"] += 6 * (states["generating"] and not pinned)
        wanted["ingest_retry"] += 2 * states["failed"]
        wanted["ingest_reopen"] += 2 * states["completed"]
        wanted["changeset_draft"] += 3 * (2 - len(self.world.drafts))
        wanted["changeset_publish"] += 3 * staged
        wanted["changeset_rebase"] += 3 * any(
            gates.conflicts(self.world, draft) for draft in self.world.drafts.values()
        )
        wanted["changeset_rollback"] += 4 * bool(self.published())
        for name in COMMANDS:
            if name.startswith(self.mood):
                wanted[name] *= 3
        return +wanted
