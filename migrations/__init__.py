"""Alembic environment and revisions of the wiki's schema."""
