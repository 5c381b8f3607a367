"""User files, read once through descriptors: documents, folders of them, command texts."""

from __future__ import annotations

from lwc.reader.documents import Document, read_document
from lwc.reader.folders import MOST_DOCUMENTS, Found, Skipped, Walk, walk_documents
from lwc.reader.texts import LARGEST, read_text_argument

__all__ = [
    "LARGEST",
    "MOST_DOCUMENTS",
    "Document",
    "Found",
    "Skipped",
    "Walk",
    "read_document",
    "read_text_argument",
    "walk_documents",
]
