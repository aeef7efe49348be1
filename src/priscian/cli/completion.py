"""`priscian --install-completion`: shell completion of verbs, analyses and options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, cast, get_args

from priscian.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from cyclopts import App

Shell = Literal["bash", "zsh", "fish"]
RESTART = {
    "bash": "open a new shell, or run: source ~/.bashrc",
    "zsh": "open a new shell, or run: exec zsh",
    "fish": "open a new shell",
}


def install_completion(app: App, arguments: Sequence[str]) -> None:
    """Write the completion script of this shell, or of the named one."""
    from cyclopts.completion.detect import ShellDetectionError, detect_shell

    try:
        shell = find_shell(arguments or [detect_shell()])
    except ShellDetectionError:
        raise UsageError(
            "cannot tell which shell this is; name it: priscian --install-completion bash"
        ) from None
    path = app.install_completion(shell=shell)
    print(f"Completion for {shell} is in {path}; {RESTART[shell]}")


def show_completion(app: App, arguments: Sequence[str]) -> None:
    """Print the completion script of a shell."""
    print(app.generate_completion(shell=find_shell(arguments)))


def find_shell(arguments: Sequence[str]) -> Shell:
    """The named shell, checked."""
    if len(arguments) != 1:
        raise UsageError(f"name one shell: {', '.join(get_args(Shell))}")
    if arguments[0] not in get_args(Shell):
        raise UnknownNameError("completion for the shell", arguments[0], get_args(Shell))
    return cast(Shell, arguments[0])
