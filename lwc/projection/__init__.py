"""The wiki as Markdown files, kept up with the database by what its outbox says has changed."""

from __future__ import annotations

from lwc.domain.projection_state import FileError as FileError
from lwc.domain.projection_state import Materialized as Materialized
from lwc.domain.projection_state import ProjectionState as ProjectionState
from lwc.projection.keeping import catch_up as catch_up
from lwc.projection.keeping import materialize as materialize
from lwc.projection.survey import Survey as Survey
from lwc.projection.survey import differences as differences
from lwc.projection.survey import survey as survey
