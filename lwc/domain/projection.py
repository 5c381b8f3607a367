"""Where the Markdown projection keeps what: the paths of its files below the store's folder."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from lwc.domain.letters import composed, is_invisible
from lwc.domain.slug import collision_key, parse_slug
from lwc.errors import LwcError

INDEX = "wiki/index.md"
LOG = "wiki/log.md"
OVERVIEW = "wiki/overview.md"
OBSIDIAN = ".obsidian/app.json"
CHARTER = ("schema", "purpose")

# Built-in kinds in the order of the index: what their pages' folder is called.
FOLDERS: Mapping[str, str] = {
    "entity": "entities",
    "concept": "concepts",
    "source": "sources",
    "query": "queries",
    "comparison": "comparisons",
    "synthesis": "synthesis",
}
OTHER = "other"

# A file name has room for 255 bytes: the id, `.edited-123` and the rest.
NAME_CHARS = 120
NAME_BYTES = 180
_SUFFIX_MOST = 16
_KEPT = frozenset("._-")

# Written once, when it is not there: attachments beside the sources, links as wikilinks by the
# shortest path. It stays as its reader changes it.
OBSIDIAN_SETTINGS = """\
{
  "attachmentFolderPath": "raw/assets",
  "newLinkFormat": "shortest",
  "showUnsupportedFiles": false,
  "useMarkdownLinks": false,
  "userIgnoreFilters": [
    ".lwc"
  ]
}
"""


def page_path(slug: str, kind: str) -> str:
    """The file of a page. A slug is a safe name (see `slug`), and no two are one on any disk."""
    return f"wiki/{kind_folder(kind)}/{slug}.md"


def kind_folder(kind: str) -> str:
    """The folder of a kind's pages: a kind of the wiki's own has one of its own name.

    `other` is for kinds whose name is no safe one, or that of another folder of ours.
    """
    if kind in FOLDERS:
        return FOLDERS[kind]
    is_taken = collision_key(kind) in {*FOLDERS, *FOLDERS.values(), OTHER}
    return OTHER if is_taken or not _is_slug(kind) else kind


def _is_slug(text: str) -> bool:
    try:
        return parse_slug(text) == text
    except LwcError:
        return False


def source_path(source_id: int, path: str) -> str:
    """The file of a source, whose path was `path`. The id makes it one of its own."""
    return f"raw/sources/{source_id}--{source_name(path)}"


def source_name(path: str) -> str:
    """The last part of a path with letters, digits, `.`, `-` and `_` kept; one `-` for the rest."""
    last = composed(path.rpartition("/")[2])
    kept = "".join(char if _is_kept(char) else " " for char in last)
    name = "-".join(kept.split()).strip("-.")
    if not name:
        return "source.txt"
    stem, dot, suffix = name.rpartition(".")
    if not dot or len(suffix) > _SUFFIX_MOST:
        stem, suffix = name, "txt" if not dot else ""
    tail = f".{suffix}" if suffix else ""
    return _cut(stem, chars=NAME_CHARS - len(tail), size=NAME_BYTES - len(tail.encode())) + tail


def _is_kept(char: str) -> bool:
    if char.isascii():
        return char.isalnum() or char in _KEPT
    category = unicodedata.category(char)
    return (category[0] in "LM" or category == "Nd") and not is_invisible(char)


def _cut(stem: str, *, chars: int, size: int) -> str:
    """The stem, or its beginning, which ends neither inside a character nor at a gap."""
    kept = stem[:chars].encode()[:size].decode("utf-8", "ignore")
    return kept if kept == stem else kept.rstrip("-.")
