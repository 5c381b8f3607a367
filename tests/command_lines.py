"""Command lines as texts show them: found in hints, Markdown and help, and parsed as they stand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from lwc.cli import app
from lwc.cli.app import PageAsked, Parsed
from lwc.cli.commands import find, members

# Words that stand for a number in an example; any other placeholder may be taken as it is.
NUMBERS = re.compile(r"\b(?:ID|N|M)\b")
BLOCK = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
IN_LINE = re.compile(r"`(?:\$ )?(lwc(?: [^`\n]+)?)`")
SHELLS = ("bash", "console", "sh", "shell")
TOGETHER = re.compile(r" (?:\||\|\||&&) ")
VARIABLE = re.compile(r"^(?:[A-Z_]+=\S* )+")


def parsed(line: str) -> Parsed | None:
    """The command a line means; none when it asks for help or only names a command."""
    words = shlex.split(NUMBERS.sub("1", line), comments=True)
    assert words[0] == "lwc", line
    if len(words) == 1 or words[1] in ("--help", "--version") or is_name(" ".join(words[1:])):
        return None
    try:
        return app.parse(words[1:])
    except PageAsked:
        return None


def is_name(words: str) -> bool:
    """Whether a text only names a command, or a group of them, without typing it."""
    return find(words) is not None or bool(members(words))


def in_backticks(text: str) -> Iterator[str]:
    """`lwc …` as a sentence names it."""
    yield from IN_LINE.findall(text)


def in_blocks(markdown: str) -> Iterator[str]:
    """The lwc commands of the shell blocks: of those with a prompt the typed lines, else all."""
    for indent, language, block in BLOCK.findall(markdown):
        if language not in SHELLS:
            continue
        lines = [line.removeprefix(indent) for line in joined(block).splitlines()]
        if any(line.startswith("$ ") for line in lines):
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        for line in lines:
            for part in TOGETHER.split(VARIABLE.sub("", line)):
                if part.startswith("lwc"):
                    yield part.split(" > ")[0].split(" < ")[0]


def joined(block: str) -> str:
    """Lines that end with a backslash, put together."""
    return re.sub(r"\\\n\s*", "", block)
