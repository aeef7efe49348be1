"""Small studies for tests: folders with a study file, and the text of tables."""

from __future__ import annotations

from pathlib import Path

from priscian.errors import DataError
from priscian.judge.check import problems
from priscian.judge.study import parse_study

PAIRS = "id,set,good,bad\n" + "".join(
    f"p{n},{'abc'[n % 3]},Good sentence {n}.,Bad sentence {n}.\n" for n in range(12)
)
SINGLES = "id,set,lexicalisation,condition,sentence\n" + "".join(
    f"s{n}{c},{'abc'[n % 3]},l{n},{c},The {c} sentence {n}.\n"
    for n in range(12)
    for c in ("good", "bad")
)


def make(
    folder: Path, task: str = "choice", tables: str = "", top: str = "", items: str = ""
) -> Path:
    """A folder with a study of that task; `top` and `tables` are more TOML."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "items.csv").write_text(items or (PAIRS if task == "choice" else SINGLES))
    if task == "magnitude" and "[scale]" not in tables:
        tables += '\n[scale]\nreference = "The reference."\n'
    (folder / "study.toml").write_text(
        f'name = "small"\ntask = "{task}"\n{top}\n[items]\ntable = "items.csv"\n{tables}'
    )
    return folder


def complaints(text: str) -> list[str]:
    """What is wrong with a study: what its types refuse, or else everything that is checked."""
    try:
        return list(problems(parse_study(text)))
    except DataError as error:
        return [str(error)]
