"""One command line run: find the command, import only it, call it, print what it answers.

This is the front door behind `lwc.__main__`, and the one place that imports late on purpose.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lwc.cli import menu, output
from lwc.cli.commands import COMMANDS, find, members
from lwc.cli.interruption import Terminated, interruptible
from lwc.errors import (
    INCOMPLETE_COMMAND,
    INTERNAL_ERROR,
    INTERRUPTED,
    UNKNOWN_COMMAND,
    USAGE_ERROR,
    LwcError,
    Typed,
)

if TYPE_CHECKING:
    import typer

    from lwc.cli.commands import Row, Table
    from lwc.cli.context import Context
    from lwc.cli.options import Command
    from lwc.cli.output import Mode
    from lwc.wiki import Call, Wiki

HELP = ("--help", "-h")
# Options that take a value, and may stand before the command's words as well as behind them.
VALUED = ("--scope", "--output", "--changeset", "--agent", "--request-id")
# Asked by the scripts that `lwc completion` prints.
COMPLETE = "__complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A command line that is well formed: the command, and its options' and arguments' values."""

    name: str
    declared: Command
    values: Mapping[str, Any]


class PageAsked(Exception):
    """The words ask for a page of help instead of a command."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


def run(argv: Sequence[str], *, table: Table = COMMANDS) -> int:
    """Run a command line and answer its exit status; nothing is left behind in the process."""
    _fill_descriptors()
    mode = _wanted_mode(argv, os.environ)
    context: Context | None = None
    try:
        with interruptible():
            if argv and argv[0] == COMPLETE:
                return _complete(argv[1:], table)
            parsed = parse(argv, table=table)
            context = _context(parsed, os.environ)
            mode = context.output
            with context:
                answer = parsed.declared.function(context, **parsed.declared.own(parsed.values))
                context.answered = True
            return output.reply(answer, mode, committed=context.committed)
    except PageAsked as asked:
        return output.say(asked.text)
    except LwcError as error:
        return output.refuse(error, mode)
    except (KeyboardInterrupt, Terminated) as stop:
        number = signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT
        committed = context.committed if context else False
        output.refuse(INTERRUPTED(signal=number.name, committed=committed), mode)
        return 128 + number
    except Exception as error:
        if context.verbose if context else _is_verbose(argv):
            output.trace()
        committed = context.committed if context else False
        return output.refuse(INTERNAL_ERROR(kind=type(error).__name__, committed=committed), mode)


def parse(argv: Sequence[str], *, table: Table = COMMANDS) -> Parsed:
    """Read a command line without acting on it; what is wrong with it is a `usage_error`."""
    row, words = _resolve(argv, table)
    declared = load(row)
    import typer

    from lwc.cli.options import HelpAsked

    built = build(row)
    try:
        with built.make_context(f"lwc {row[0]}", words) as context:
            values = built.invoke(context)
    except HelpAsked as asked:
        raise PageAsked(asked.text) from None
    except typer.TyperException as error:
        what = f"{error.format_message().rstrip('.')}."
        raise USAGE_ERROR(what=what, command=Typed(row[0])) from error
    return Parsed(name=row[0], declared=declared, values=values)


def load(row: Row) -> Command:
    """The command of a row, its module imported."""
    declared: Command = getattr(import_module(row[1]), row[2])
    return declared


def build(row: Row) -> typer.core.TyperCommand:
    """The row's command as typer parses it; invoked, it answers the parsed values."""
    import typer
    import typer.main

    declared = load(row)

    def values(**parsed: Any) -> dict[str, Any]:
        return parsed

    signature = declared.signature()
    values.__signature__ = signature  # type: ignore[attr-defined]
    values.__annotations__ = {
        parameter.name: parameter.annotation for parameter in signature.parameters.values()
    }
    values.__doc__ = declared.function.__doc__ or row[3]
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(row[0], options_metavar="[OPTIONS]")(values)
    built = typer.main.get_command(app)
    assert isinstance(built, typer.core.TyperCommand)
    return built


