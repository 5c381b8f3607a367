from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from processes import as_nobody, race
from sqlalchemy import insert, select

from lwc.errors import (
    COMMIT_UNKNOWN,
    DATABASE_FULL,
    INVALID_AGENT,
    INVALID_REQUEST_ID,
    REQUEST_ID_REUSED,
    STALE_REVISION,
    STORE_NOT_FOUND,
    STORE_READONLY,
    STORE_UNFINISHED,
    LwcError,
)
from lwc.services import charter, configuration
from lwc.services.charter import CharterSet
from lwc.store import journal, meta, tables, texts
from lwc.wiki import Call, Wiki, open_wiki


def asked(request_id: str, **arguments: Any) -> Call:
    return Call(agent="anna", request_id=request_id, command="purpose set", arguments=arguments)


def write(wiki: Wiki, call: Call, text: str = "# Another purpose\n") -> CharterSet:
    return charter.put(wiki, call, name="purpose", text=text)


def requests_kept(wiki: Wiki) -> int:
    with wiki.reading() as conn:
        return len(conn.execute(select(tables.requests)).all())


class TestCall:
    @pytest.mark.parametrize("agent", ["a", "anna@host", "维基 agent", "é" * 128])
    def test_an_agent_is_any_short_printable_name(self, agent: str) -> None:
        assert Call(agent=agent).agent == agent

    @pytest.mark.parametrize(
        "agent",
        ["", "a" * 129, "a\nb", "\x1b[2J", "a\u202eb", "\ud800", "a\u2028b", "\0"],
        ids=["empty", "long", "line", "escape", "bidi", "surrogate", "separator", "nul"],
    )
    def test_any_other_agent_is_refused(self, agent: str) -> None:
        with pytest.raises(LwcError) as caught:
            Call(agent=agent)
        assert caught.value.problem is INVALID_AGENT

    @pytest.mark.parametrize("name", ["1", "0190c0de-7", "!~", "x" * 128])
    def test_a_request_id_is_one_short_word_of_ascii(self, name: str) -> None:
        assert Call(request_id=name).request_id == name

    @pytest.mark.parametrize(
        "name",
        ["", "x" * 129, "a b", " ", "a\tb", "é", "a\x7f", "a\n"],
        ids=["empty", "long", "space", "blank", "tab", "letter", "delete", "line"],
    )
    def test_any_other_request_id_is_refused(self, name: str) -> None:
        with pytest.raises(LwcError) as caught:
            Call(request_id=name)
        assert caught.value.problem is INVALID_REQUEST_ID


class TestRevision:
    def test_it_is_the_last_operation_of_the_journal(self, wiki: Wiki, call: Call) -> None:
        with wiki.writing(call) as change:
            made = [change.record("page_put", n) for n in range(3)]
            assert change.revision == made[-1]
        assert wiki.revision() == made[-1]
        assert made == [made[0], made[0] + 1, made[0] + 2]

    def test_reading_and_a_change_that_changes_nothing_leave_it(
        self, wiki: Wiki, call: Call
    ) -> None:
        before = wiki.revision()
        shown = charter.show(wiki, "purpose")
        again = write(wiki, call, shown.text)
        assert (again.changed, again.revision, wiki.revision()) == (False, before, before)

    def test_a_number_is_never_given_twice(self, wiki: Wiki, call: Call) -> None:
        with wiki.writing(call) as change:
            made = change.record("page_put", "a")
            change.conn.execute(tables.operations.delete().where(tables.operations.c.id == made))
        with wiki.writing(call) as change:
            assert change.record("page_put", "b") == made + 1

    def test_a_change_against_what_was_seen_is_made(self, wiki: Wiki) -> None:
        seen = wiki.revision()
        assert write(wiki, Call(if_revision=seen)).revision == seen + 1

    @pytest.mark.parametrize("off", [-1, 1, 2**63], ids=["older", "newer", "huge"])
    def test_a_change_against_anything_else_is_refused(self, wiki: Wiki, off: int) -> None:
        found = wiki.revision()
        with pytest.raises(LwcError) as caught:
            write(wiki, Call(if_revision=found + off))
        assert caught.value.problem is STALE_REVISION
        assert caught.value.details == {"expected": found + off, "found": found}
        assert wiki.revision() == found
        assert charter.show(wiki, "purpose").text_revision == 1

    def test_of_writers_that_saw_the_same_exactly_one_wins_each_time(self, project: Path) -> None:
        races = 200
        with open_wiki(project) as wiki:
            first = wiki.revision()

        def compete(number: int) -> list[int]:
            won = []
            with open_wiki(project) as wiki:
                while (seen := wiki.revision()) < first + races:
                    with suppress(LwcError):
                        call = Call(agent=f"a{number}", if_revision=seen)
                        won.append(write(wiki, call, f"{number} at {seen}").revision)
            return won

        won = [revision for wins in race(2, compete) for revision in wins]
        assert sorted(won) == list(range(first + 1, first + races + 1))


