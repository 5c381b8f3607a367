"""lwc, a source-grounded wiki that AI agents keep.

`from lwc import open_wiki` is the Python door; the names are loaded when first asked for, so that
`lwc --version` imports no library.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing itself costs half an interpreter start; checkers know the name
if TYPE_CHECKING:
    from lwc.errors import LwcError
    from lwc.wiki import Call, Wiki, open_wiki

# A literal: importlib.metadata costs 40 ms at every start.
__version__ = "0.1.0"

__all__ = ["Call", "LwcError", "Wiki", "__version__", "open_wiki"]

_HOMES = {
    "Call": "lwc.wiki",
    "LwcError": "lwc.errors",
    "Wiki": "lwc.wiki",
    "open_wiki": "lwc.wiki",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'lwc' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)
