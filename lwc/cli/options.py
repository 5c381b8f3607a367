"""What makes a function a command: `@command`, the options all commands have, its signature.

A command module imports all it needs of the command line from here.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from lwc.cli.commands import STAGED_GROUPS
from lwc.cli.context import Context
from lwc.cli.output import Verbatim, progress
from lwc.cli.parameters import (
    ClaimToken,
    InputFile,
    Limit,
    Offset,
    PageRevision,
    PageSlug,
    Secret,
    SourceId,
    SourceIds,
    TextArgument,
    TextFile,
    bounded,
    offset,
    revision_id,
    source_id,
)
from lwc.domain import changeset as changesets
from lwc.errors import CHANGESET_COMMAND_UNSUPPORTED, SCOPE_NOT_SUPPORTED, Typed

__all__ = [
    "ClaimToken",
    "Command",
    "Context",
    "InputFile",
    "Limit",
    "Offset",
    "PageRevision",
    "PageSlug",
    "Secret",
    "SourceId",
    "SourceIds",
    "TextArgument",
    "TextFile",
    "Verbatim",
    "bounded",
    "command",
    "offset",
    "progress",
    "revision_id",
    "source_id",
]


NOT_CONTENT = "it is not about what stands in the wiki"


class HelpAsked(Exception):
    """Somebody asked for help instead of a command; `text` is the page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A function with what the front door must know to call it."""

    function: Callable[..., Any]
    mutates: bool
    merges: bool
    has_wiki: bool
    revision_option: str

    def signature(self) -> inspect.Signature:
        """The function's own parameters and the options it has like all others, for typer."""
        own = [
            inspect.Parameter(
                parameter.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=parameter.default,
                annotation=_for_typer(hint),
            )
            for parameter, hint in self._parameters()
        ]
        common = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
            )
            for name, (annotation, default) in self._common().items()
        ]
        return inspect.Signature([*own, *common])

    def own(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Of parsed values, those the function takes; lists as the tuples it declared."""
        return {
            parameter.name: tuple(value) if _is_tuple(hint) else value
            for parameter, hint in self._parameters()
            for value in (values[parameter.name],)
        }

    def _parameters(self) -> list[tuple[inspect.Parameter, Any]]:
        hints = typing.get_type_hints(self.function, include_extras=True)
        _, *own = inspect.signature(self.function).parameters.values()
        return [(parameter, hints[parameter.name]) for parameter in own]

    def _common(self) -> dict[str, tuple[Any, Any]]:
        options = dict(_OF_ALL)
        if self.has_wiki:
            options |= _OF_A_WIKI
        if self.mutates:
            options |= _OF_A_CHANGE
            options["common_if_revision"] = (_if_revision(self.revision_option), None)
        return {**options, **_HELP}


def command(
    *,
    mutates: bool = False,
    merges: bool = False,
    has_wiki: bool = True,
    revision_option: str = "--if-revision",
) -> Callable[[Callable[..., Any]], Command]:
    """Declare a command: `@command(mutates=True)` over `def put(ctx: Context, slug: …) -> Answer`.

    `mutates` adds --agent, --request-id and `revision_option` (the wiki's revision); `merges`
    allows --scope all; `has_wiki=False` is for commands that work without one.
    """

    def declare(function: Callable[..., Any]) -> Command:
        return Command(
            function=function,
            mutates=mutates,
            merges=merges,
            has_wiki=has_wiki,
            revision_option=revision_option,
        )

    return declare


def check_place(declared: Command, *, name: str, scope: str, changeset: str | None) -> None:
    """Refuse a scope or a changeset that this command cannot work in."""
    if scope == "all" and (changeset is not None or not declared.merges):
        raise SCOPE_NOT_SUPPORTED(command=name)
    if changeset is None:
        return
    changesets.parse_name(changeset)
    if name.partition(" ")[0] not in STAGED_GROUPS:
        raise CHANGESET_COMMAND_UNSUPPORTED(command=Typed(name), why=NOT_CONTENT)


def _show_help(context: typer.Context, value: bool) -> None:
    if value and not context.resilient_parsing:
        raise HelpAsked(context.get_help().rstrip() + "\n")


def _if_revision(option: str) -> Any:
    return Annotated[
        int | None,
        typer.Option(
            option,
            parser=revision_id,
            metavar="N",
            help="Only if the wiki is still at this revision.",
        ),
    ]


_OF_A_WIKI: Mapping[str, tuple[Any, Any]] = {
    "common_scope": (
        Annotated[
            Literal["project", "global", "all"],
            typer.Option("--scope", help="Which wiki."),
        ],
        "project",
    ),
    "common_changeset": (
        Annotated[
            str | None,
            typer.Option(
                "--changeset",
                metavar="NAME",
                envvar="LWC_CHANGESET",
                help="The draft to work on, instead of the live wiki.",
            ),
        ],
        None,
    ),
}
_OF_A_CHANGE: Mapping[str, tuple[Any, Any]] = {
    "common_agent": (
        Annotated[
            str | None,
            typer.Option("--agent", metavar="NAME", envvar="LWC_AGENT", help="Who works."),
        ],
        None,
    ),
    "common_request_id": (
        Annotated[
            str | None,
            typer.Option(
                "--request-id",
                metavar="ID",
                help="The same id never acts twice: repeat the command to ask what became of it.",
            ),
        ],
        None,
    ),
}
_OF_ALL: Mapping[str, tuple[Any, Any]] = {
    "common_output": (
        Annotated[
            Literal["json", "text"] | None,
            typer.Option(
                "--output",
                envvar="LWC_OUTPUT",
                help="The form of the answer; text at a terminal, otherwise json.",
            ),
        ],
        None,
    ),
    "common_verbose": (
        Annotated[bool, typer.Option("--verbose", "-v", help="Say more on standard error.")],
        False,
    ),
}
_HELP: Mapping[str, tuple[Any, Any]] = {
    "common_help": (
        Annotated[
            bool,
            typer.Option("--help", "-h", is_eager=True, callback=_show_help, help="Print this."),
        ],
        False,
    ),
}


def _is_tuple(hint: Any) -> bool:
    return typing.get_origin(_bare(hint)) is tuple


def _for_typer(hint: Any) -> Any:
    """`tuple[X, ...]`, which is how a command says "repeatable", as the `list[X]` typer knows."""
    if not _is_tuple(hint):
        return hint
    item, _ = typing.get_args(_bare(hint))
    extras = getattr(hint, "__metadata__", ())
    return Annotated[(list[item], *extras)] if extras else list[item]  # type: ignore[valid-type]


def _bare(hint: Any) -> Any:
    return typing.get_args(hint)[0] if typing.get_origin(hint) is Annotated else hint
