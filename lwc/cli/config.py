"""`lwc config`: the settings of a wiki."""

from __future__ import annotations

from typing import Annotated

import typer

from lwc.cli.options import Context, command
from lwc.errors import USAGE_ERROR, Typed
from lwc.services import configuration
from lwc.services.configuration import Configuration, ConfigurationChanged


@command()
def show(ctx: Context) -> Configuration:
    """Show every setting: its value, where that comes from, and what it does."""
    return configuration.show(ctx.wiki())


@command(mutates=True)
def set_(
    ctx: Context,
    settings: Annotated[
        tuple[str, ...], typer.Argument(metavar="[KEY=VALUE]...", help="Settings to set.")
    ] = (),
    *,
    policy: Annotated[
        tuple[str, ...],
        typer.Option(
            "--policy",
            metavar="standard|strict|KEY=VALUE",
            help="The policy as a whole, or one of it (citations=required); repeat.",
        ),
    ] = (),
) -> ConfigurationChanged:
    """Set settings of this wiki, all or none: `lwc config set --policy strict lease_seconds=600`.

    `lwc config show` lists the settings and what each may be.
    """
    policies = [word if "=" in word else f"policy={word}" for word in policy]
    pairs = [word.partition("=") for word in (*settings, *policies)]
    if not pairs or any(not mark for _, mark, _ in pairs):
        raise USAGE_ERROR(what="Settings are given as KEY=VALUE.", command=Typed("config set"))
    values = {key.strip(): value for key, _, value in pairs}
    return configuration.put(ctx.wiki(), ctx.call, values=values)


@command(mutates=True)
def unset(
    ctx: Context,
    keys: Annotated[tuple[str, ...], typer.Argument(metavar="KEY...", help="Settings to forget.")],
) -> ConfigurationChanged:
    """Give settings back what the policy or the default makes of them."""
    return configuration.drop(ctx.wiki(), ctx.call, keys=keys)
