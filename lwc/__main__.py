"""The front door: `lwc`, `python -m lwc` (`program()`) and `main(argv)`.

What the table of commands can answer is answered here without any library; all else is
`lwc.cli.app`'s.
"""

from __future__ import annotations

import sys

from lwc.cli import commands, menu, output

VERSION = ("--version", "-V")
HELP = ("--help", "-h")


def main(argv: list[str] | None = None) -> int:
    """Run one command line and answer its exit status; may be called again and again."""
    words = sys.argv[1:] if argv is None else list(argv)
    if not words or words[0] in HELP:
        return output.say(menu.front())
    if words[0] in VERSION:
        from lwc import __version__

        return output.say(f"lwc {__version__}\n")
    if len(words) == 2 and words[1] in HELP and commands.members(words[0]):
        return output.say(menu.page(words[0]))
    try:
        from lwc.cli import app

        return app.run(words)
    except KeyboardInterrupt:  # pressed while the libraries were still being imported
        return 130


def program() -> None:
    """The whole of a process: run its command line and exit with the status.

    Only here, never in `main`: collecting garbage while the libraries are imported, and once more
    when the interpreter ends, is a quarter of what a short command costs, and finds nothing. Long
    commands still collect, only less often.
    """
    import gc

    gc.set_threshold(100_000, 20, 20)
    status = main()
    gc.freeze()
    sys.exit(status)


if __name__ == "__main__":
    program()
