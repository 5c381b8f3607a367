"""Sequences of page commands against a plain model: names, texts and counted revisions."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from page_makers import AUTHOR, put
from storefiles import closed_store

from lwc.errors import (
    EDIT_NOT_UNIQUE,
    PAGE_IN_USE,
    PAGE_NOT_FOUND,
    PAGE_REVISION_CONFLICT,
    PAGE_REVISION_NOT_FOUND,
    SLUG_COLLISION,
    SLUG_RENAMED,
    LwcError,
    Problem,
)
from lwc.services import page_moves, page_writes, pages
from lwc.wiki import open_wiki

NAMES = st.sampled_from(["ant", "bee", "cat"])
WORDS = st.sampled_from(["x", "y", "[[ant]]", "[[bee|b]]", "[[cat]] x", "`[[ant]]` y"])


@dataclass
class Modelled:
    """A page that is or was: every text it had; None where it was removed."""

    name: str
    texts: dict[int, str | None] = field(default_factory=dict)
    aliases: set[str] = field(default_factory=set)

    @property
    def revision(self) -> int:
        return max(self.texts)

    @property
    def body(self) -> str:
        return self.texts[self.revision] or ""

    def add(self, body: str | None) -> None:
        self.texts[self.revision + 1] = body


class Pages(RuleBasedStateMachine):
    """Each rule does one command to the wiki and to the model, and expects the same of both."""

    template: Path

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        with closed_store():
            shutil.copytree(self.template, self.folder / ".lwc")
        self.wiki = open_wiki(self.folder, environ={"HOME": str(self.folder / "nobody")})
        self.live: dict[str, Modelled] = {}
        self.gone: dict[str, Modelled] = {}
        self.highest: dict[str, int] = {}

    def teardown(self) -> None:
        self.wiki.close()
        shutil.rmtree(self.folder)

    @rule(name=NAMES, body=WORDS, seen=st.sampled_from([None, None, 0, 1, 2]))
    def put(self, name: str, body: str, seen: int | None) -> None:
        page = self.live.get(name)
        expected: Problem | None = None
        if page is None and self.renamed(name):
            expected = SLUG_RENAMED
        elif seen is not None and seen != (page.revision if page else 0):
            expected = PAGE_REVISION_CONFLICT
        if self.tried(expected, lambda: put(self.wiki, name, body, title="T", if_revision=seen)):
            self.written(name, body)

    @rule(name=NAMES, old=st.sampled_from(["x", "y"]), new=WORDS)
    def patch(self, name: str, old: str, new: str) -> None:
        page = self.live.get(name)
        expected = self.unnamed(name)
        if page is not None and page.body.count(old) != 1:
            expected = EDIT_NOT_UNIQUE
        edits = json.dumps([{"old": old, "new": new}])
        if self.tried(
            expected, lambda: page_writes.patch(self.wiki, AUTHOR, slug=name, edits=edits)
        ):
            assert page is not None
            self.written(name, page.body.replace(old, new))

    @rule(name=NAMES, revision=st.integers(1, 4))
    def restore(self, name: str, revision: int) -> None:
        page = self.live.get(name)
        if page is None and self.renamed(name):
            expected: Problem | None = SLUG_RENAMED
        else:
            page = page or self.gone.get(name)
            expected = None if page else PAGE_NOT_FOUND
        if page is not None and expected is None and revision not in page.texts:
            expected = PAGE_REVISION_NOT_FOUND
        if self.tried(
            expected,
            lambda: page_writes.restore(self.wiki, AUTHOR, slug=name, revision=revision),
        ):
            assert page is not None
            # A revision that says "removed" holds what was removed.
            body = page.texts[revision]
            self.written(name, page.texts[revision - 1] or "" if body is None else body)

    @rule(name=NAMES)
    def remove(self, name: str) -> None:
        page = self.live.get(name)
        expected = self.unnamed(name)
        if page is not None and any(
            names & links_of(other.body)
            for other in self.live.values()
            for names in [{page.name} | page.aliases]
            if other is not page
        ):
            expected = PAGE_IN_USE
        if self.tried(expected, lambda: page_moves.remove(self.wiki, AUTHOR, slug=name)):
            assert page is not None
            page.add(None)
            page.aliases = set()
            self.count(page)
            self.gone[name] = self.live.pop(name)

    @rule(name=NAMES, to=NAMES, at=st.integers(0, 3))
    def rename(self, name: str, to: str, at: int) -> None:
        # Most names lead nowhere in a small wiki: three times out of four one is taken that does.
        name = sorted(self.live)[at % len(self.live)] if self.live and at else name
        page = self.live.get(name)
        expected = self.unnamed(name)
        taken = self.live.get(to) or self.renamed(to)
        if page is not None and taken is not None and taken is not page:
            expected = SLUG_COLLISION
        if not self.tried(expected, lambda: page_moves.rename(self.wiki, AUTHOR, slug=name, to=to)):
            return
        assert page is not None
        if to == name:
            return
        names = {name} | page.aliases
        page.aliases = names - {to}
        page.name = to
        self.live[to] = self.live.pop(name)
        self.gone.pop(name, None)
        self.gone.pop(to, None)
        for other in self.live.values():
            body = relinked(other.body, names, to)
            if other is page:
                page.texts[max(page.revision, self.highest.get(to, 0)) + 1] = body
            elif body != other.body:
                other.add(body)
            self.count(other)

    @invariant()
    def holds(self) -> None:
        listed = {page.slug: page for page in pages.list_(self.wiki).pages}
        assert {name: page.revision for name, page in listed.items()} == {
            name: page.revision for name, page in self.live.items()
        }
        for name, page in self.live.items():
            shown = pages.show(self.wiki, slug=name).page
            assert (shown.body, set(shown.aliases)) == (page.body, page.aliases)
            assert pages.history(self.wiki, slug=name).total == len(page.texts)
            for alias in page.aliases:
                assert pages.show(self.wiki, slug=alias).page.slug == name
            led = {
                led.name
                for target in links_of(page.body)
                if (led := self.live.get(target) or self.renamed(target))
            }
            links = pages.links_of(self.wiki, slug=name)
            assert set(links.outgoing) - set(links.missing) == led

    def tried(self, expected: Problem | None, act: Callable[[], object]) -> bool:
        """Whether the command was done; it must be exactly when nothing speaks against it."""
        if expected is None:
            act()
            return True
        with pytest.raises(LwcError) as caught:
            act()
        assert caught.value.problem is expected
        return False

    def unnamed(self, name: str) -> Problem | None:
        """Why this name cannot be changed by; none when a page bears it."""
        if name in self.live:
            return None
        return SLUG_RENAMED if self.renamed(name) else PAGE_NOT_FOUND

    def renamed(self, name: str) -> Modelled | None:
        return next((page for page in self.live.values() if name in page.aliases), None)

    def written(self, name: str, body: str) -> None:
        page = self.live.get(name)
        if page is not None and page.body == body:
            return
        if page is None and name in self.gone:
            page = self.live[name] = self.gone.pop(name)
        if page is None:
            page = self.live[name] = Modelled(name=name)
            page.texts[self.highest.get(name, 0) + 1] = body
        else:
            page.add(body)
        self.count(page)

    def count(self, page: Modelled) -> None:
        self.highest[page.name] = max(self.highest.get(page.name, 0), page.revision)


def links_of(body: str) -> set[str]:
    """The targets of the few ways in which the model's texts link."""
    text = body.replace("`[[ant]]`", "")
    return {name for name in ("ant", "bee", "cat") if f"[[{name}" in text}


def relinked(body: str, names: set[str], to: str) -> str:
    code = "`[[ant]]`"
    parts = body.split(code)
    for name in names:
        parts = [part.replace(f"[[{name}", f"[[{to}\0") for part in parts]
    return code.join(parts).replace("\0", "")


def test_pages_behave_as_a_plain_model_does(empty_store: Path) -> None:
    machine = type("PagesHere", (Pages,), {"template": empty_store})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=25,
            stateful_step_count=20,
            deadline=None,
            # Twenty steps can be read as they are; making them fewer takes minutes.
            phases=(Phase.reuse, Phase.generate),
            suppress_health_check=list(HealthCheck),
        ),
    )
