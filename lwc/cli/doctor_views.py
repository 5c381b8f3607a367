"""What a doctor found, for a person at a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from lwc import wire
from lwc.cli.finding_views import COLOURS
from lwc.cli.line_views import Indented, Prose, flat


def examined(answer: Any) -> RenderableType:
    """Whether the wiki is sound, each finding with what helps, and what was made anew."""
    blocks = [diagnosis(finding) for finding in answer.findings]
    verdict = Text("The wiki is sound." if answer.sound else "The wiki is not sound.")
    verdict.stylize("green" if answer.sound else "bold red")
    levels = [f"{count} {level}" for level, count in answer.severities.items() if count]
    verdict.append(f"  {', '.join(levels)}" if levels else "", "dim")
    more = f"; more with --offset {answer.offset + answer.limit}" if answer.has_more else ""
    told = Text(f"{len(answer.findings)} of {answer.total} findings{more}", "dim")
    mended = [Text(f"{answer.repaired_total} made anew", "green")] if answer.repaired_total else []
    return Group(*blocks, *mended, verdict, told)


def diagnosis(finding: Any) -> RenderableType:
    """One finding: of what, what is so, what helps."""
    head = Text().append(finding.severity, COLOURS[finding.severity])
    head.append(f"  {finding.code}", "bold")
    head.append(f"  {flat(finding.entity)} {flat(finding.key)}", "green")
    said = Prose(Text(wire.visible(finding.message)))
    hint = Prose(Text(wire.visible(finding.hint), "dim"))
    return Group(Prose(head, hang=2), Indented(content=Group(said, hint)))
