"""Long texts as every database can keep them: UTF-8 without NUL."""

from __future__ import annotations

from lwc.errors import UNSAFE_CHARACTERS


def kept_bytes(text: str, *, field: str) -> int:
    """How many bytes the text takes; refused when it cannot be kept, or not in every database."""
    if "\0" in text:
        raise UNSAFE_CHARACTERS(field=field, character="U+0000")
    try:
        return len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        character = f"U+{ord(text[error.start]):04X}"
        raise UNSAFE_CHARACTERS(field=field, character=character) from error
