"""A verb with sub-commands, each imported only when it is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from cyclopts import App, Parameter

Flag = Annotated[bool, Parameter(negative="")]
"""An option without its opposite."""


def command_group(verb: str, about: str, commands: Mapping[str, tuple[str, str]]) -> App:
    """`priscian VERB NAME`: for each name its place in `cli/VERB/` and a line of help.

    `about` is the help page of the verb; `{commands}` in it becomes the list of names.
    """
    width = max(map(len, commands))
    listed = "\n".join(f"  {name:{width}}  {what}" for name, (_, what) in commands.items())
    app = App(
        name=f"priscian {verb}",
        usage=f"Usage: priscian {verb} NAME …",
        help=about.format(commands=listed),
        help_format="plaintext",
        version_flags=(),
        suppress_keyboard_interrupt=False,
    )
    for name, (place, _) in commands.items():
        # not printed by the parser, which would have to import every command to describe it
        app.command(f"priscian.cli.{verb}.{place}", name=name, show=False)
    return app
