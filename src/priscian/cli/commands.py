"""Makes an app that parses a command's arguments, and one app of all commands."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any, get_type_hints

from cyclopts import App, Parameter


def _shown(default: Any) -> Any:
    """A default worth showing, or None: an option that is off needs no mention."""
    return None if default in (None, "", ()) or default is False else str(default)


DEFAULTS = Parameter(show_default=_shown, negative=())


def load_command(place: str, name: str, arguments: Sequence[str] = ()) -> App:
    """The app of `module:function` or `module:app`; the module is imported only now."""
    module, _, attribute = place.partition(":")
    found = getattr(import_module(f"priscian.cli.{module}"), attribute)
    if isinstance(found, App):
        app = found
        app.suppress_keyboard_interrupt = False
        app.default_parameter = DEFAULTS
        if arguments and arguments[0][:1] != "-" and arguments[0] in app:
            _reflow(app[arguments[0]])
        return app
    app = App(
        name=name,
        help_format="plaintext",
        version_flags=(),
        suppress_keyboard_interrupt=False,
        default_parameter=DEFAULTS,
    )
    app.default(found)
    _reflow(app)
    return app


def whole_app(places: Mapping[str, str]) -> App:
    """Every verb under one app, for shell completion: all modules are imported."""
    app = App(name="priscian", help_format="plaintext", version_flags=("--version", "-V"))
    for verb, place in places.items():
        command = load_command(place, verb)
        for name in command:
            if not name.startswith("-"):
                command[name].show = True  # some are hidden so that help imports less
        app.command(command, name=verb)
    return app


def _reflow(app: App) -> None:
    """Let the help of a command use the terminal's width, not the docstring's line breaks."""
    command = app.default_command
    if command is None:
        return
    records = [hint for hint in get_type_hints(command).values() if is_dataclass(hint)]
    for written in (command, *records):
        if written.__doc__:
            written.__doc__ = reflow(written.__doc__)


def reflow(doc: str) -> str:
    r"""A docstring with each paragraph, and each parameter's description, on one line.

    Lines that are indented in the text, such as examples, stay as they are, and so do sessions
    of Python.

    >>> reflow("A\nb.\n\nExamples:\n  x\n  y\n\nParameters\n----------\nn\n    Some\n    words.")
    'A b.\n\nExamples:\n  x\n  y\n\nParameters\n----------\nn\n    Some words.'
    """
    text, mark, parameters = inspect.cleandoc(doc).partition("\nParameters\n----------\n")
    return _join(text, "") + mark + _join(parameters, "    ")


def _join(text: str, indent: str) -> str:
    lines: list[str] = []
    session = False  # in an example for Python, up to the next blank line
    for line in text.split("\n"):
        session = line.startswith(f"{indent}>>>") or (session and line.strip() != "")
        if not session and lines and _runs_on(lines[-1], indent) and _runs_on(line, indent):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return "\n".join(lines)


def _runs_on(line: str, indent: str) -> bool:
    """Whether a line is part of a paragraph with this indentation."""
    inner = line.removeprefix(indent)
    return line.startswith(indent) and inner[:1].strip() != "" and line != "Examples:"
