"""One job of the demo, done as a host agent would: claimed, read, analysed and written up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lwc.demo import agent, prose
from lwc.demo.commands import Refused, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What became of one job."""

    source_id: int
    title: str
    windows: int
    state: str
    pages: tuple[str, ...]
    words: str


def one_job(run: Run) -> Done | None:
    """Claim the next job and bring it to an end; none when the queue is empty."""
    packet = run("ingest", "next", "--agent", "demo")
    if packet["job"] is None:
        return None
    source = packet["job"]["source"]
    windows = list(_windows(run, packet))
    try:
        return _ingest(run, packet, "".join(windows), len(windows))
    except Refused as refused:
        # A refusal is a fact about the document; the job ends as failed and says why.
        message = f"{refused.error['code']}: {refused.error['message']}"
        return _fail(run, source, len(windows), message)


def _windows(run: Run, packet: Any) -> Iterator[str]:
    """Every window of the source, the packet's first; each is recorded as delivered."""
    job = packet["job"]
    yield job["source"]["content"]
    more = job["source_window"]["has_more"]
    while more:
        read = run("ingest", "read", str(job["source"]["id"]), *_held(packet))
        yield read["source"]["content"]
        more = read["remaining_chars"] > 0


def _held(packet: Any) -> tuple[str, ...]:
    return ("--token", packet["job"]["claim"]["token"], "--agent", "demo")


def _ingest(run: Run, packet: Any, text: str, windows: int) -> Done:
    source = packet["job"]["source"]
    number = str(source["id"])
    found = prose.read(text, fallback=source["title"])
    if not found.sentences:
        return _fail(run, source, windows, "no sentence in it that is worth quoting")
    known = {page["slug"] for page in packet["pages"] if page["kind"] == "concept"}
    concepts = agent.concepts_of(found, known, shared=lambda word: _is_shared(run, word))
    held = _held(packet)
    run("ingest", "analyze", number, *held, "--file", "-", stdin=agent.analysis(found, concepts))
    drafts = [agent.source_page(source["id"], found, concepts)]
    for word in concepts:
        shown = _body(run, word)
        drafted = agent.concept_page(word, source["id"], found, shown and shown["body"])
        if drafted is not None:
            drafts.append(drafted)
    for draft in drafts:
        _put(run, draft)
    reason = (
        ()
        if len(drafts) > 1
        else (
            "--no-derived-pages-reason",
            "no word of it makes a page" if not concepts else "the pages of its words are full",
        )
    )
    run("ingest", "complete", number, *held, *reason)
    return Done(
        source_id=source["id"],
        title=source["title"],
        windows=windows,
        state="completed",
        pages=tuple(draft.slug for draft in drafts),
        words="",
    )


def _is_shared(run: Run, word: str) -> bool:
    """Whether more than one document has a word, as the wiki's own search finds it."""
    return bool(run("search", word, "--type", "source", "--limit", "1")["total"] > 1)


def _body(run: Run, slug: str) -> Any:
    try:
        return run("page", "show", slug)["page"]
    except Refused as refused:
        if refused.error["code"] == "page_not_found":
            return None
        raise


def _put(run: Run, draft: agent.Draft) -> None:
    """Write a page against what was just read of it, keeping the sources it already cites."""
    shown = _body(run, draft.slug)
    cited = {draft.source_id, *(shown["source_ids"] if shown else ())}
    run(
        "page",
        "put",
        draft.slug,
        *("--title", draft.title, "--kind", draft.kind, "--summary", draft.summary),
        *(word for source in sorted(cited) for word in ("--source", str(source))),
        *("--if-revision", str(shown["revision"] if shown else 0), "--agent", "demo"),
        *("--file", "-"),
        stdin=draft.body,
    )


def _fail(run: Run, source: Any, windows: int, message: str) -> Done:
    run("ingest", "fail", str(source["id"]), "--agent", "demo", "--message", message)
    return Done(
        source_id=source["id"],
        title=source["title"],
        windows=windows,
        state="failed",
        pages=(),
        words=message,
    )
