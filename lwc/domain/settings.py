"""The settings of a wiki: one row each, with what it may be and what strictness makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lwc.domain.ingest import LEASE_DEFAULT, LEASE_LEAST, LEASE_MOST, MAX_ATTEMPTS
from lwc.errors import INVALID_CONFIG, UNKNOWN_SETTING


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A row: `choices` of words or `least`/`most` of numbers; `strict` is its strict value."""

    key: str
    default: str
    meaning: str
    strict: str | None = None
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0

    @property
    def may_be(self) -> str:
        """What the setting may be, in words."""
        return " or ".join(self.choices) or f"{self.least} to {self.most}"

    def parse(self, value: str) -> str:
        """The value as it is kept, or a refusal."""
        value = value.strip()
        if self.choices:
            if value not in self.choices:
                raise INVALID_CONFIG(
                    key=self.key, value=value, details={"choices": list(self.choices)}
                )
            return value
        # Twelve digits are enough for any of them; more would only be a long number to read.
        whole = value.isascii() and value.isdigit() and len(value) <= 12
        if not (whole and self.least <= int(value) <= self.most):
            raise INVALID_CONFIG(
                key=self.key, value=value, details={"least": self.least, "most": self.most}
            )
        return str(int(value))


SETTINGS = (
    Setting(
        key="policy",
        default="standard",
        choices=("standard", "strict"),
        meaning="strict turns on the strict value of every policy that is not set by itself",
    ),
    Setting(
        key="claims",
        default="standard",
        strict="strict",
        choices=("standard", "strict"),
        meaning="strict: work on a claimed job needs its token, the agent's name is not enough",
    ),
    Setting(
        key="citations",
        default="optional",
        strict="required",
        choices=("optional", "required"),
        meaning="required: the source page must carry a quote that is found in its source",
    ),
    Setting(
        key="checks",
        default="standard",
        strict="required",
        choices=("standard", "required"),
        meaning="required: publishing refuses pages whose retrieval checks fail or do not suffice;"
        " standard: its answer names them",
    ),
    Setting(
        key="projection",
        default="on",
        choices=("on", "off"),
        meaning="on: commands keep the Markdown files below `.lwc/` up; off: only `lwc maintenance"
        " materialize` does",
    ),
    Setting(
        key="checkpoint_before_publish",
        default="off",
        choices=("off", "on"),
        meaning="on: a checkpoint is made before each publication; the newest ten of them are kept",
    ),
    Setting(
        key="lease_seconds",
        default=str(LEASE_DEFAULT),
        least=LEASE_LEAST,
        most=LEASE_MOST,
        meaning="how long a claim lasts without a sign of life",
    ),
    Setting(
        key="max_attempts",
        default=str(MAX_ATTEMPTS),
        least=1,
        most=100,
        meaning="how often a job is claimed before an expired claim fails it",
    ),
    Setting(
        key="window_chars",
        default="40000",
        least=1,
        most=1_000_000,
        meaning="characters in a window of a source when no size is asked for",
    ),
)

BY_KEY = {setting.key: setting for setting in SETTINGS}


def setting(key: str) -> Setting:
    """The row of a key, or a refusal."""
    row = BY_KEY.get(key)
    if row is None:
        raise UNKNOWN_SETTING(key=key, details={"known": list(BY_KEY)})
    return row


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A setting as it holds: its value and where that comes from (default, policy, wiki)."""

    key: str
    value: str
    origin: str
    may_be: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings in force, from what is stored in the wiki."""

    stored: Mapping[str, str]

    def value(self, key: str) -> Value:
        row = setting(key)
        if key in self.stored:
            return _value(row, self.stored[key], "wiki")
        if row.strict is not None and self.stored.get("policy") == "strict":
            return _value(row, row.strict, "policy")
        return _value(row, row.default, "default")

    def word(self, key: str) -> str:
        return self.value(key).value

    def number(self, key: str) -> int:
        return int(self.value(key).value)

    def all(self) -> tuple[Value, ...]:
        return tuple(self.value(row.key) for row in SETTINGS)


def _value(row: Setting, value: str, origin: str) -> Value:
    return Value(key=row.key, value=value, origin=origin, may_be=row.may_be, meaning=row.meaning)
