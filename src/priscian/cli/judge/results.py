"""`priscian judge export`, `agreement`, `backup` and `forget`: what comes out, and what must go."""

from __future__ import annotations

from contextlib import closing
from math import isnan
from pathlib import Path

from priscian.cli.output import Flag, print_json
from priscian.errors import DataError, UsageError, counted
from priscian.files import plain
from priscian.judge.export import Guard, Transform, export_store, payments, write_payments
from priscian.judge.imports import Form, import_results
from priscian.judge.opening import latest, open_store, refuse_own_files, stored_version
from priscian.judge.study import FILE
from priscian.judge.summary import ENOUGH, people_agreement


def export_command(
    study: Path,
    /,
    *,
    out: Path,
    database: str = "",
    version: int = 0,
    transform: Transform = "none",
    excel_safe: Flag = False,
    raw: Flag = False,
    keep_excluded: Flag = False,
    tests: Flag = False,
) -> None:
    """Write the answers as analyse human and analyse adc read them, with a codebook.

    Forced choices become choices.csv; ratings become a folder of sentences.csv, answers.csv and
    pairs.csv. excluded.csv says who was left out, and by which rule of the study.

    Examples:
      priscian judge export study/ --out results/
      priscian analyse human results/choices.csv

    Parameters
    ----------
    study
        Folder of the study.
    out
        Folder to write to.
    database
        Where answers are kept.
    version
        Version of the study; by default the latest.
    transform
        log writes log(response/modulus) of magnitude estimates.
    excel_safe
        Put an apostrophe before every cell that a spreadsheet would take for a formula, sentences
        included. Without it that is done to what participants typed.
    raw
        Leave also what participants typed as it is; do not open it in a spreadsheet.
    keep_excluded
        Leave nobody out.
    tests
        Also simulated people and your own tests, as if they were people, to try an analysis.
    """
    if raw and excel_safe:
        raise UsageError("--raw and --excel-safe are opposites; leave one of them out")
    if (out / FILE).is_file():
        raise UsageError(f"`out={out}` is the folder of a study; name one of its own: results/")
    guard: Guard = "none" if raw else "all" if excel_safe else "typed"
    with closing(open_store(study, database)) as store:
        frozen = stored_version(store, version) if version else latest(store, study)
        done = export_store(
            store, frozen, out, transform=transform, guard=guard, keep_excluded=keep_excluded,
            tests=tests,
        )  # fmt: skip
    print(f"{counted(done.answers, 'answer')} written to {out}")
    if done.apart:
        print(f"{counted(done.apart, 'answer')} to checks or practice: in raw.jsonl only")
    if done.tests:
        print(f"{counted(done.tests, 'test sitting')} left out")
    if done.excluded:
        people = len({e.person for e in done.excluded})
        print(f"left out: {people} of those who began; the reasons are in excluded.csv")
    if done.other_versions:
        print(
            f"{counted(done.other_versions, 'answer')} to other versions of the study: "
            "--version N exports them"
        )


def payments_command(study: Path, /, *, out: Path, database: str = "") -> None:
    """Write platform ids with completion codes, and whom to approve or reject, for payment.

    The file has no answers and no pseudonyms, and only you can read it. It is refused in a folder
    of exported answers. reject is a proposal by the rules of the study: read the platform's own
    before you refuse to pay somebody.

    Parameters
    ----------
    study
        Folder of the study.
    out
        CSV to write: platform, id, assignment, code, state, decision, reason.
    database
        Where answers are kept.
    """
    refuse_own_files(out, study, database)
    with closing(open_store(study, database)) as store:
        latest(store, study)
        found = payments(store)
    if not found.rows:
        raise DataError(f"{study}: nobody has begun yet, so there is nobody to pay")
    write_payments(found, out)
    told = ", ".join(f"{count:,} {name}" for name, count in sorted(found.decisions.items()))
    print(f"{counted(len(found.rows), 'sitting')} written to {out}, readable by you only: {told}")


def agreement_command(study: Path, /, *, database: str = "", json: Flag = False) -> None:
    """Agreement of people: raw, Fleiss' kappa, Krippendorff's alpha, ICC(2,k), split-half.

    Forced choices are compared by which of the two sentences was chosen. For them also the accuracy
    of one person and of the majority of 3, 5 … people, and how many people are needed for the
    majority that all of them have.

    Parameters
    ----------
    study
        Folder of the study.
    database
        Where answers are kept.
    json
        Print JSON.
    """
    with closing(open_store(study, database)) as store:
        found = people_agreement(store, latest(store, study))
    if found is None:
        raise DataError(f"{study}: no answers yet that are not excluded")
    if json:
        print_json(plain(found))
        return
    for name, value in found.measured.rows():
        print(f"{name:28} {value}")
    if found.measured.note:
        print(found.measured.note)
    for m in found.majorities:
        who = "one person" if m.people == 1 else f"the majority of {m.people} people"
        same = "" if isnan(m.same) else f"; as the majority of all: {100 * m.same:.1f} %"
        print(f"Accuracy of {who}: {100 * m.good:.1f} %{same}")
    if found.majorities:
        needed = found.people_needed
        told = counted(needed, "person", "people") if needed else "more than these"
        print(f"Needed for the majority of all in {100 * ENOUGH:.0f} % of pairs: {told}")


def backup_command(study: Path, /, *, out: Path, database: str = "") -> None:
    """Copy the database while the study is running; the copy is checked.

    Parameters
    ----------
    study
        Folder of the study.
    out
        File to write.
    database
        Where answers are kept.
    """
    refuse_own_files(out, study, database)
    with closing(open_store(study, database)) as store:
        store.backend.backup(out)
    print(f"{out}: {out.stat().st_size:,} bytes, checked")


def forget_command(study: Path, code: str, /, *, database: str = "") -> None:
    """Delete a person: every answer and the platform id, so that no byte of it is left.

    Backups and exports that were made before still have them: delete those yourself.

    Parameters
    ----------
    study
        Folder of the study.
    code
        The person's deletion code, or their id on the platform.
    database
        Where answers are kept.
    """
    with closing(open_store(study, database)) as store:
        with store.backend.transaction():
            gone = store.forget(code)
        if not gone:
            raise DataError("nobody has this deletion code or platform id; check it")
        store.backend.scrub()
    print(f"{counted(gone, 'sitting')} deleted")


def import_command(file: Path, /, *, form: Form, out: Path, items: Path | None = None) -> None:
    """Results of another tool as tables that analyse human and graded: read.

    Rows need a participant, an item and a response: good or bad, or a number. A set and a
    condition (good or bad) are used where they are there. Ratings need the sentence too, in a
    column or in a table of items.

    Examples:
      priscian judge import data.json --form jspsych --out results/
      priscian judge import results.csv --form pcibex --items items.csv --out results/

    Parameters
    ----------
    file
        BLiMP's MTurk export, jsPsych's JSON or CSV, or PCIbex's results file.
    form
        The tool that wrote it.
    out
        Folder to write to.
    items
        Table with item, sentence and condition, for ratings without the sentence.
    """
    done = import_results(file, form, out, items)
    names = ", ".join(f.name for f in done.files)
    print(f"{counted(done.answers, 'answer')} written to {out} ({names})")
    if done.skipped:
        print(f"{counted(done.skipped, 'row')} without an answer to an item, left out")
