"""A wiki in which nothing is wrong, and pages that are in order but for what a test spoils."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ingesting import AGENT, a_source, analyzed
from page_makers import put

from lwc.services import completion
from lwc.services.completion import Waivers
from lwc.wiki import Wiki, open_wiki

TEXT = "Only one writer can hold the lock at any moment. Everything else has to wait. "
QUOTE = "Only one writer can hold the lock at any moment."


def tidy_up(folder: Path) -> None:
    """Fill an empty wiki with a source, ingested into its page and a concept."""
    with open_wiki(folder, environ={"HOME": str(folder / "nobody")}) as wiki:
        source_id = a_source(wiki, TEXT)
        held = analyzed(wiki, source_id)
        write(wiki, "notes", kind="source")
        write(wiki, "locks")
        completion.complete(wiki, AGENT, source_id, waivers=Waivers(), token=held.token)


def body(quote: str = QUOTE, *, more: str = "") -> str:
    text = f"One writer.[^c1]\n\nSee [[notes]] and [[locks]].[^c1]\n{more}"
    return f'{text}\n[^c1]: source:1 "{quote}"\n'


def write(wiki: Wiki, slug: str = "locks", text: str | None = None, **fields: Any) -> None:
    """Write a page that is in order but for what is said otherwise."""
    given: dict[str, Any] = {
        "title": slug.title(),
        "summary": f"What {slug} are.",
        "source_ids": (1,),
        **fields,
    }
    put(wiki, slug, body() if text is None else text, **given)


def linked(wiki: Wiki, slug: str, text: str | None = None, **fields: Any) -> None:
    """A further page, to which another one leads."""
    write(wiki, slug, text, **fields)
    write(wiki, "locks", body(more=f"\nSee [[{slug}]].[^c1]\n"))


def uncite(wiki: Wiki, slug: str, **fields: Any) -> None:
    """Write the page again without what it rested on."""
    text = "See [[notes]] and [[locks]].\n"
    write(wiki, slug, text, source_ids=(), provenance=("hypothesis",), **fields)


def page_id(wiki: Wiki, slug: str) -> int:
    with wiki.reading() as conn:
        found = conn.exec_driver_sql("SELECT id FROM pages WHERE slug = ?", (slug,))
        return int(found.scalar_one())
