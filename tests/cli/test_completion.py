"""`priscian --install-completion`: the scripts know verbs, analyses and options."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from priscian.analysis.registry import list_analyses
from priscian.cli.app import VERBS

Command = Callable[..., Any]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_names_every_verb_analysis_and_option(shell: str, priscian: Command) -> None:
    done = priscian("--show-completion", shell)
    assert (done.code, done.err) == (0, "")
    for name in (*VERBS, *list_analyses(), "ngram", "lstm", "words", "resume"):
        assert name in done.out, name


def test_bash_completes_verbs_analyses_and_options(priscian: Command) -> None:
    if shutil.which("bash") is None:
        pytest.skip("needs bash")
    Path("script").write_text(priscian("--show-completion", "bash").out, "utf-8")

    def complete(*words: str) -> set[str]:
        typed = " ".join(f"'{word}'" for word in ("priscian", *words))
        code = (
            f"source ./script; COMP_WORDS=({typed}); COMP_CWORD={len(words)}; "
            'declare -f _priscian >/dev/null && _priscian; echo "${COMPREPLY[@]}"'
        )
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
        return set(done.stdout.split())

    assert complete("surp") == {"surprisal"}
    assert complete("analyse", "sg") == {"sg", "sg-results"}
    assert complete("train", "") >= {"ngram", "lstm"}
    assert "--words" in complete("surprisal", "--w")


def test_it_is_installed_once_and_says_where(
    priscian: Command, in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(in_folder))
    for _ in range(2):
        done = priscian("--install-completion", "bash")
        assert (done.code, done.err) == (0, "")
    script = in_folder / ".local/share/bash-completion/completions/priscian"
    assert str(script) in done.out
    assert "surprisal" in script.read_text("utf-8")
    assert (in_folder / ".bashrc").read_text("utf-8").count(f'. "{script}"') == 1


def test_an_unknown_shell_is_one_line(priscian: Command) -> None:
    done = priscian("--show-completion", "tcsh")
    (line,) = done.complaints
    assert done.code == 2
    assert "no completion for the shell 'tcsh'; did you mean zsh, fish, bash" in line
