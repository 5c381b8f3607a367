"""Drafts for tests: a furnished wiki, what agents do to it, and how it reads afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ingesting import AGENT, analyzed
from page_makers import TEXT, cited, put
from sqlalchemy import func, select

from lwc import wire
from lwc.services import (
    changeset_publish,
    changesets,
    charter,
    checks,
    completion,
    jobs,
    lint,
    overview,
    page_files,
    page_moves,
    page_writes,
    pages,
    search,
    source_folders,
    source_writes,
    sources,
)
from lwc.services.changeset_publish import ChangesetPublished
from lwc.services.completion import Waivers
from lwc.store.dialects.sqlite_layers import LAYERS
from lwc.store.discarding import STAGED_TABLES
from lwc.store.tables import metadata, texts
from lwc.store.tables.drafts import (
    draft_completions,
    draft_operations,
    staged,
)
from lwc.wiki import Wiki, open_wiki

DRAFT = "change"
WORDS = ("writer lock", "readers wait alone", "spare violet", "quiet newcomer")
# Which entry of the journal did something depends on what else stands there.
PASSING = ("operation_id", "touched", "claim_operation")
CONTENT = tuple(layer.table.name for layer in LAYERS)

Act = Callable[[Wiki], object]


def furnish(wiki: Wiki) -> None:
    """Sources, pages that cite and link, a removed page, a check; the second job is analysed."""
    a_file(wiki, "notes.md", TEXT)
    a_file(wiki, "late.md", "Readers never wait for the writer. " * 3)
    a_file(wiki, "spare.md", "Nobody cites this violet text.")
    put(wiki, "alone", "Nobody waits alone.\n", call=AGENT)
    put(wiki, "store", f"{cited(1)}\nSee [[alone]].\n", call=AGENT, provenance=("hypothesis",))
    put(wiki, "readers", "Readers do not wait; see [[store]].\n", call=AGENT)
    put(wiki, "spare", "A spare page.\n", call=AGENT)
    put(wiki, "spare", "A spare page, written twice.\n", call=AGENT)
    put(wiki, "gone", "A page that went.\n", call=AGENT)
    page_moves.remove(wiki, AGENT, slug="gone")
    put(wiki, "former", "It had another name.\n", call=AGENT)
    page_moves.rename(wiki, AGENT, slug="former", to="present")
    checks.add(wiki, AGENT, slug="store", query="one writer", paraphrases=("who holds the lock",))
    charter.put(wiki, AGENT, name="schema", text="# Schema\n")
    analyzed(wiki, 2)


def a_file(wiki: Wiki, name: str, text: str) -> Path:
    """A file of the project, and the source that it is."""
    path = Path(wiki.workspace.root) / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    add(wiki, name)
    return path


def add(wiki: Wiki, name: str) -> int:
    return source_writes.add(wiki, AGENT, path=name, base=Path(wiki.workspace.root)).source.id


def a_draft(wiki: Wiki, name: str = DRAFT) -> Wiki:
    """A new draft of the wiki, opened; close it, or use it in a `with`."""
    changesets.draft(wiki, AGENT, name=name)
    return drafted(wiki, name)


def drafted(wiki: Wiki, name: str = DRAFT) -> Wiki:
    """An open draft of the wiki, opened once more."""
    return open_wiki(wiki.workspace.root, changeset=name)


def publish(wiki: Wiki, name: str = DRAFT) -> ChangesetPublished:
    """Publish, whatever lint says: it is not what is looked at."""
    waived = changeset_publish.override(allow_lint_issues=True, reason="Test.", findings=None)
    return changeset_publish.publish(wiki, AGENT, name=name, waived=waived)


def _add_directory(wiki: Wiki) -> None:
    for name in ("one", "two"):
        path = Path(wiki.workspace.root) / "docs" / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"A newcomer: {name}.")
    source_folders.add_dir(wiki, AGENT, path="docs", base=Path(wiki.workspace.root))


def _add_manifest(wiki: Wiki) -> None:
    root = Path(wiki.workspace.root)
    (root / "listed.md").write_text("A newcomer that is listed.")
    entries = [{"path": "listed.md", "title": "Listed"}, {"path": "notes.md"}]
    (root / "m.json").write_text(json.dumps({"sources": entries}))
    source_writes.add_manifest(wiki, AGENT, path="m.json", base=root)


def _cite_a_new_source(wiki: Wiki) -> None:
    a_file(wiki, "new.md", TEXT.replace("Everything", "A newcomer"))
    put(wiki, "newcomer", cited(4), call=AGENT, source_ids=(4,))
    put(wiki, "store", f"{cited(4)}\nSee [[newcomer]].\n", call=AGENT)


def _patch(wiki: Wiki) -> None:
    edits = json.dumps([{"old": "Nobody waits", "new": "A quiet page waits"}])
    page_writes.patch(wiki, AGENT, slug="alone", edits=edits)


def _put_many(wiki: Wiki) -> None:
    lines = [
        {"slug": "alone", "title": "Alone", "body": "Written by the line.\n"},
        {"slug": "fresh", "title": "Fresh", "body": "A newcomer, see [[alone]].\n"},
    ]
    page_files.put_many(wiki, AGENT, text="".join(json.dumps(line) + "\n" for line in lines))


def _rename(wiki: Wiki) -> None:
    page_moves.rename(wiki, AGENT, slug="store", to="storage")


def _hand_names_on(wiki: Wiki) -> None:
    """The page `present` becomes `spare`, and another page the new `present`."""
    page_moves.remove(wiki, AGENT, slug="spare")
    page_moves.rename(wiki, AGENT, slug="present", to="spare")
    page_moves.remove(wiki, AGENT, slug="spare")
    put(wiki, "spare", "Another one bears the name.\n", call=AGENT)
    page_moves.remove(wiki, AGENT, slug="readers")
    page_moves.rename(wiki, AGENT, slug="alone", to="readers")
    put(wiki, "present", "A quiet newcomer.\n", call=AGENT)


def _remake(wiki: Wiki) -> None:
    page_moves.remove(wiki, AGENT, slug="spare")
    put(wiki, "spare", "Made again, quiet.\n", call=AGENT)


def _make_and_take_away(wiki: Wiki) -> None:
    put(wiki, "fleeting", "A newcomer.\n", call=AGENT)
    page_moves.remove(wiki, AGENT, slug="fleeting")


def _remove_a_checked_page(wiki: Wiki) -> None:
    put(wiki, "readers", "Readers do not wait.\n", call=AGENT)
    page_moves.remove(wiki, AGENT, slug="store")


def _complete(wiki: Wiki) -> None:
    put(wiki, "late", "Late.\n", call=AGENT, kind="source", source_ids=(2,))
    waivers = Waivers(no_derived_pages_reason="Nothing to say.", unread_reason="It is short.")
    completion.complete(wiki, AGENT, 2, waivers=waivers)


def _check(wiki: Wiki) -> None:
    checks.add(wiki, AGENT, slug="alone", query="who waits", paraphrases=("nobody alone",))
    checks.remove(wiki, AGENT, 1)


def _check_a_new_page(wiki: Wiki) -> None:
    put(wiki, "newcomer", "A newcomer comes.\n", call=AGENT)
    checks.add(wiki, AGENT, slug="newcomer", query="newcomer")


def _advance_a_path(wiki: Wiki) -> None:
    a_file(wiki, "spare.md", "The path holds a newcomer now.")


def _many(wiki: Wiki) -> None:
    _cite_a_new_source(wiki)
    _rename(wiki)
    _complete(wiki)
    charter.put(wiki, AGENT, name="purpose", text="To be quiet.\n")


# By what the commands are called.
ACTS: Mapping[str, Act] = {
    "source-add": lambda wiki: a_file(wiki, "new.md", "A newcomer."),
    "source-add-known": lambda wiki: a_file(wiki, "copy.md", TEXT),
    "source-add-dir": _add_directory,
    "source-add-manifest": _add_manifest,
    "source-add-path": _advance_a_path,
    "source-add-and-cite": _cite_a_new_source,
    "source-remove": lambda wiki: source_writes.remove(wiki, AGENT, source_id=3),
    "source-remove-and-add": lambda wiki: [
        source_writes.remove(wiki, AGENT, source_id=3),
        a_file(wiki, "copy.md", "Nobody cites this violet text."),
    ],
    "page-put-new": lambda wiki: put(wiki, "newcomer", cited(1), call=AGENT),
    "page-put": lambda wiki: put(wiki, "store", cited(1, "no such quote"), call=AGENT),
    "page-put-same": lambda wiki: put(wiki, "alone", "Nobody waits alone.\n", call=AGENT),
    "page-put-there-and-back": lambda wiki: [
        put(wiki, "alone", text, call=AGENT) for text in ("Quiet.\n", "Nobody waits alone.\n")
    ],
    "page-patch": _patch,
    "page-put-many": _put_many,
    "page-rename": _rename,
    "page-names-handed-on": _hand_names_on,
    "page-remove": lambda wiki: page_moves.remove(wiki, AGENT, slug="spare"),
    "page-remove-checked": _remove_a_checked_page,
    "page-remove-and-put": _remake,
    "page-put-and-remove": _make_and_take_away,
    "page-restore": lambda wiki: page_writes.restore(wiki, AGENT, slug="spare", revision=1),
    "page-restore-removed": lambda wiki: page_writes.restore(wiki, AGENT, slug="gone", revision=1),
    "page-confirm": lambda wiki: page_writes.confirm(wiki, AGENT, slug="store", source_id=1),
    "schema-set": lambda wiki: charter.put(wiki, AGENT, name="schema", text="# Other\n"),
    "purpose-set": lambda wiki: charter.put(wiki, AGENT, name="purpose", text="Be quiet.\n"),
    "check": _check,
    "check-new-page": _check_a_new_page,
    "ingest-complete": _complete,
    "many": _many,
}


def live(wiki: Wiki) -> str:
    """A digest of all that live readers see of the content, and of what searches find."""
    return wire.digest([rows(wiki), found(wiki)])


def rows(wiki: Wiki, *leaving: str) -> dict[str, list[dict[str, Any]]]:
    """Every row of the wiki's content, as this wiki sees it, without these columns."""
    with wiki.reading() as conn:
        return {
            name: [
                {key: value for key, value in row._mapping.items() if key not in leaving}
                for row in conn.execute(
                    select(metadata.tables[name]).order_by(*metadata.tables[name].primary_key)
                )
            ]
            for name in CONTENT
        }