class TestRequestId:
    def test_repeated_it_answers_what_was_answered_and_does_nothing(self, wiki: Wiki) -> None:
        first = write(wiki, asked("r1", text="a"), "a")
        write(wiki, asked("r2", text="b"), "b")
        again = write(wiki, asked("r1", text="a"), "a")
        assert (first.replayed, again.replayed) == (False, True)
        assert (again.revision, again.text_revision) == (first.revision, first.text_revision)
        assert charter.show(wiki, "purpose").text == "b"

    def test_it_outlives_the_connection_and_what_it_was_bound_to(self, project: Path) -> None:
        with open_wiki(project) as wiki:
            seen = wiki.revision()
            bound = Call(request_id="r1", if_revision=seen, command="purpose set")
            first = write(wiki, bound)
        with open_wiki(project) as wiki:
            assert write(wiki, bound).revision == first.revision

    @pytest.mark.parametrize(
        "call",
        [
            asked("r1", text="other"),
            Call(request_id="r1", command="schema set", arguments={"text": "a"}),
        ],
        ids=["other arguments", "another command"],
    )
    def test_used_for_something_else_it_is_refused(self, wiki: Wiki, call: Call) -> None:
        write(wiki, asked("r1", text="a"), "a")
        before = wiki.revision()
        with pytest.raises(LwcError) as caught:
            write(wiki, call, "other")
        assert caught.value.problem is REQUEST_ID_REUSED
        assert caught.value.details == {"request_id": "r1", "command": "purpose set"}
        assert wiki.revision() == before

    def test_another_agent_asking_again_is_answered_the_same(self, wiki: Wiki) -> None:
        first = write(wiki, asked("r1"))
        other = Call(agent="bert", request_id="r1", command="purpose set")
        assert write(wiki, other).revision == first.revision

    def test_a_refusal_keeps_nothing_so_the_same_id_may_be_tried_again(self, wiki: Wiki) -> None:
        stale = Call(request_id="r1", if_revision=99, command="purpose set")
        with pytest.raises(LwcError):
            write(wiki, stale)
        assert requests_kept(wiki) == 0
        assert not write(wiki, asked("r1")).replayed

    def test_a_change_that_changed_nothing_is_kept_too(self, wiki: Wiki) -> None:
        text = charter.show(wiki, "purpose").text
        first = write(wiki, asked("r1"), text)
        write(wiki, Call(), "changed meanwhile")
        again = write(wiki, asked("r1"), text)
        assert (first.changed, again.changed, again.replayed) == (False, False, True)

    def test_the_operations_tell_the_request_they_were_made_for(self, wiki: Wiki) -> None:
        made = write(wiki, asked("r1")).revision
        with wiki.reading() as conn:
            rows = conn.execute(
                select(tables.operations.c.request_id).where(tables.operations.c.id == made)
            )
            assert rows.scalar_one() == "r1"

    def test_used_by_several_processes_at_once_it_acts_once(self, project: Path) -> None:
        def ask(number: int) -> list[Any]:
            with open_wiki(project) as wiki:
                made = [write(wiki, asked(f"r{n}", n=n), f"text {n}") for n in range(25)]
            return [[one.revision, one.replayed] for one in made]

        answers = race(4, ask)
        revisions = {tuple(revision for revision, _ in answer) for answer in answers}
        assert len(revisions) == 1
        for asks in zip(*answers, strict=True):
            assert sorted(replayed for _, replayed in asks) == [False, True, True, True]
        with open_wiki(project) as wiki:
            assert requests_kept(wiki) == 25
            assert charter.show(wiki, "purpose").text_revision == 26


