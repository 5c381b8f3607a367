"""What became of the graph when something changed, as the machine interface tells it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphState:
    """lwc answers questions about the graph from the wiki itself: there is nothing to update."""

    engine: str = "disabled"
    status: str = "disabled"
    invalidated_semantic_relations: int = 0
    document_duration_ms: int = 0
    queue_duration_ms: int = 0