def lasting(wiki: Wiki) -> dict[str, list[dict[str, Any]]]:
    """The rows of the wiki's content but for the journal's entries that made them."""
    return rows(wiki, *PASSING)


def shown(wiki: Wiki) -> dict[str, list[dict[str, Any]]]:
    """The content that the wiki shows now, without history and the numbers of revisions."""
    found = rows(wiki, *PASSING, "revision")
    for history in ("page_revisions", "source_paths", "charter"):
        del found[history]
    return found


def reads(wiki: Wiki) -> dict[str, Any]:
    """What the commands that read answer, but for where and at which revision that is."""
    names = [page.slug for page in pages.list_(wiki).pages]
    ids = [source.id for source in sources.listed(wiki).sources]
    answers: dict[str, Any] = {
        "pages": pages.list_(wiki),
        "sources": sources.listed(wiki),
        "lint": lint.lint(wiki, limit=1000).issues,
        "jobs": [replace(job, updated_at=None) for job in jobs.listed(wiki).jobs],
        "context": overview.context((wiki,)).stores[0].pages,
        "checks": checks.list_(wiki),
        **{f"page {slug}": pages.show(wiki, slug=slug) for slug in names},
        **{f"links {slug}": pages.links_of(wiki, slug=slug) for slug in names},
        **{f"history {slug}": pages.history(wiki, slug=slug) for slug in names},
        **{f"source {id_}": sources.show(wiki, id_) for id_ in ids},
        **{f"refs {id_}": sources.refs(wiki, id_) for id_ in ids},
    }
    return {name: _bare(wire.plain(answer)) for name, answer in answers.items()} | found(wiki)