class TestWriting:
    @pytest.mark.parametrize(
        "error",
        [STALE_REVISION(expected=1, found=2), KeyError("bug"), KeyboardInterrupt()],
        ids=["refusal", "bug", "interrupt"],
    )
    def test_an_error_inside_takes_all_of_it_back(
        self, wiki: Wiki, call: Call, error: BaseException
    ) -> None:
        before = wiki.revision()

        def fail() -> None:
            with wiki.writing(call) as change:
                texts.put(change.conn, "kept nowhere")
                change.record("page_put", "a")
                raise error

        with pytest.raises(type(error)):
            fail()
        assert wiki.revision() == before
        with wiki.reading() as conn:
            rows = conn.execute(select(tables.texts.c.digest)).scalars().all()
        assert len(rows) == 2  # the schema and the purpose
        assert write(wiki, call).revision == before + 1

    def test_an_error_of_the_commit_itself_says_that_it_is_unknown(
        self, wiki: Wiki, call: Call
    ) -> None:
        before = wiki.revision()

        def fail_to_commit() -> None:
            with wiki.writing(call) as change:
                change.conn.exec_driver_sql("PRAGMA defer_foreign_keys=1")
                change.conn.execute(
                    insert(tables.source_paths).values(
                        tracked_path="a", revision=1, source_id=99, observed_at="now"
                    )
                )
                change.record("source_add", "a")

        with pytest.raises(LwcError) as caught:
            fail_to_commit()
        assert caught.value.problem is COMMIT_UNKNOWN
        assert caught.value.committed == "unknown"
        assert caught.value.body()["retryable"] is True
        assert wiki.revision() == before
        assert write(wiki, call).revision == before + 1

    def test_a_full_disk_takes_all_of_it_back_and_is_no_unknown(
        self, wiki: Wiki, call: Call
    ) -> None:
        before = wiki.revision()
        with wiki.reading() as conn:
            pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()

        def fill() -> None:
            with wiki.writing(call) as change:
                change.record("page_put", "a")
                change.conn.exec_driver_sql(f"PRAGMA max_page_count={pages + 2}")
                texts.put(change.conn, "long " * 20_000)

        with pytest.raises(LwcError) as caught:
            fill()
        assert caught.value.problem is DATABASE_FULL
        assert caught.value.committed is False
        assert wiki.revision() == before
        with wiki.reading() as conn:
            conn.exec_driver_sql("PRAGMA max_page_count=1000000")
        assert write(wiki, call).revision == before + 1


class TestOpening:
    def test_each_wiki_has_a_name_of_its_own_for_ever(self, wiki: Wiki, project: Path) -> None:
        name = wiki.store_id()
        assert len(name) == 64
        assert set(name) <= set("0123456789abcdef")
        with open_wiki(project) as again:
            assert again.store_id() == name

    def test_a_wiki_without_its_name_was_never_finished(self, wiki: Wiki, call: Call) -> None:
        with wiki.writing(call) as change:
            change.conn.execute(tables.meta.delete())
        with pytest.raises(LwcError) as caught:
            wiki.store_id()
        assert caught.value.problem is STORE_UNFINISHED

    def test_the_global_wiki_is_opened_by_its_scope(self, project: Path, tmp_path: Path) -> None:
        environ = {"HOME": str(project)}
        with open_wiki(tmp_path, scope="global", environ=environ) as wiki:
            assert wiki.label() == {
                "scope": "global",
                "database": str(project / ".lwc" / "wiki.db"),
            }

    def test_nothing_is_opened_where_nothing_is(self, tmp_path: Path) -> None:
        with pytest.raises(LwcError) as caught:
            open_wiki(tmp_path)
        assert caught.value.problem is STORE_NOT_FOUND
        assert not (tmp_path / ".lwc").exists()

    def test_a_folder_may_have_any_name(self, project: Path) -> None:
        odd = project.rename(project.parent / "a?b#c%20d'é\udcff&mode=ro")
        with open_wiki(odd) as wiki:
            assert write(wiki, Call(), "written").changed
        with open_wiki(odd) as wiki:
            assert charter.show(wiki, "purpose").text == "written"

    def test_one_moment_is_read_whatever_is_written_meanwhile(
        self, wiki: Wiki, project: Path, call: Call
    ) -> None:
        with open_wiki(project) as other, other.reading() as conn:
            before = journal.revision(conn)
            write(wiki, call)
            assert journal.revision(conn) == before
        assert wiki.revision() == before + 1

    def test_single_facts_are_kept_and_replaced(self, wiki: Wiki, call: Call) -> None:
        for value in ("one", "two"):
            with wiki.writing(call) as change:
                meta.put(change.conn, "fact", value)
        with wiki.reading() as conn:
            assert meta.value(conn, "fact") == "two"
            assert meta.value(conn, "another") is None


class TestWithoutTheRightToWrite:
    def test_what_may_only_be_read_is_read_and_not_written(
        self, open_folder: Path, stored: Path
    ) -> None:
        place = open_folder / "project"
        stored.rename(place)
        for path in (*place.rglob("*"), place):
            path.chmod(0o555 if path.is_dir() else 0o444)

        def look() -> list[Any]:
            with open_wiki(place) as wiki:
                shown = charter.show(wiki, "purpose")
                with pytest.raises(LwcError) as caught:
                    write(wiki, Call())
                with pytest.raises(LwcError) as configured:
                    configuration.put(wiki, Call(), values={"policy": "strict"})
            assert configured.value.problem is STORE_READONLY
            return [shown.revision, caught.value.problem is STORE_READONLY]

        assert as_nobody(look) == [1, True]
        assert sorted(path.name for path in (place / ".lwc").iterdir()) == ["init.lock", "wiki.db"]

    @pytest.fixture
    def stored(self, open_folder: Path, project: Path) -> Path:
        """The project, moved to where another user may reach it."""
        moved = open_folder / "moved"
        project.rename(moved)
        return moved
