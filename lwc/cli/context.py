"""What one command runs in: its wiki, who calls, where it stands and what it may read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO

from lwc import wire
from lwc.cli.parameters import InputFile, Secret
from lwc.errors import FILE_UNREADABLE, STORE_NOT_FOUND, Committed, LwcError
from lwc.reader import read_text_argument

if TYPE_CHECKING:
    from lwc.cli.output import Mode
    from lwc.wiki import Call, Wiki

    OpenWiki = Callable[..., Wiki]
    MakeCall = Callable[..., Call]


class Context:
    """The first argument of every command.

    Nothing is opened before it is asked for; what was opened is closed when the command ends.
    `open_wiki` and `make_call` come from the front door, which alone decides what is imported.
    """

    def __init__(
        self,
        *,
        command: str,
        values: Mapping[str, Any],
        mutates: bool,
        scope: str,
        changeset: str | None = None,
        output: Mode | None,
        verbose: bool,
        agent: str | None,
        request_id: str | None,
        if_revision: int | None,
        environ: Mapping[str, str],
        open_wiki: OpenWiki,
        make_call: MakeCall,
    ) -> None:
        self.command = command
        self.mutates = mutates
        self.scope = scope
        self.changeset = changeset
        self.output = output
        self.verbose = verbose
        self.request_id = request_id
        self.if_revision = if_revision
        self.environ = environ
        self.answered = False
        self._agent = agent
        self._values = values
        self._open_wiki = open_wiki
        self._make_call = make_call
        self._wikis: dict[str, Wiki] = {}
        self._texts: dict[str, str] = {}
        self._open = ExitStack()

    def __enter__(self) -> Context:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    @property
    def cwd(self) -> Path:
        """The folder the command was called in."""
        try:
            return Path.cwd()
        except FileNotFoundError as error:
            raise FILE_UNREADABLE(path="the current folder", what="it was removed") from error

    @property
    def agent(self) -> str:
        """Who works: --agent, else LWC_AGENT, else the user of this machine."""
        return self._agent or _user(self.environ)

    @property
    def stdin(self) -> BinaryIO:
        """Standard input as bytes; empty when there is none."""
        if sys.stdin is None:
            return BytesIO()
        buffer: BinaryIO | None = getattr(sys.stdin, "buffer", None)
        return BytesIO(sys.stdin.read().encode()) if buffer is None else buffer

    def wiki(self, *, migrate: bool = True) -> Wiki:
        """The wiki of --scope, opened once; an older one is refused where it must stay as it is."""
        return self._wiki(self.scope, migrate=migrate)

    def wikis(self) -> list[Wiki]:
        """The wikis of --scope: of `all` the project's and the global one, as far as they are."""
        if self.scope != "all":
            return [self.wiki()]
        found = [wiki for scope in ("project", "global") if (wiki := self._wiki_if_there(scope))]
        if not found:
            raise STORE_NOT_FOUND(scope="project")
        return found

    def read(self, file: InputFile, *, what: str = "The input") -> str:
        """The text of a FILE|- parameter: at most 64 MiB of UTF-8 without NUL.

        `what` names it in a refusal ("The page body"). Whether it may be blank the service judges.
        """
        if file not in self._texts:
            self._texts[file] = read_text_argument(file, base=self.cwd, stdin=self.stdin, what=what)
        return self._texts[file]

    @property
    def call(self) -> Call:
        """Who calls and what for, as services take it.

        A FILE|- parameter stands for its content, wherever that was read from: a retry from
        another temporary file is the same request. A secret is no part of what is asked.
        """
        return self._make_call(
            agent=self.agent,
            request_id=self.request_id,
            if_revision=self.if_revision,
            command=self.command,
            arguments={
                name: self._argument(value)
                for name, value in (*self._values.items(), ("changeset", self.changeset))
                if value is not None and not isinstance(value, Secret)
            },
        )

    @property
    def committed(self) -> Committed:
        """What can be said of the command's change when it stops here."""
        if not self.mutates or not self._wikis:
            return False
        return True if self.answered else "unknown"

    def _argument(self, value: Any) -> Any:
        if isinstance(value, InputFile):
            return {"sha256": wire.text_digest(self.read(value))}
        return wire.plain(value)

    def _wiki(self, scope: str, *, migrate: bool = True) -> Wiki:
        if scope not in self._wikis:
            wiki = self._open_wiki(
                self.cwd,
                scope=scope,
                environ=self.environ,
                migrate=migrate,
                changeset=self.changeset,
            )
            self._wikis[scope] = self._open.enter_context(wiki)
        return self._wikis[scope]

    def _wiki_if_there(self, scope: str) -> Wiki | None:
        try:
            return self._wiki(scope)
        except LwcError as error:
            if error.problem is STORE_NOT_FOUND:
                return None
            raise


def _user(environ: Mapping[str, str]) -> str:
    name = environ.get("USER") or environ.get("LOGNAME") or str(os.getuid())
    return f"{name}@{os.uname().nodename}"[:128]
