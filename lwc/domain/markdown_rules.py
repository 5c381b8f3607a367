"""The Markdown grammar of page bodies: CommonMark, tables, footnotes, wikilinks; linear time."""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, link
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_def

# Token types this parser adds to those of CommonMark.
WIKILINK = "wikilink"
FOOTNOTE_MARK = "footnote_mark"

# Twenty-five lists inside one another; deeper text is left unread.
MOST_NESTING = 50

# The cells that tables may have beyond what is written.
MOST_FILLED = 10_000
_FILLED = "cells filled"

_LABEL = r"\[\^([^\s\[\]^]{1,200})\]"
_MARK = re.compile(_LABEL)
_DEFINITION = re.compile(_LABEL + r":[ \t]*")
_WIKILINK = re.compile(r"\[\[([^\[\]\n`]{1,400})\]\]")
# A slug holds none of these, so neither `[[../x]]` nor `[[javascript:x]]` is a link.
_NEVER_IN_TARGETS = re.compile(r"[/\\:<>\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BRACKET = re.compile(r"[\[\]]")


def parse(body: str) -> list[Token]:
    """The tokens of a body.

    Wikilinks and footnote marks are tokens of their own; they and `link_open` carry their offset in
    the text of their block as `meta["at"]`, a footnote definition its raw text as `meta["text"]`.
    """
    return _parser().parse(body)


@cache
def _parser() -> MarkdownIt:
    parser = _grammar()
    parser.core.ruler.at("inline", _inline)
    return parser


@cache
def _linkless() -> MarkdownIt:
    return _grammar().disable(["link", "image"])


def _grammar() -> MarkdownIt:
    grammar = MarkdownIt("commonmark", {"html": True, "maxNesting": MOST_NESTING})
    grammar.enable("table").disable("text_join")
    footnote_plugin(grammar, inline=False, move_to_end=False)
    grammar.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
    grammar.block.ruler.at("footnote_def", _definition, {"alt": ["paragraph", "reference"]})
    grammar.disable("footnote_ref")  # it looks for the end of a mark from every `[^`; ours does not
    grammar.inline.ruler.before("link", WIKILINK, _wikilink)
    grammar.inline.ruler.before("link", FOOTNOTE_MARK, _mark)
    grammar.inline.ruler.at("link", _link)
    return grammar


def _inline(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline":
            token.children = token.children or []
            grammar = state.md if _links_are_cheap(token.content) else _linkless()
            grammar.inline.parse(token.content, grammar, state.env, token.children)


def _links_are_cheap(text: str) -> bool:
    """Whether looking for links stays linear: markdown-it reads on from each `[` to its `]`."""
    open_at: list[int] = []
    steps = 0
    for bracket in _BRACKET.finditer(text):
        if bracket.group() == "[":
            open_at.append(bracket.start())
        elif open_at:
            steps += bracket.start() - open_at.pop()
    steps += sum(len(text) - start for start in open_at)
    return steps <= 10_000 + 20 * len(text)


def _wikilink(state: StateInline, silent: bool) -> bool:
    found = _WIKILINK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    named, bar, shown = found.group(1).partition("|")
    if bar:
        named = named.removesuffix("\\")  # `[[a\|b]]`: how a table cell has to write it
    target = named.partition("#")[0].strip()
    if not target or _NEVER_IN_TARGETS.search(target):
        return False
    if not silent:
        token = state.push(WIKILINK, "", 0)
        token.content = shown.strip() or named.strip()
        token.meta = {"at": state.pos, "target": target}
    state.pos = found.end()
    return True


def _mark(state: StateInline, silent: bool) -> bool:
    found = _MARK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push(FOOTNOTE_MARK, "", 0).meta = {"at": state.pos, "label": found.group(1)}
    state.pos = found.end()
    return True


def _link(state: StateInline, silent: bool) -> bool:
    start, before = state.pos, len(state.tokens)
    if not link(state, silent):
        return False
    if not silent:
        opened = next(token for token in state.tokens[before:] if token.type == "link_open")
        opened.meta["at"] = start
    return True


def _table(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    # Every row is filled up to the width of the head, which a hostile body makes a thousand: when
    # that has gone on for long, what looks like a table is left a paragraph.
    if state.env.get(_FILLED, 0) > MOST_FILLED:
        return False
    if not table(state, start_line, end_line, silent):
        return False
    if not silent:
        columns = state.src.count("|", state.bMarks[start_line], state.eMarks[start_line]) + 1
        written = state.eMarks[state.line - 1] - state.bMarks[start_line]
        filled = max(0, columns * (state.line - start_line) - written)
        state.env[_FILLED] = state.env.get(_FILLED, 0) + filled
    return True


def _definition(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    start = state.bMarks[start_line] + state.tShift[start_line]
    if _DEFINITION.match(state.src, start, state.eMarks[start_line]) is None:
        return False
    before = len(state.tokens)
    if not footnote_def(state, start_line, end_line, silent):
        return False
    if not silent:
        raw = state.getLines(start_line, state.line, state.blkIndent, False)
        state.tokens[before].meta["text"] = _DEFINITION.sub("", raw.lstrip(), count=1).strip()
    return True