def manual(row: Row) -> str:
    """The page of `lwc COMMAND --help`, as wide as a printed reference."""
    built = build(row)
    with built.make_context(f"lwc {row[0]}", [], resilient_parsing=True, terminal_width=100) as (
        context
    ):
        return built.get_help(context).rstrip() + "\n"


def _resolve(argv: Sequence[str], table: Table) -> tuple[Row, list[str]]:
    """The row that the words name, and what is left for it to parse.

    Options that stand before or between the words of the command are handed to it.
    """
    rest = list(argv)
    front: list[str] = []
    words: list[str] = []
    while rest:
        word = rest.pop(0)
        if word in HELP:
            raise PageAsked(menu.page(words[0], table) if words else menu.front(table))
        if word.startswith("-"):
            front.append(word)
            if word in VALUED and rest:
                front.append(rest.pop(0))
            continue
        words.append(word)
        row = find(" ".join(words), table)
        if row is not None:
            return row, [*front, *rest]
        if not members(" ".join(words), table):
            raise _unknown([*words, *rest[:1]] if len(words) == 1 else words, table)
    if words:
        names = ", ".join(row[0].partition(" ")[2] for row in members(words[0], table))
        what = f"`lwc {words[0]}` needs the word of a command: {names}."
        raise INCOMPLETE_COMMAND(what=what, instead=Typed(f"{words[0]} --help"))
    raise INCOMPLETE_COMMAND(what="No command was given.", instead=Typed("--help"))


def _unknown(words: Sequence[str], table: Table) -> LwcError:
    from difflib import get_close_matches

    names = {row[0]: row[0] for row in table}
    names |= {group: f"{group} --help" for group in menu.groups(table)}
    inside = bool(members(words[0], table))
    near = get_close_matches(" ".join(words), names, n=1)
    if not near and not inside:
        near = get_close_matches(words[0], names, n=1)
    instead = names[near[0]] if near else f"{words[0]} --help" if inside else "--help"
    return UNKNOWN_COMMAND(words=" ".join(words if inside else words[:1]), instead=Typed(instead))


def _context(parsed: Parsed, environ: Mapping[str, str]) -> Context:
    from lwc.cli.context import Context
    from lwc.cli.options import check_place

    values = parsed.values
    scope = values.get("common_scope", "project")
    changeset = values.get("common_changeset")
    if parsed.name.startswith("changeset ") and changeset == environ.get("LWC_CHANGESET"):
        # These name their draft themselves; the variable is for what works on it.
        changeset = None
    check_place(parsed.declared, name=parsed.name, scope=scope, changeset=changeset)
    return Context(
        command=parsed.name,
        values=parsed.declared.own(values),
        mutates=parsed.declared.mutates,
        scope=scope,
        changeset=changeset,
        output=values["common_output"],
        verbose=values["common_verbose"],
        agent=values.get("common_agent"),
        request_id=values.get("common_request_id"),
        if_revision=values.get("common_if_revision"),
        environ=dict(environ),
        open_wiki=_open_wiki,
        make_call=_make_call,
    )


def _open_wiki(*args: Any, **kwargs: Any) -> Wiki:
    from lwc.wiki import open_wiki

    return open_wiki(*args, **kwargs)


def _make_call(**kwargs: Any) -> Call:
    from lwc.wiki import Call

    return Call(**kwargs)


def _complete(words: Sequence[str], table: Table) -> int:
    from lwc.cli import candidates

    return output.say(candidates.answer(words, table=table, build=build))


def _wanted_mode(argv: Sequence[str], environ: Mapping[str, str]) -> Mode | None:
    """The form asked for, before anything is parsed: misuse is told in it, too."""
    wanted = environ.get("LWC_OUTPUT")
    for word, after in zip(argv, [*argv[1:], ""], strict=True):
        if word == "--output":
            wanted = after
        elif word.startswith("--output="):
            wanted = word.partition("=")[2]
    if wanted == "json":
        return "json"
    return "text" if wanted == "text" else None


def _is_verbose(argv: Sequence[str]) -> bool:
    return "-v" in argv or "--verbose" in argv


def _fill_descriptors() -> None:
    # A closed standard descriptor would be given to the next file opened, and then printed to.
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
