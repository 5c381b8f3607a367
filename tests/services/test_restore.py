from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from checkpointing import shredded
from drafting import ACTS, DRAFT, a_draft, drafted, publish
from ingesting import AGENT, STRANGER, analyzed, claimed
from page_makers import put
from processes import race
from sourcing import refusal
from sqlalchemy import select

from lwc.domain.comparison import differences
from lwc.domain.ingest import CLAIMED, JobState
from lwc.errors import (
    CHANGESET_COMMAND_UNSUPPORTED,
    CHECKPOINT_DIVERGED,
    CHECKPOINT_FOREIGN,
    CHECKPOINT_INVALID,
    CHECKPOINT_NEWER,
    PAGE_REVISION_CONFLICT,
    REQUEST_ID_REUSED,
    REQUEST_UNDONE,
    STALE_REVISION,
    LwcError,
)
from lwc.services import (
    charter,
    checkpoints,
    configuration,
    doctor,
    ingest,
    jobs,
    page_moves,
    page_writes,
    pages,
    restore,
    search,
    source_writes,
    sources,
    steps,
)
from lwc.services.restore import Restored
from lwc.store import checkpoints as files
from lwc.store import comparing, drafts, journal, tables
from lwc.wiki import Call, Wiki, open_wiki

# What touches most kinds of things, and reuses names and ids; the others take their time.
TELLING = (
    *("source-add-and-cite", "source-remove-and-add", "source-add-path", "page-names-handed-on"),
    *("page-remove-checked", "page-restore", "check-new-page", "many"),
)
EVERY_ACT = [
    pytest.param(act, marks=() if act in TELLING else pytest.mark.slow, id=act) for act in ACTS
]


def keep(wiki: Wiki, name: str = "then") -> str:
    return checkpoints.create(wiki, AGENT, name=name).checkpoint


def go_back(wiki: Wiki, name: str = "then", call: Call = AGENT, **options: Any) -> Restored:
    return restore.restore(wiki, call, name=name, **options)


def contents(wiki: Wiki) -> Any:
    with wiki.database.reading() as conn:
        return comparing.contents(conn)


def sound(wiki: Wiki) -> bool:
    found = doctor.examine(wiki).findings
    assert found == (), found
    return True


def ids(wiki: Wiki) -> dict[str, set[Any]]:
    """All that was ever given: operations, revisions of pages under their names, sources."""
    with wiki.database.reading() as conn:
        return {
            "operations": {tuple(row) for row in conn.execute(select(tables.operations))},
            "revisions": {
                (row.page_id, row.slug, row.revision, row.content_digest, row.action)
                for row in conn.execute(select(tables.page_revisions))
            },
            "charter": {
                (row.name, row.revision, row.text_digest)
                for row in conn.execute(select(tables.charter))
            },
            "sources": {tuple(row) for row in conn.execute(select(tables.source_ids))},
        }


