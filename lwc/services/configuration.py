"""The settings of a wiki: shown with where each comes from, set, and unset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lwc.domain.settings import Value, setting
from lwc.store import settings
from lwc.wiki import Answer, Call, Changed, Wiki, replayable


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration(Answer):
    """Every setting in force."""

    settings: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationChanged(Changed):
    """The settings after a change, and the keys that changed."""

    changed: tuple[str, ...]
    settings: tuple[Value, ...]


def show(wiki: Wiki) -> Configuration:
    """Each setting, its value and where that comes from."""
    with wiki.reading() as conn:
        return Configuration(**wiki.label(), settings=settings.load(conn).all())


@replayable(ConfigurationChanged)
def put(wiki: Wiki, call: Call, *, values: Mapping[str, str]) -> ConfigurationChanged:
    """Set settings, all or none of them."""
    parsed = {key: setting(key).parse(value) for key, value in values.items()}
    with wiki.writing(call) as change:
        before = settings.load(change.conn).stored
        changed = tuple(key for key, value in parsed.items() if before.get(key) != value)
        for key in changed:
            settings.put(change.conn, key, parsed[key], now=change.now)
            change.record("config_set", key, value=parsed[key], before=before.get(key))
        return change.finish(
            ConfigurationChanged(
                **wiki.label(),
                revision=change.revision,
                changed=changed,
                settings=settings.load(change.conn).all(),
            )
        )


@replayable(ConfigurationChanged)
def drop(wiki: Wiki, call: Call, *, keys: Sequence[str]) -> ConfigurationChanged:
    """Set settings back to what policy or default makes of them."""
    keys = tuple(setting(key).key for key in keys)
    with wiki.writing(call) as change:
        changed = tuple(key for key in keys if settings.drop(change.conn, key))
        for key in changed:
            change.record("config_unset", key)
        return change.finish(
            ConfigurationChanged(
                **wiki.label(),
                revision=change.revision,
                changed=changed,
                settings=settings.load(change.conn).all(),
            )
        )
