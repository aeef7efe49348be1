"""Write a new study from a preset: a `study.toml` that runs as it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from priscian.errors import DataError, UsageError
from priscian.files import write_text
from priscian.judge.frozen import Frozen, build
from priscian.judge.study import FILE
from priscian.judge.texts import preset, texts


@dataclass(frozen=True, slots=True)
class NewStudy:
    """Where a study was written, and what it comes to."""

    file: Path
    frozen: Frozen


def new_study(name: str, on: str, out: Path) -> NewStudy:
    """A folder with the study of a preset on a data set; rules that cannot be kept are loosened.

    With items of a single set no order keeps them apart, so the rule about sets is set to 0.
    """
    file = out / FILE
    if file.exists():
        raise UsageError(f"{file} exists; choose another folder, or edit it")
    text = preset(name)
    target = _quoted(_absolute(on))
    text = text.replace('"SOURCE"', target)
    write_text(file, text + _words())
    try:
        return NewStudy(file, build(out))
    except DataError as error:
        if "cannot be ordered" not in str(error):
            file.unlink()
            raise
    write_text(file, (text + _words()).replace("between_same_set = 1", "between_same_set = 0"))
    return NewStudy(file, build(out))


def _absolute(on: str) -> str:
    """A data string that means the same from the folder of the study."""
    form, colon, target = on.partition(":")
    if colon and target and Path(target).exists():
        return f"{form}:{Path(target).resolve()}"
    return str(Path(on).resolve()) if Path(on).exists() else on


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _words() -> str:
    listed = "\n".join(f"# {name} = {_quoted(said)}" for name, said in texts()["words"].items())
    return (
        "\n[pages]\n# welcome, instructions, end: Markdown of your own\n\n"
        "[consent]\n# text, retention, contact: shown before anything else\n\n"
        f"[words]  # of the pages, in the language of your participants\n{listed}\n"
    )