class TestWhatIsRestored:
    @pytest.mark.parametrize("act", EVERY_ACT)
    def test_whatever_was_done_the_wiki_is_what_it_was(self, furnished: Wiki, act: str) -> None:
        before = contents(furnished)
        keep(furnished)
        ACTS[act](furnished)
        then = ids(furnished)
        answer = go_back(furnished)
        assert differences(before, without_numbers(contents(furnished), before)) == ()
        # What was given once stays given, and means what it meant.
        for kind, given in ids(furnished).items():
            assert then[kind] <= given
        assert answer.not_taken_over == ()
        assert sound(furnished)

    @pytest.mark.parametrize("act", EVERY_ACT)
    def test_an_open_draft_comes_back_and_can_be_published_again(
        self, furnished: Wiki, act: str
    ) -> None:
        with a_draft(furnished) as draft:
            ACTS[act](draft)
        before = contents(furnished)
        keep(furnished)
        if is_empty(furnished):
            return
        publish(furnished)
        published = contents(furnished)
        put(furnished, "unrelated", "Written since.\n")
        assert go_back(furnished).drafts == (DRAFT,)
        assert differences(before, without_numbers(contents(furnished), before)) == ()
        assert sound(furnished)
        publish(furnished)
        again = contents(furnished)
        assert differences(published, without_numbers(again, published)) == ()
        assert sound(furnished)

    def test_a_draft_is_published_again_though_its_page_had_other_names_meanwhile(
        self, furnished: Wiki
    ) -> None:
        with a_draft(furnished) as draft:
            put(draft, "newcomer", "Staged.\n")
        keep(furnished)
        publish(furnished)
        page_moves.rename(furnished, AGENT, slug="newcomer", to="another")
        page_moves.rename(furnished, AGENT, slug="another", to="third")
        go_back(furnished)
        publish(furnished)
        assert pages.show(furnished, slug="newcomer").page.body == "Staged.\n"
        assert sound(furnished)

    def test_restoring_what_was_kept_before_takes_the_restore_back(self, furnished: Wiki) -> None:
        keep(furnished)
        ACTS["many"](furnished)
        before = contents(furnished)
        answer = go_back(furnished)
        again = go_back(furnished, answer.safety_checkpoint)
        assert again.restored_revision == answer.replaced_revision
        assert differences(before, without_numbers(contents(furnished), before)) == ()
        assert sound(furnished)

    def test_twice_the_same_is_restored_twice(self, furnished: Wiki) -> None:
        before = contents(furnished)
        keep(furnished)
        for word in ("one", "two"):
            put(furnished, "alone", f"{word}\n")
            go_back(furnished)
        assert differences(before, without_numbers(contents(furnished), before)) == ()
        with furnished.reading() as conn:
            kept = pages.history(furnished, slug="alone").revisions
            assert [(one.revision, one.action) for one in kept] == [
                *((5, "restore"), (4, "put"), (3, "restore"), (2, "put"), (1, "put")),
            ]
            assert journal.recent(conn, limit=1)[0].action == "checkpoint_restore"

    def test_search_finds_what_is_there_again(self, furnished: Wiki) -> None:
        keep(furnished)
        page_moves.remove(furnished, AGENT, slug="spare")
        put(furnished, "newcomer", "An unheard-of okapi.\n")
        go_back(furnished)
        assert [one.identifier for one in search.search(furnished, query="okapi").results] == []
        found = search.search(furnished, query="spare written twice").results
        assert found[0].identifier == "spare"

    def test_the_files_for_readers_are_those_of_then(self, furnished: Wiki) -> None:
        put(furnished, "spare", "As it was.\n")
        keep(furnished)
        put(furnished, "spare", "As it became.\n")
        put(furnished, "newcomer", "New.\n")
        files_ = furnished.workspace.store / "wiki"
        assert len(list(files_.rglob("newcomer.md"))) == 1
        go_back(furnished)
        assert list(files_.rglob("newcomer.md")) == []
        (spare,) = files_.rglob("spare.md")
        assert "As it was." in spare.read_text()

    def test_no_files_are_written_where_none_are_wanted(self, wiki: Wiki) -> None:
        configuration.put(wiki, AGENT, values={"projection": "off"})
        put(wiki, "a")
        keep(wiki)
        put(wiki, "b")
        go_back(wiki)
        assert not (wiki.workspace.store / "wiki").exists()

    def test_it_tells_what_it_changed(self, furnished: Wiki) -> None:
        keep(furnished)
        put(furnished, "spare", "Changed.\n")
        put(furnished, "newcomer", "New.\n")
        page_moves.remove(furnished, AGENT, slug="readers")
        answer = go_back(furnished, reason="It went wrong.")
        assert answer.changes == {"page": {"added": 1, "removed": 1, "changed": 1}}
        with furnished.reading() as conn:
            (told,) = journal.recent(conn, limit=1)
        assert (told.action, told.target, told.agent) == ("checkpoint_restore", "then", "tester")
        assert told.detail["reason"] == "It went wrong."
        assert told.detail["safety_checkpoint"] == answer.safety_checkpoint


def is_empty(wiki: Wiki) -> bool:
    """Whether nothing is staged in the draft."""
    with wiki.reading() as conn:
        return drafts.is_empty(conn, drafts.find_draft(conn, DRAFT).id)


def without_numbers(found: Any, wanted: Any) -> Any:
    """What counts on across a restore, as it is in the other: it is not what is compared."""
    drafts = {
        key: wanted["changeset"][key]
        if key in wanted["changeset"] and held.state[:2] == wanted["changeset"][key].state[:2]
        else held
        for key, held in found["changeset"].items()
    }
    counted = {
        key: wanted["job"][key]
        if key in wanted["job"] and is_as_free(held.state[0], wanted["job"][key].state[0])
        else held
        for key, held in found["job"].items()
    }
    return {**found, "changeset": drafts, "job": counted}


