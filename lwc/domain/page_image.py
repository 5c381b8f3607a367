"""All that one revision of a page is: what was given, what its text holds, how its quotes stand."""

from __future__ import annotations

from dataclasses import dataclass

from lwc.domain.citation import CitationState
from lwc.domain.page import content_digest
from lwc.domain.page_notes import Note
from lwc.domain.pagetext import Link


@dataclass(frozen=True, slots=True, kw_only=True)
class PageImage:
    """A page as it will be kept.

    `named_ids` are the sources cited for the page as a whole; `source_ids` has those of its
    footnotes too.
    """

    slug: str
    key: str
    title: str
    kind: str
    summary: str
    body: str
    provenance: tuple[str, ...]
    named_ids: tuple[int, ...]
    links: tuple[Link, ...]
    citations: tuple[CitationState, ...]
    notes: tuple[Note, ...]
    structural: bool

    @property
    def source_ids(self) -> tuple[int, ...]:
        """Every source the page cites, ascending."""
        return tuple(sorted({*self.named_ids, *(cited.source_id for cited in self.citations)}))

    @property
    def digest(self) -> str:
        """Equal for equal content."""
        return content_digest(
            title=self.title,
            kind=self.kind,
            summary=self.summary,
            body=self.body,
            provenance=self.provenance,
            source_ids=self.source_ids,
            named_ids=self.named_ids,
            links=(link.target for link in self.links),
        )
