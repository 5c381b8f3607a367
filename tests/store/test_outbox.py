from __future__ import annotations

from ingesting import a_source
from page_makers import put

from lwc.domain.changeset import Entity
from lwc.projection import catch_up
from lwc.services import page_moves
from lwc.store import drafts, layers, outbox, settings
from lwc.store.database import Connection
from lwc.store.outbox import Waiting, Written
from lwc.wiki import Call, Wiki

PAGE = Waiting(owner=("page", "1"), operation_id=7)


def waiting(wiki: Wiki) -> dict[tuple[str, str], int | None]:
    with wiki.reading() as conn:
        return {one.owner: one.operation_id for one in outbox.newest(conn, limit=100)}


def switched_off(wiki: Wiki) -> None:
    """What is written from now on waits, for commands write no files."""
    catch_up(wiki.database, wiki.workspace.store)
    with wiki.writing(Call()) as change:
        settings.put(change.conn, "projection", "off", now=change.now)


def test_what_changes_an_entity_puts_it_into_the_outbox(wiki: Wiki, call: Call) -> None:
    switched_off(wiki)
    assert waiting(wiki) == {}
    source_id = a_source(wiki, "A text that is long enough.")
    page = put(wiki, "locks")
    assert waiting(wiki).keys() == {("source", str(source_id)), ("page", "1")}
    assert waiting(wiki)[("page", "1")] == page.revision
    renamed = page_moves.rename(wiki, call, slug="locks", to="bolts")
    assert waiting(wiki)[("page", "1")] == renamed.revision
    removed = page_moves.remove(wiki, call, slug="bolts")
    assert waiting(wiki)[("page", "1")] == removed.revision


def test_nothing_that_is_only_staged_waits(wiki: Wiki, call: Call) -> None:
    switched_off(wiki)
    with wiki.writing(call) as change:
        draft = drafts.begin(change.conn, "x", author="anna", now=change.now)
        with layers.laid(change.conn, drafts.opened(change.conn, "x"), reading=False):
            outbox.put(change.conn, Entity.PAGE, 1, 7)
    assert draft is not None
    assert waiting(wiki) == {}


def test_what_is_put_again_is_never_taken_for_what_was_read(wiki: Wiki, call: Call) -> None:
    switched_off(wiki)
    with wiki.writing(call) as change:
        conn = change.conn
        numbers = []
        for operation in (7, 7, 3, None, 20, 20):
            outbox.put(conn, Entity.PAGE, 1, operation)
            (row,) = outbox.of_owners(conn, [("page", "1")])
            assert row.operation_id is not None
            numbers.append(row.operation_id)
        assert numbers == sorted(set(numbers))
        assert numbers[-2] == 20


def test_only_what_is_still_the_same_is_settled(wiki: Wiki, call: Call) -> None:
    switched_off(wiki)
    with wiki.writing(call) as change:
        conn = change.conn
        outbox.put(conn, Entity.PAGE, 1, 7)
        outbox.put(conn, Entity.SOURCE, 1, 7)
        outbox.put(conn, Entity.PAGE, 1, 8)
        read_before = [PAGE, Waiting(owner=("source", "1"), operation_id=7)]
        outbox.settle(conn, read_before)
        assert outbox.newest(conn, limit=9) == (Waiting(owner=("page", "1"), operation_id=8),)
        outbox.settle(conn, [Waiting(owner=("page", "1"), operation_id=None)])
        assert outbox.count(conn) == 1


def test_what_changed_last_comes_first(wiki: Wiki, call: Call) -> None:
    switched_off(wiki)
    with wiki.writing(call) as change:
        for key, operation in ((1, 5), (2, 9), (3, 7)):
            outbox.put(change.conn, Entity.PAGE, key, operation)
        found = outbox.newest(change.conn, limit=2)
        assert [one.owner[1] for one in found] == ["2", "3"]


def test_files_are_found_by_their_owner_and_by_their_path(wiki: Wiki, call: Call) -> None:
    switched_off(wiki)
    mine = Written(path="wiki/concepts/a.md", owner=("page", "1"), digests=("d1", "d2"))
    other = Written(path="wiki/concepts/b.md", owner=("page", "2"), digests=("d3",))
    with wiki.writing(call) as change:
        conn = change.conn
        outbox.note(conn, [mine, other])
        assert outbox.written(conn, of=[("page", "1")]) == {mine.path: mine}
        assert outbox.written(conn, at=[other.path, "nowhere"]) == {other.path: other}
        taken = Written(path=mine.path, owner=("page", "2"), digests=("d4",))
        outbox.note(conn, [taken])
        assert outbox.written(conn, of=[("page", "1")]) == {}
        outbox.forget(conn, [other.path])
        assert set(outbox.written(conn, of=[("page", "2")])) == {mine.path}


def test_all_that_has_or_had_files_is_an_owner(wiki: Wiki) -> None:
    a_source(wiki, "A text that is long enough.")
    put(wiki, "locks")
    gone = Written(path="wiki/concepts/gone.md", owner=("page", "9"), digests=("d",))
    with wiki.writing(Call()) as change:
        outbox.note(change.conn, [gone])
        owners = [one.owner for one in outbox.owners(change.conn)]
    assert owners[:4] == [
        ("charter", "purpose"),
        ("charter", "schema"),
        ("source", "1"),
        ("page", "1"),
    ]
    assert set(owners[4:]) == {("page", "9"), outbox.WHOLE}


def test_a_replaced_wiki_knows_the_files_that_stand_there(wiki: Wiki) -> None:
    """As after a restore: the files are those of the state that was replaced."""
    put(wiki, "locks")
    standing = (
        Written(path="wiki/concepts/later.md", owner=("page", "5"), digests=("d",)),
        Written(path="wiki/index.md", owner=outbox.WHOLE, digests=("e",)),
    )
    with wiki.writing(Call()) as change:
        before = highest(change.conn)
        outbox.carry_over(change.conn, standing)
        assert outbox.all_written(change.conn) == standing
        every = outbox.newest(change.conn, limit=99)
        assert {one.owner for one in every} == {
            ("charter", "purpose"),
            ("charter", "schema"),
            ("page", "1"),
            ("page", "5"),
        }
        assert all((one.operation_id or 0) > before for one in every)


def highest(conn: Connection) -> int:
    return max((one.operation_id or 0 for one in outbox.newest(conn, limit=99)), default=0)
