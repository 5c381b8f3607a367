"""What may come next on a command line that is being typed, for the shells' completion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lwc.cli.commands import GROUPS, find, members
from lwc.cli.menu import groups

if TYPE_CHECKING:
    from lwc.cli.commands import Row, Table

    Build = Callable[[Row], Any]
    Candidate = tuple[str, str]

COMMON = (
    ("--scope", "which wiki"),
    ("--output", "json or text"),
    ("--help", "print help"),
    ("--version", "print the version"),
)
CHOICES = {"--scope": ("project", "global", "all"), "--output": ("json", "text")}


def answer(words: Sequence[str], *, table: Table, build: Build) -> str:
    """Lines of `candidate<TAB>help` for the last of the words, which may be empty.

    No line means that the shell should offer file names.
    """
    *before, typed = _joined(words) or [""]
    front = ""
    if typed.startswith("-") and "=" in typed:
        option, _, typed = typed.partition("=")
        before, front = [*before, option], f"{option}="
    found = [pair for pair in _offered(before, table, build, typed) if pair[0].startswith(typed)]
    return "".join(f"{front}{value}\t{' '.join(words_.split())}\n" for value, words_ in found)


def _joined(words: Sequence[str]) -> list[str]:
    """The words, an `--option=value` that bash hands out in three taken as two."""
    taken = [word for word in words if word != "="]
    return taken if not words or words[-1] != "=" else [*taken, ""]


def _offered(before: Sequence[str], table: Table, build: Build, typed: str) -> list[Candidate]:
    named: list[str] = []
    rest = list(before)
    while rest:
        word = rest.pop(0)
        if word in CHOICES:
            if not rest:
                return [(choice, "") for choice in CHOICES[word]]
            rest.pop(0)
        elif not word.startswith("-"):
            named.append(word)
        row = find(" ".join(named), table)
        if row is not None:
            return _options(build(row), rest, typed)
    if typed.startswith("-"):
        return list(COMMON)
    return _words(named, table)


def _words(named: Sequence[str], table: Table) -> list[Candidate]:
    if named:
        return [(row[0].partition(" ")[2], row[3]) for row in members(" ".join(named), table)]
    alone = [(row[0], row[3]) for row in table if " " not in row[0]]
    return [*((group, GROUPS.get(group, "")) for group in groups(table)), *alone]


def _options(built: Any, before: Sequence[str], typed: str) -> list[Candidate]:
    """A command's options, or the values of the option or argument that is being typed."""
    options = {
        name: parameter
        for parameter in built.params
        if parameter.param_type_name == "option"
        for name in parameter.opts
    }
    last = options.get(before[-1]) if before else None
    if last is not None and not last.is_flag:
        return [(choice, "") for choice in _choices(last)]
    if typed.startswith("-"):
        return [
            (name, parameter.help or "")
            for name, parameter in options.items()
            if name.startswith("--") and (parameter.multiple or name not in before)
        ]
    arguments = [item for item in built.params if item.param_type_name == "argument"]
    return [(choice, "") for argument in arguments for choice in _choices(argument)]


def _choices(parameter: Any) -> Sequence[str]:
    return tuple(getattr(parameter.type, "choices", ()))
