"""The bench of the machine: a wiki and its model, one step done to both, and what is looked at."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import invariant
from laws import changesets as drafted
from laws import gates, shown, sources
from laws import pages as paged
from laws.layers import Layer, Live, Page, Refused, World
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
SOURCE_WORDS = ("romeo", "sierra", "tango", "uniform")
PATHS = ("notes.md", "other.md")
TEXTS = tuple(
    f"Text {word} says that {word} holds one lock at any moment.\n" for word in SOURCE_WORDS
)
# The services are asked so often, every layer in turn; rows are compared after every step.
LOOKS = 8

Act = Callable[[Wiki, Call], Any]
T = TypeVar("T")


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
        self.acted_in: str | None = None
        # What the step draws from, while one is done.
        self.data: st.DataObject | None = None

    def teardown(self) -> None:
        try:
            if sys.exc_info()[0] is not None:
                return  # The step that failed has said what is wrong.
            for layer in self.world.layers:
                self.compared(layer)
                self.asked(layer, self.world.now)
            shown.leaves_nothing(self.wiki(None), self.world)
            if self.world.now % 4 == 0:
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
        if_revision: int | None = None,
    ) -> tuple[Any, Any]:
        """The command's answer and the model's, or none of both when it is refused."""
        self.world.now += 1
        at = self.world.now
        call = Call(
            agent=agent, request_id=f"at-{at}", arguments={"at": at}, if_revision=if_revision
        )
        wiki, self.acted_in = self.wiki(layer.name), layer.name
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
            gates.check_told(refused.facts, found.details)

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

    # What a step is about: mostly what is there and fits.

    def pick(self, label: str, options: Iterable[T]) -> T:
        """One of these; what stands there twice is picked twice as often."""
        assert self.data is not None, "a history is drawing"
        return self.data.draw(st.sampled_from(list(options)), label=label)

    def somewhere(self) -> Layer:
        """What is live, or more often a draft."""
        drafts = [*self.world.drafts.values()]
        chosen: Iterable[Layer] = [self.world.live, self.world.live, *drafts, *drafts]
        layers: dict[str, Layer] = {layer.name or "live": layer for layer in self.world.layers}
        return layers[self.pick("in", [layer.name or "live" for layer in chosen])]

    def draft(self) -> str:
        here = [*self.world.drafts]
        full = [name for name, draft in self.world.drafts.items() if draft.staged]
        return self.pick("draft", [*here * 2, *full * 6, *NAMES])

    def slug(self, layer: Layer) -> str:
        here = sorted(page.slug for page in layer.of("page").values())
        return self.pick("slug", [*here * 3, *SLUGS])

    def source(self, layer: Layer, *states: str) -> int:
        """A source; rather one whose job is in one of these states."""
        here = sorted(layer.of("source"))
        fitting = [key for key in here if (job := layer.job(key)) and job.state in states]
        return self.pick("source", [*here, *fitting * 6, *(1, 2, 3, 4)])

    def revision(self, layer: Layer, slug: str) -> int | None:
        page = paged.at(layer, slug)
        current = 0 if page is None else page.revision
        return self.pick("if_revision", [None] * 3 + [current] * 3 + [current + 1, 1])

    def wiki_revision(self, layer: Layer) -> int | None:
        """The revision of the wiki or the draft as a whole, or one that it is not at."""
        current = layer.ops if isinstance(layer, Live) else layer.revision
        return self.pick("if_revision", [None] * 3 + [current] * 3 + [current + 1])

    def caller(self, source: int) -> Caller:
        """Mostly who holds the job, by token or by name."""
        job = self.world.live.jobs.get(source)
        callers = {
            "a stranger": Caller(agent="cyd"),
            "ann": Caller(agent="ann"),
            "by a wrong token": Caller(agent="bob", token="no such token"),
        }
        holding = []
        if job is not None and job.agent is not None:
            callers |= {
                "the holder": Caller(agent=job.agent),
                "by its token": Caller(agent="cyd", token=job.token),
            }
            holding = ["the holder", "by its token"] * 5
        return callers[self.pick("caller", [*holding, *callers])]

    def image(self, layer: Layer, slug: str) -> Page:
        """A page to be written."""
        there = sorted(layer.of("source"))
        links = sorted(page.slug for page in layer.of("page").values())
        wanted = [key for key in there if (job := layer.job(key)) and job.state == "generating"]
        parts = [f"It is {word}." for word in WORDS] * 2 + ["A `[[ant]]` in code."]
        parts += [f"See [[{name}]]." for name in (*links, *links, *links, *SLUGS)]
        for source in (*there, *there, *wanted * 8, 1, 2, 3, 4):
            text = self.world.live.texts.get(source, TEXTS[0]).strip()
            for quote in (*(text,) * 5, "Nobody ever wrote this sentence down."):
                parts.append(f'Says so.[^s]\n\n[^s]: source:{source} "{quote}"')
        body = [self.pick("part", parts) for _ in range(self.pick("parts", [1, 2, 2]))]
        named = self.pick("named", [(), (), (), *((one,) for one in (*there, *wanted * 4))])
        return Page(
            id=0,
            slug=slug,
            title=self.pick("title", [slug.title(), "Zulu"]),
            kind=self.pick("kind", ["source", "concept"]),
            body="\n\n".join(numbered(body)),
            named=frozenset(named),
        )

    # What is looked at.

    @invariant()
    def holds(self) -> None:
        """What was acted on and what is live after every step, everything every few steps."""
        self.looked += 1
        whole = self.looked % LOOKS == 0
        layers = self.world.layers
        for layer in layers:
            if whole or layer.name in (None, self.acted_in):
                self.compared(layer)
        if whole:
            turn = self.looked // LOOKS
            self.asked(layers[turn % len(layers)], self.world.now)
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

    def asked(self, layer: Layer, turn: int) -> None:
        """Through the services, of each thing in its turn."""
        of = shown.Asked(
            slug=SLUGS[turn % len(SLUGS)],
            page_word=(*WORDS, *SOURCE_WORDS)[turn % 8],
            source_word=SOURCE_WORDS[turn % 4],
        )
        shown.answers(self.wiki(layer.name), layer, of)


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
