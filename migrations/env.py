"""Runs the revisions on the connection and in the transaction that `lwc.store.migrate` owns."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"], render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
