"""The live tables, as SQLAlchemy Core; the schema itself is made by the migrations.

Those of drafts are in `drafts`, which is imported only where there is one: making tables costs a
command more than most of what it does with them.
"""

from __future__ import annotations

from lwc.store.tables.base import *
from lwc.store.tables.wiki import *
