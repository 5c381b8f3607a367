"""The bench of the machine: a wiki and its model, one step done to both, and what is looked at."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant
from laws import changesets as drafted
from laws import pages as paged
from laws import shown, sources
from laws.layers import Layer, Page, Refused, World
from laws.sources import Caller
from storefiles import closed_store

from lwc import clock
from lwc.errors import REQUEST_ID_REUSED, LwcError
from lwc.services import changesets, charter, configuration, doctor, page_writes, source_writes
from lwc.wiki import Call, Wiki, open_wiki

EPOCH = datetime(2026, 11, 30, tzinfo=UTC)
NAMES = ("red", "green", "blue")
SLUGS = ("ant", "bee", "cat", "dog", "elk")
AGENTS = ("ann", "bob")
WORDS = ("zulu", "yankee", "xray", "whisky")
PATHS = ("notes.md", "other.md")
TEXTS = tuple(
    f"Text {word} says that {word} holds one lock at any moment.\n"
    for word in ("romeo", "sierra", "tango", "uniform")
)
# The services are asked so often, every layer in turn; rows are compared after every step.
LOOKS = 4

Act = Callable[[Wiki, Call], Any]


@dataclass(frozen=True)
class Template:
    """A closed wiki to be copied, and the model of it."""

    store: Path
    world: World


class Bench:
    """Does each step to the wiki and to the model, and expects the same of both."""

    def __init__(self, template: Template) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        with closed_store():
            shutil.copytree(template.store, self.folder / ".lwc")
        self.world = deepcopy(template.world)
        self.clock, clock.now = clock.now, lambda: EPOCH + timedelta(seconds=self.world.now)
        self.wikis: dict[str | None, Wiki] = {}
        self.seen: dict[tuple[int, int], Any] = {}
        self.last: tuple[Act, Call] | None = None
        self.looked = 0

    def teardown(self) -> None:
        try:
            for layer in self.world.layers:
                self.asked(layer)
            assert doctor.examine(self.wiki(None)).findings == ()
        finally:
            self.cleared()

    def cleared(self) -> None:
        self.close()
        clock.now = self.clock
        shutil.rmtree(self.folder)

    def furnish(self) -> None:
        """Two sources, three pages, a draft: a machine that begins with nothing does little."""
        live = self.world.live
        configuration.put(self.wiki(None), Call(), values={"projection": "off"})
        live.ops = self.wiki(None).revision()
        for name in ("schema", "purpose"):
            live.put("charter", name, ((1, charter.show(self.wiki(None), name).text),))
        for path, text in zip(PATHS, TEXTS, strict=False):
            self.add(live, path, text)
        quote = f'Says so.[^a]\n\n[^a]: source:1 "{TEXTS[0].strip()}"'
        self.put(live, Page(id=0, slug="ant", title="Ant", kind="source", body=quote))
        self.put(live, Page(id=0, slug="bee", title="Bee", kind="concept", body="See [[ant]]."))
        self.put(live, Page(id=0, slug="cat", title="Cat", kind="concept", body="It is zulu."))
        self.begin("red")

    def put(self, layer: Layer, image: Page, *, if_revision: int | None = None) -> None:
        self.both(
            layer,
            lambda wiki, call: page_writes.put(
                wiki,
                call,
                slug=image.slug,
                title=image.title,
                kind=image.kind,
                body=image.body,
                source_ids=tuple(image.named),
                if_revision=if_revision,
            ),
            lambda: paged.put(layer, image, if_revision=if_revision),
        )

    def add(self, layer: Layer, path: str, text: str) -> None:
        (self.folder / path).write_text(text, encoding="utf-8")
        answer, source = self.both(
            layer,
            lambda wiki, call: source_writes.add(wiki, call, path=path, base=self.folder),
            lambda: sources.add(self.world, layer, path, text),
        )
        assert answer.source.id == source

    def begin(self, name: str) -> None:
        begun, draft = self.both(
            self.world.live,
            lambda wiki, call: changesets.draft(wiki, call, name=name),
            lambda: drafted.begin(self.world, name),
        )
        if begun is not None:
            draft.id = begun.changeset_id

    def both(
        self,
        layer: Layer,
        act: Act,
        foresee: Callable[[], Any],
        *,
        agent: str = "ann",
        repeatable: bool = True,
    ) -> tuple[Any, Any]:
        """The command's answer and the model's, or none of both when it is refused."""
        self.world.now += 1
        at = self.world.now
        call = Call(agent=agent, request_id=f"at-{at}", arguments={"at": at})
        wiki = self.wiki(layer.name)
        try:
            told = foresee()
        except Refused as refused:
            self.say(f"  in {layer.name or 'live'}, at {at}: {refused.problem.name}")
            self.refused(refused, lambda: act(wiki, call))
            return None, None
        self.say(f"  in {layer.name or 'live'}, at {at}: done")
        if repeatable:
            self.last = act, call
        return act(wiki, call), told

    def say(self, line: str) -> None:
        """What came of a step, for whoever reads a history."""

    def refused(self, refused: Refused, act: Callable[[], Any]) -> None:
        """The command must be refused for the reason that the model has."""
        try:
            answer = act()
        except LwcError as error:
            found = error
        else:
            raise AssertionError(f"{refused.problem.name} ({refused.facts}) expected: {answer}")
        assert found.problem is refused.problem, (found.problem, refused.problem, found.details)
        if refused.facts is not None:
            drafted.check_told(refused.facts, found.details)

    def repeat(self) -> None:
        """The same request again does nothing; its id for another one is refused."""
        if self.last is None:
            return
        act, call = self.last
        assert act(self.wiki(None), call).replayed
        other = Call(agent=call.agent, request_id=call.request_id, arguments={"other": 1})
        self.refused(Refused(REQUEST_ID_REUSED), lambda: act(self.wiki(None), other))

    def wiki(self, name: str | None) -> Wiki:
        """The wiki, or a draft of it, opened."""
        if name not in self.wikis:
            home = {"HOME": str(self.folder / "nobody")}
            self.wikis[name] = open_wiki(self.folder, environ=home, changeset=name)
        return self.wikis[name]

    def close(self, *names: str | None) -> None:
        for name in names or tuple(self.wikis):
            if name in self.wikis:
                self.wikis.pop(name).close()

    # What a step is about: mostly what is there.

    def somewhere(self, data: st.DataObject) -> Layer:
        """What is live, or a draft."""
        layers = self.world.layers
        at = data.draw(st.integers(0, 2 * len(layers) - 2), label="layer")
        return layers[(at + 1) // 2]

    def draft(self, data: st.DataObject) -> str:
        here = [*self.world.drafts]
        return str(data.draw(st.sampled_from([*here, *here, *here, *NAMES]), label="draft"))

    def slug(self, data: st.DataObject, layer: Layer) -> str:
        here = sorted(page.slug for page in layer.of("page").values())
        return str(data.draw(st.sampled_from([*here, *here, *SLUGS]), label="slug"))

    def source(self, data: st.DataObject, layer: Layer) -> int:
        here = sorted(layer.of("source"))
        return int(data.draw(st.sampled_from([*here, *here, *here, 1, 2, 3, 4]), label="source"))

    def revision(self, data: st.DataObject, layer: Layer, slug: str) -> int | None:
        page = paged.at(layer, slug)
        current = 0 if page is None else page.revision
        return data.draw(
            st.sampled_from([None, None, current, current, current + 1, 1]), label="if_revision"
        )

    def caller(self, data: st.DataObject, source: int) -> Caller:
        """Mostly who holds the job, by token or by name."""
        job = self.world.live.jobs.get(source)
        held = [] if job is None or job.agent is None else [Caller(agent=job.agent)] * 2
        if job is not None and job.token is not None:
            held += [Caller(agent="cyd", token=job.token)] * 3
        others = [Caller(agent="ann"), Caller(agent="bob", token="no such token")]
        return data.draw(st.sampled_from([*held, *others]), label="caller")

    def image(self, data: st.DataObject, layer: Layer, slug: str) -> Page:
        """A page to be written."""
        there = sorted(layer.of("source"))
        links = sorted(page.slug for page in layer.of("page").values())
        parts = [*(f"It is {word}." for word in WORDS), "A `[[ant]]` in code."]
        parts += [f"See [[{name}]]." for name in (*links, *links, *SLUGS)]
        for source in (*there, *there, 1, 2, 3, 4):
            text = self.world.live.texts.get(source, TEXTS[0]).strip()
            for quote in (text, text, text, "Nobody ever wrote this sentence down."):
                parts.append(f'Says so.[^s]\n\n[^s]: source:{source} "{quote}"')
        body = data.draw(st.lists(st.sampled_from(parts), min_size=1, max_size=3), label="body")
        named = data.draw(st.sampled_from([(), (), (), *((one,) for one in there)]), label="named")
        return Page(
            id=0,
            slug=slug,
            title=data.draw(st.sampled_from([slug.title(), "Zulu"]), label="title"),
            kind=data.draw(st.sampled_from(["source", "concept"]), label="kind"),
            body="\n\n".join(numbered(body)),
            named=frozenset(named),
        )

    # What is looked at.

    @invariant()
    def holds(self) -> None:
        for layer in self.world.layers:
            self.compared(layer)
        self.looked += 1
        if self.looked % LOOKS == 0:
            layers = self.world.layers
            self.asked(layers[self.looked // LOOKS % len(layers)])
            shown.leaves_nothing(self.wiki(None), self.world)

    def compared(self, layer: Layer) -> None:
        """Row by row."""
        found, foreseen = shown.rows(self.wiki(layer.name)), shown.foreseen(layer)
        for name, there in found.items():
            assert there == foreseen[name], (layer.name, name, there, foreseen[name])
        if layer.name is None:
            for place, was in self.seen.items():
                assert found["revisions"].get(place) == was, f"revision {place} was {was}"
            self.seen = found["revisions"]
            shown.numbers_are_given_once(self.seen)

    def asked(self, layer: Layer) -> None:
        """Through the services."""
        words = (WORDS[self.looked % 4], ("romeo", "sierra", "tango", "uniform")[self.looked % 4])
        shown.answers(self.wiki(layer.name), layer, words)


def numbered(parts: list[str]) -> list[str]:
    """Footnotes of different parts have different labels."""
    return [part.replace("[^s]", f"[^s{at}]") for at, part in enumerate(parts)]


def furnished(empty_store: Path, folder: Path) -> Template:
    """The wiki that every history begins with, made from an empty one."""
    bench = Bench(Template(empty_store, World()))
    try:
        bench.furnish()
        bench.close()
        with closed_store():
            shutil.copytree(bench.folder / ".lwc", folder / ".lwc")
        return Template(folder / ".lwc", deepcopy(bench.world))
    finally:
        bench.cleared()