def is_as_free(state: str, wanted: str) -> bool:
    """Whether a job is where it was; a claim that its holder has ended since does not come back."""
    return state == wanted or (state == JobState.PENDING and wanted in CLAIMED)


class TestWhatNeverReturns:
    def test_revisions_go_on(self, wiki: Wiki) -> None:
        put(wiki, "a")
        keep(wiki)
        last = put(wiki, "a", "Seen by somebody.\n")
        answer = go_back(wiki)
        assert answer.revision == last.revision + 1
        assert pages.show(wiki, slug="a").page.revision == 3
        error = refusal(
            lambda: page_writes.put(
                wiki, AGENT, slug="a", title="a", body="Blind.\n", if_revision=2
            ),
            PAGE_REVISION_CONFLICT,
        )
        assert error.committed is False

    def test_a_page_made_since_is_removed_and_not_another(self, wiki: Wiki) -> None:
        keep(wiki)
        put(wiki, "a", "One.\n")
        put(wiki, "a", "Two.\n")
        go_back(wiki)
        assert put(wiki, "a", "Another one.\n").page.revision == 4

    def test_a_source_keeps_its_id_and_no_other_gets_it(self, wiki: Wiki, project: Path) -> None:
        keep(wiki)
        (project / "a.md").write_text("The first text.")
        (project / "b.md").write_text("Another text.")
        source_writes.add(wiki, AGENT, path="a.md", base=project)
        go_back(wiki)
        assert sources.listed(wiki).total == 0
        assert source_writes.add(wiki, AGENT, path="b.md", base=project).source.id == 2
        assert source_writes.add(wiki, AGENT, path="a.md", base=project).source.id == 1

    def test_the_texts_set_since_stay_in_the_history(self, wiki: Wiki) -> None:
        charter.put(wiki, AGENT, name="purpose", text="# Then\n")
        keep(wiki)
        charter.put(wiki, AGENT, name="purpose", text="# Since\n")
        go_back(wiki)
        shown = charter.show(wiki, "purpose")
        assert (shown.text, shown.text_revision) == ("# Then\n", 4)
        assert charter.show(wiki, "purpose", revision=3).text == "# Since\n"

    def test_a_draft_counts_on_behind_what_was_seen_of_it(self, furnished: Wiki) -> None:
        with a_draft(furnished) as draft:
            put(draft, "alone", "Staged once.\n")
        keep(furnished)
        with drafted(furnished) as draft:
            seen = put(draft, "alone", "Staged twice.\n").draft_revision
        go_back(furnished)
        with drafted(furnished) as draft:
            refusal(
                lambda: put(draft, "alone", "Blind.\n", call=Call(if_revision=seen)),
                STALE_REVISION,
            )

    def test_a_draft_that_was_begun_since_is_gone_and_told(self, furnished: Wiki) -> None:
        keep(furnished)
        a_draft(furnished).close()
        assert go_back(furnished).drafts_gone == (DRAFT,)
        assert contents(furnished)["changeset"] == {}


class TestRequests:
    def test_what_was_done_before_is_answered_as_it_was(self, wiki: Wiki) -> None:
        call = Call(agent="tester", request_id="r1")
        put(wiki, "a", call=call)
        keep(wiki)
        put(wiki, "b")
        go_back(wiki)
        assert put(wiki, "a", call=call).replayed

    def test_what_was_taken_back_neither_is_claimed_nor_done_again(self, wiki: Wiki) -> None:
        keep(wiki)
        call = Call(agent="tester", request_id="r1")
        put(wiki, "a", call=call)
        answer = go_back(wiki)
        error = refusal(lambda: put(wiki, "a", call=call), REQUEST_UNDONE)
        assert error.details["revision"] == answer.revision
        assert pages.list_(wiki).total == 0

    def test_it_still_stands_for_that_command_only(self, wiki: Wiki) -> None:
        keep(wiki)
        put(wiki, "a", call=Call(agent="tester", request_id="r1", command="put"))
        go_back(wiki)
        other = Call(agent="tester", request_id="r1", command="another")
        refusal(lambda: put(wiki, "a", call=other), REQUEST_ID_REUSED)

    def test_it_is_done_when_the_wiki_it_was_done_in_comes_back(self, wiki: Wiki) -> None:
        keep(wiki)
        call = Call(agent="tester", request_id="r1")
        put(wiki, "a", call=call)
        answer = go_back(wiki)
        go_back(wiki, answer.safety_checkpoint)
        assert put(wiki, "a", call=call).replayed

    def test_a_checkpoint_made_since_was_made(self, wiki: Wiki) -> None:
        keep(wiki)
        call = Call(agent="tester", request_id="r1", command="checkpoint create")
        checkpoints.create(wiki, call, name="since")
        go_back(wiki)
        assert checkpoints.create(wiki, call, name="since").replayed

    def test_the_restore_itself_is_done_once(self, wiki: Wiki) -> None:
        keep(wiki)
        put(wiki, "a")
        call = Call(agent="tester", request_id="r1")
        first = go_back(wiki, call=call)
        put(wiki, "b")
        again = go_back(wiki, call=call)
        assert again.replayed
        assert again.revision == first.revision
        assert pages.list_(wiki).total == 1

    def test_twins_of_one_request_restore_once(self, wiki: Wiki, project: Path) -> None:
        keep(wiki)
        put(wiki, "a")
        wiki.close()

        def arrive(_: int) -> list[Any]:
            with open_wiki(project) as one:
                answer = go_back(one, call=Call(agent="tester", request_id="r1"))
                return [answer.revision, answer.replayed]

        answers = race(3, arrive)
        assert sorted(answers) == [[3, False], [3, True], [3, True]]


