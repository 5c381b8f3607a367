"""The file of the index: changed where pages changed, or made anew from all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from lwc.domain.changeset import Entity
from lwc.domain.projection import INDEX
from lwc.domain.projection_whole import changed_index, index_file, index_line
from lwc.projection.tree import Tree
from lwc.projection.wanted import Wish
from lwc.store import outbox, pages, projectable
from lwc.store.database import Connection
from lwc.store.outbox import Written

# Beside the digest of an index that lists pages whose own files waited still.
UNSETTLED = "unsettled"


def content(
    conn: Connection,
    tree: Tree,
    wishes: Sequence[Wish],
    known: Mapping[str, Written],
    *,
    anew: bool,
) -> str:
    """What the index is to hold.

    In a wiki of 10,000 pages it is too long to be made from them for every page that is written.
    """
    changed = None if anew else _changed(conn, tree, wishes, known)
    return made_anew(conn) if changed is None else changed


def made_anew(conn: Connection) -> str:
    """The index of all pages, from what the wiki says of them."""
    return index_file(map(index_line, projectable.indexed(conn)))


def _changed(
    conn: Connection, tree: Tree, wishes: Sequence[Wish], known: Mapping[str, Written]
) -> str | None:
    """The index with the lines of these pages changed; none where that cannot be vouched for.

    It is what lwc wrote when nothing waited, all that waits now is here, and so the files that are
    known of these pages tell which lines were theirs. The pages are counted besides.
    """
    row = known.get(INDEX)
    waiting = sum(wish.waiting.operation_id is not None for wish in wishes)
    if row is None or len(row.digests) != 1 or outbox.count(conn) != waiting:
        return None
    try:
        standing = tree.read(INDEX)
    except OSError:
        return None
    if standing is None or sha256(standing).hexdigest() != row.digests[0]:
        return None
    touched = [wish for wish in wishes if wish.waiting.owner[0] == Entity.PAGE]
    owners = {wish.waiting.owner for wish in touched}
    gone = [one.path for one in known.values() if one.owner in owners]
    come = [wish.line for wish in touched if wish.line is not None]
    index, listed = changed_index(standing.decode(), gone=gone, come=come)
    return index if listed == pages.total(conn) else None
