"""What a draft does while something is done live, and whether the two get along."""

from __future__ import annotations

from collections.abc import Mapping

from drafting import AGENT, Act, a_file
from ingesting import STRANGER, claimed
from page_makers import put

from lwc.services import charter, checks, page_moves, page_writes, source_writes

# What the draft does, what is done live meanwhile, and what is told of it.
CONFLICTS: Mapping[str, tuple[Act, Act, list[tuple[str, str, str]]]] = {
    "page-changed": (
        lambda draft: put(draft, "alone", "Of the draft.\n"),
        lambda wiki: put(wiki, "alone", "Of the stranger.\n", call=STRANGER),
        [("page", "alone", "changed")],
    ),
    "page-confirmed-and-changed": (
        lambda draft: page_writes.confirm(draft, AGENT, slug="store", source_id=1),
        lambda wiki: put(wiki, "store", "Of the stranger.\n", call=STRANGER),
        [("page", "store", "changed")],
    ),
    "page-created": (
        lambda draft: put(draft, "fresh", "Of the draft.\n"),
        lambda wiki: put(wiki, "fresh", "Of the stranger.\n", call=STRANGER),
        [("page", "fresh", "name_taken")],
    ),
    "page-restored": (
        lambda draft: put(draft, "gone", "Of the draft.\n"),
        lambda wiki: put(wiki, "gone", "Of the stranger.\n", call=STRANGER),
        [("page", "gone", "created")],
    ),
    "page-removed": (
        lambda draft: put(draft, "spare", "Of the draft.\n"),
        lambda wiki: page_moves.remove(wiki, STRANGER, slug="spare"),
        [("page", "spare", "removed")],
    ),
    "page-removed-in-draft": (
        lambda draft: page_moves.remove(draft, AGENT, slug="spare"),
        lambda wiki: put(wiki, "spare", "Of the stranger.\n", call=STRANGER),
        [("page", "spare", "changed")],
    ),
    "page-renamed": (
        lambda draft: put(draft, "spare", "Of the draft.\n"),
        lambda wiki: page_moves.rename(wiki, STRANGER, slug="spare", to="saved"),
        [("page", "spare", "changed")],
    ),
    "alias-taken": (
        lambda draft: put(draft, "fresh", "Of the draft.\n"),
        lambda wiki: [
            put(wiki, "fresh", "Of the stranger.\n", call=STRANGER),
            page_moves.rename(wiki, STRANGER, slug="fresh", to="stale"),
        ],
        [("page", "fresh", "name_taken")],
    ),
    "new-name-taken": (
        lambda draft: page_moves.rename(draft, AGENT, slug="spare", to="saved"),
        lambda wiki: put(wiki, "saved", "Of the stranger.\n", call=STRANGER),
        [("page", "saved", "name_taken")],
    ),
    "source-removed": (
        lambda draft: put(draft, "fresh", "Of the draft.\n", source_ids=(3,)),
        lambda wiki: source_writes.remove(wiki, STRANGER, source_id=3),
        [("source", "3", "source_removed")],
    ),
    "source-cited": (
        lambda draft: source_writes.remove(draft, AGENT, source_id=3),
        lambda wiki: put(wiki, "citing", "Of the stranger.\n", source_ids=(3,), call=STRANGER),
        [("source", "3", "source_in_use")],
    ),
    "source-claimed": (
        lambda draft: source_writes.remove(draft, AGENT, source_id=3),
        lambda wiki: claimed(wiki, 3, call=STRANGER),
        [("source", "3", "source_in_use")],
    ),
    "source-at-another-path": (
        lambda draft: source_writes.remove(draft, AGENT, source_id=3),
        lambda wiki: a_file(wiki, "copy.md", "Nobody cites this violet text."),
        [("source", "3", "source_in_use")],
    ),
    "path-to-a-source-that-went": (
        lambda draft: a_file(draft, "copy.md", "Nobody cites this violet text."),
        lambda wiki: source_writes.remove(wiki, STRANGER, source_id=3),
        [("path", "copy.md", "source_removed")],
    ),
    "path-advanced": (
        lambda draft: a_file(draft, "spare.md", "Of the draft."),
        lambda wiki: a_file(wiki, "spare.md", "Of the stranger."),
        [("path", "spare.md", "changed")],
    ),
    "path-created": (
        lambda draft: a_file(draft, "new.md", "Of the draft."),
        lambda wiki: a_file(wiki, "new.md", "Of the stranger."),
        [("path", "new.md", "created")],
    ),
    "schema-changed": (
        lambda draft: charter.put(draft, AGENT, name="schema", text="# Of the draft\n"),
        lambda wiki: charter.put(wiki, STRANGER, name="schema", text="# Of the stranger\n"),
        [("charter", "schema", "changed")],
    ),
    "check-removed-page": (
        lambda draft: checks.add(draft, AGENT, slug="spare", query="spare"),
        lambda wiki: page_moves.remove(wiki, STRANGER, slug="spare"),
        [("check", "2", "page_removed")],
    ),
}
# What is done in both, or to something else, and hinders nothing.
PEACE: Mapping[str, tuple[Act, Act]] = {
    "there-and-back": (
        lambda draft: put(draft, "spare", "Of the draft.\n"),
        lambda wiki: [
            put(wiki, "spare", text, call=STRANGER)
            for text in ("Otherwise.\n", "A spare page, written twice.\n")
        ],
    ),
    "removed-and-restored": (
        lambda draft: put(draft, "spare", "Of the draft.\n"),
        lambda wiki: [
            page_moves.remove(wiki, STRANGER, slug="spare"),
            page_writes.restore(wiki, STRANGER, slug="spare", revision=2),
        ],
    ),
    "the-same": (
        lambda draft: put(draft, "spare", "Of both.\n"),
        lambda wiki: put(wiki, "spare", "Of both.\n", call=STRANGER),
    ),
    "removed-in-both": (
        lambda draft: page_moves.remove(draft, AGENT, slug="spare"),
        lambda wiki: page_moves.remove(wiki, STRANGER, slug="spare"),
    ),
    "another-page": (
        lambda draft: put(draft, "spare", "Of the draft.\n"),
        lambda wiki: put(wiki, "alone", "Of the stranger.\n", call=STRANGER),
    ),
    "the-same-source": (
        lambda draft: a_file(draft, "new.md", "Of both."),
        lambda wiki: a_file(wiki, "other.md", "Of both."),
    ),
    "made-and-taken-away": (
        lambda draft: [
            page_writes.restore(draft, AGENT, slug="gone", revision=1),
            page_moves.remove(draft, AGENT, slug="gone"),
        ],
        lambda wiki: page_writes.restore(wiki, STRANGER, slug="gone", revision=1),
    ),
    "schema-there-and-back": (
        lambda draft: charter.put(draft, AGENT, name="schema", text="# Of the draft\n"),
        lambda wiki: [
            charter.put(wiki, STRANGER, name="schema", text=text)
            for text in ("# Otherwise\n", "# Schema\n")
        ],
    ),
    "schema-the-same": (
        lambda draft: charter.put(draft, AGENT, name="schema", text="# Of both\n"),
        lambda wiki: charter.put(wiki, STRANGER, name="schema", text="# Of both\n"),
    ),
    "path-the-same": (
        lambda draft: a_file(draft, "spare.md", "Of both."),
        lambda wiki: a_file(wiki, "spare.md", "Of both."),
    ),
}