class TestClaims:
    def test_one_that_is_held_now_as_it_was_then_is_held_on(self, furnished: Wiki) -> None:
        held = analyzed(furnished, 1)
        keep(furnished)
        put(furnished, "alone", "Changed.\n")
        steps.heartbeat(furnished, AGENT, held.id, token=held.token)
        lease = jobs.show(furnished, held.id).job.lease_expires_at
        answer = go_back(furnished)
        assert answer.claims_ended == ()
        assert jobs.show(furnished, held.id).job.lease_expires_at == lease
        steps.release(furnished, AGENT, held.id, token=held.token)
        assert sound(furnished)

    def test_one_that_was_taken_since_is_lost_and_told(self, furnished: Wiki) -> None:
        keep(furnished)
        held = claimed(furnished, 1, call=STRANGER)
        assert go_back(furnished).claims_ended == (1,)
        with pytest.raises(LwcError) as caught:
            steps.heartbeat(furnished, STRANGER, held.id, token=held.token)
        assert caught.value.problem.code in ("claim_lost", "invalid_ingest_state", "claim_required")
        packet = ingest.claim(furnished, AGENT, 1)
        assert packet.job is not None
        assert packet.job.claim.attempt == 2
        assert sound(furnished)

    def test_one_that_ended_since_does_not_come_back(self, furnished: Wiki) -> None:
        held = claimed(furnished, 1, call=STRANGER)
        keep(furnished)
        steps.release(furnished, STRANGER, held.id, token=held.token)
        go_back(furnished)
        assert jobs.show(furnished, 1).job.status == "pending"
        assert sound(furnished)

    def test_and_nobody_holds_the_job_of_a_source_that_was_removed_since(
        self, furnished: Wiki
    ) -> None:
        held = claimed(furnished, 3, call=STRANGER)
        keep(furnished)
        steps.release(furnished, STRANGER, held.id, token=held.token)
        source_writes.remove(furnished, AGENT, source_id=3)
        go_back(furnished)
        assert jobs.show(furnished, 3).job.status == "pending"
        assert sound(furnished)