def found(wiki: Wiki) -> dict[str, Any]:
    """What searches for some words find, with scores."""
    return {
        f"search {word}": _bare(wire.plain(search.search(wiki, query=word, type="all")))
        for word in WORDS
    }


def _bare(answer: Any) -> Any:
    match answer:
        case dict():
            left_out = ("database", "changeset", *PASSING)
            return {key: _bare(each) for key, each in answer.items() if key not in left_out}
        case list():
            return [_bare(each) for each in answer]
        case _:
            return answer


def staged_rows(wiki: Wiki) -> dict[str, int]:
    """How many rows each table of drafts holds, the search index of drafts among them."""
    tables = (*STAGED_TABLES, draft_completions, draft_operations, staged)
    with wiki.reading() as conn:
        counts = {
            table.name: int(conn.execute(select(func.count()).select_from(table)).scalar_one())
            for table in tables
        }
        for index in ("draft_page_fts_docsize", "draft_source_fts_docsize"):
            found = conn.exec_driver_sql(f"SELECT count(*) FROM {index}").scalar_one()
            counts[index] = int(found)
    return {name: count for name, count in counts.items() if count}


def unused_texts(wiki: Wiki) -> set[str]:
    """The texts that nothing speaks of."""
    with wiki.reading() as conn:
        known = set(conn.execute(select(texts.c.digest)).scalars())
        for table in metadata.tables.values():
            for column in table.columns:
                if table.name != "text_parts" and column.references(texts.c.digest):
                    known -= set(conn.execute(select(column)).scalars())
        return known
