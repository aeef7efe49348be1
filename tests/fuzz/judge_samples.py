"""Small valid files of studies and of other tools' results, and how each is read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from priscian.analysis.people.study import beside_models
from priscian.files import read_table
from priscian.judge.collected import gathered
from priscian.judge.export import export_store, payments
from priscian.judge.frozen import FROZEN, Frozen, build, read_frozen
from priscian.judge.imports import Form, import_results
from priscian.judge.opening import DATABASE, freeze_study, latest, open_store
from priscian.judge.preregister import preregistration
from priscian.judge.sitting import enter
from priscian.judge.store import Arrival, SentAnswer, Sitting
from priscian.judge.study import FILE
from priscian.judge.summary import summarise
from tests.fuzz.harness import Sample

STUDY = """name = "small"
task = "{task}"
title = "A title"
language = "de"
seed = 3
demographics = ["native_languages", "comments"]

[items]
table = "items.csv"

[scale]
points = 5
reference = "A reference."

[lists]
per_sitting = 4

[fillers]
table = "fillers.csv"
per_sitting = 1

[checks]
instructed = 1
gold = "gold.csv"
gold_per_sitting = 1

[[checks.comprehension]]
question = "Is it so?"
options = ["yes", "no"]
answer = "yes"

[order]
between_same_set = 0

[targets]
sittings_per_list = 3

[exclusion]
failed_checks = 1
native = ["English", "de"]
median_time_below = 0.3

[platform]
kind = "prolific"
complete = "DONE"

[words]
agree = "Ja"
"""
ITEMS = "id,set,lexicalisation,condition,sentence\n" + "".join(
    f"s{n}{c},{'ab'[n % 2]},l{n},{c},The {c} sentence {n}.\n"
    for n in range(4)
    for c in ("good", "bad")
)
PAIRS = "id,set,good,bad\n" + "".join(f"p{n},a,Good {n}.,Bad {n}.\n" for n in range(4))


def make(folder: Path, task: str = "likert") -> None:
    """A study with everything that a study can have."""
    (folder / FILE).write_text(STUDY.format(task=task))
    choice = task == "choice"
    (folder / "items.csv").write_text(PAIRS if choice else ITEMS)
    single, pair = "id,sentence,answer\n", "id,good,bad\n"
    (folder / "fillers.csv").write_text(
        pair + "f1,Fill.,Fell.\n" if choice else single + "f1,F.,\n"
    )
    (folder / "gold.csv").write_text(
        pair + "g1,Gold.,Geld.\n" if choice else single + "g1,G.,4-5\n"
    )


def make_answers(folder: Path, task: str = "choice") -> None:
    """The same with two people's answers; nothing is left in the database's log."""
    make(folder, task)
    frozen = freeze_study(folder)
    with closing(open_store(folder)) as store:
        for number, name in enumerate(("ann", "bob")):
            with store.backend.transaction():
                sitting = enter(store, frozen, Arrival("prolific", name))
                assert isinstance(sitting, Sitting)
                for trial in store.trials(sitting.id)[: 20 - 3 * number]:
                    said = trial.side or str(1 + trial.position % 5)
                    store.answer(sitting.id, 1, SentAnswer(trial.position, said, 1.5))
                store.note(sitting.id, {"about": {"native_languages": "English"}, "read": 1.0})
                store.finish(sitting.id, "CODE")
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def read_answers(folder: Path) -> None:
    """Everything that reads answers."""
    for log in ("-wal", "-shm", "-journal"):
        (folder / f"{DATABASE}{log}").unlink(missing_ok=True)
    with closing(open_store(folder)) as store:
        frozen = latest(store, folder)
        summarise(store, frozen)
        export_store(store, frozen, folder / "out")
        payments(store)
        preregistration(frozen, gathered(store), "")


def exported(task: str) -> Any:
    """The answers of such a study as an export."""

    def export(folder: Path) -> None:
        make_answers(folder, task)
        with closing(open_store(folder)) as store:
            export_store(store, latest(store, folder), folder / "out", keep_excluded=True)

    return export


def read_export(folder: Path) -> list[str]:
    """What the report makes of an export."""
    return [str(score) for score in beside_models(folder / "out", []).scores]


def frozen_facts(found: Frozen | None) -> Iterable[str]:
    """What a study asks, whatever its version."""
    return [] if found is None else [str(found.study), str(found.materials), str(found.plans)]


def imported(form: Form, name: str, items: str = "") -> Any:
    """Import a file into a folder of tables."""

    def read(folder: Path) -> list[str]:
        done = import_results(
            folder / name, form, folder / "out", folder / items if items else None
        )
        return [str(row) for file in done.files for _, row in read_table(file)]

    return read


def make_jspsych(folder: Path) -> None:
    """Trials of jsPsych, one to a line."""
    trials = [
        {"subject": f"s{s}", "trial_type": "button", "item": f"i{n}", "condition": c, "rt": 900,
         "stimulus": f"<p>Item {n} {c}.</p>", "response": 2 + s}
        for s in range(2) for n in range(2) for c in ("good", "bad")
    ]  # fmt: skip
    lines = ",\n".join(json.dumps(trial) for trial in trials)
    (folder / "data.json").write_text(f"[\n{lines}\n]\n")


def make_pcibex(folder: Path) -> None:
    """Results of PCIbex without sentences, and the table that has them."""
    head = ("Results reception time", "MD5 hash of participant's IP address", "Item number",
            "Parameter", "Value", "EventTime", "item", "condition")  # fmt: skip
    lines = [f"# {n}. {name}." for n, name in enumerate(head, start=1)]
    for n in range(4):
        place = f"1{n},hash,{n}"
        lines.append(f"{place},_Trial_,Start,160000000{n}000,i{n},good")
        lines.append(f"{place},Choice,5,160000000{n}900,i{n},good")
    (folder / "results.csv").write_text("\n".join(lines) + "\n")
    rows = "".join(f"i{n},good,Sentence {n}.\n" for n in range(4))
    (folder / "sentences.csv").write_text("item,condition,sentence\n" + rows)


JUDGE = [
    Sample("study file", FILE, make, build),
    Sample("study file of pairs", FILE, lambda folder: make(folder, "choice"), build),
    Sample("study's items", "items.csv", make, build),
    Sample("study's gold sentences", "gold.csv", make, build),
    Sample("frozen study", FROZEN, make_answers, read_frozen, frozen_facts, whole=True),
    Sample("study's database", DATABASE, make_answers, read_answers, binary=True),
    *(
        Sample(f"exported {name} of {task}", f"out/{name}.csv", exported(task), read_export)
        for task, names in (
            ("choice", ("choices", "items")),
            ("magnitude", ("answers", "sentences", "pairs")),
        )
        for name in names
    ),
    Sample("jsPsych's results", "data.json", make_jspsych, imported("jspsych", "data.json")),
    Sample("PCIbex's results", "results.csv", make_pcibex,
           imported("pcibex", "results.csv", "sentences.csv")),
    Sample("items of results", "sentences.csv", make_pcibex,
           imported("pcibex", "results.csv", "sentences.csv")),
]  # fmt: skip