class TestRefusals:
    def test_another_wikis_checkpoint_is_refused(
        self, wiki: Wiki, tmp_path: Path, empty_store: Path
    ) -> None:
        from lwc.services import workspaces

        other = tmp_path / "other"
        other.mkdir()
        workspaces.init(other, environ={"HOME": str(other / "x")}, exclude_from_git=False)
        with open_wiki(other) as theirs:
            keep(theirs)
        copied(other, wiki)
        refusal(lambda: go_back(wiki), CHECKPOINT_FOREIGN)
        assert checkpoints.list_(wiki).total == 1

    def test_that_of_a_copy_that_went_its_own_way_is_refused(
        self, twin: Wiki, furnished: Wiki
    ) -> None:
        put(twin, "theirs", "Written there.\n")
        keep(twin)
        copied(twin.workspace.root, furnished)
        put(furnished, "ours", "Written here.\n")
        before = contents(furnished)
        refusal(lambda: go_back(furnished), CHECKPOINT_DIVERGED)
        assert contents(furnished) == before

    def test_that_of_a_copy_that_is_only_further_is_taken(
        self, twin: Wiki, furnished: Wiki
    ) -> None:
        put(twin, "theirs", "Written there.\n")
        keep(twin)
        copied(twin.workspace.root, furnished)
        go_back(furnished)
        assert pages.show(furnished, slug="theirs").page.body == "Written there.\n"
        assert sound(furnished)

    def test_only_at_the_revision_that_was_seen(self, wiki: Wiki) -> None:
        keep(wiki)
        put(wiki, "a")
        refusal(lambda: go_back(wiki, call=Call(if_revision=1)), STALE_REVISION)
        assert pages.list_(wiki).total == 1
        assert checkpoints.list_(wiki).total == 1
        go_back(wiki, call=Call(if_revision=2))

    def test_never_in_a_draft(self, furnished: Wiki) -> None:
        keep(furnished)
        with a_draft(furnished) as draft:
            refusal(lambda: go_back(draft), CHANGESET_COMMAND_UNSUPPORTED)

    @pytest.mark.parametrize("damage", ["a byte", "cut", "longer", "bits of a text", "newer"])
    def test_a_damaged_one_is_refused_and_nothing_is_touched(self, wiki: Wiki, damage: str) -> None:
        put(wiki, "a", "A text that is looked for. " * 40)
        keep(wiki)
        put(wiki, "b")
        path = checkpoints.folder_of(wiki) / "then.db"
        content = path.read_bytes()
        if damage == "a byte":
            path.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
        elif damage == "cut":
            path.write_bytes(content[:-1])
        elif damage == "longer":
            path.write_bytes(content + b"\x00")
        elif damage == "bits of a text":
            # Without the note of its making, only the text's own digest can tell.
            path.with_suffix(".json").unlink()
            path.write_bytes(content.replace(b"A text that is looked", b"A text that is kooked", 1))
        else:
            with closing(sqlite3.connect(path)) as conn:
                conn.execute("PRAGMA user_version=999")
        before = contents(wiki)
        problem = CHECKPOINT_NEWER if damage == "newer" else CHECKPOINT_INVALID
        refusal(lambda: go_back(wiki), problem)
        assert contents(wiki) == before
        assert [one.name for one in checkpoints.list_(wiki).checkpoints] == ["then"]
        assert list(path.parent.glob(".*")) == []

    def test_a_checkpoint_without_a_note_is_as_good(self, wiki: Wiki) -> None:
        put(wiki, "a")
        keep(wiki)
        (checkpoints.folder_of(wiki) / "then.json").unlink()
        put(wiki, "b")
        go_back(wiki)
        assert [one.slug for one in pages.list_(wiki).pages] == ["a"]


def copied(project: Path, wiki: Wiki) -> None:
    """Bring the checkpoint of another wiki here."""
    made = files.find(project / ".lwc" / "checkpoints", "then")
    folder = checkpoints.folder_of(wiki)
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "then.db").touch(mode=0o600)
    (folder / "then.db").write_bytes(made.path.read_bytes())


class TestADamagedWiki:
    @pytest.mark.parametrize(
        "table", ["page_revisions", "operations", "requests", "pages", "attempts", "charter"]
    )
    def test_what_cannot_be_read_is_replaced_and_told(self, furnished: Wiki, table: str) -> None:
        before = contents(furnished)
        keep(furnished)
        put(furnished, "newcomer", "New.\n", call=Call(agent="tester", request_id="r1"))
        with shredded(furnished, table) as wiki:
            answer = go_back(wiki)
            after = without_numbers(contents(wiki), before)
            assert differences(before, after) == ()
            if table not in ("pages", "attempts"):
                assert table in answer.not_taken_over
            assert answer.revision > answer.restored_revision
            assert wiki.workspace.database.exists()

    def test_a_damaged_text_of_the_history_says_so(self, wiki: Wiki) -> None:
        put(wiki, "a", "Then.\n")
        keep(wiki)
        put(wiki, "a", "Since.\n")
        with wiki.database.writing() as conn:
            conn.exec_driver_sql("UPDATE text_parts SET body = 'Sance.\n' WHERE body = 'Since.\n'")
        go_back(wiki)
        assert pages.show(wiki, slug="a").page.body == "Then.\n"
        assert "damaged" in pages.show(wiki, slug="a", revision=2).page.body
