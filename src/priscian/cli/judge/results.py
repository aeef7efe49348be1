"""`priscian judge export`, `agreement`, `backup` and `forget`: what comes out, and what must go."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from priscian.cli.output import print_json
from priscian.errors import DataError, counted


def export_command(
    study: Path,
    /,
    *,
    out: Path,
    database: str = "",
    version: int = 0,
    transform: Literal["none", "log"] = "none",
    excel_safe: Annotated[bool, Parameter(negative="")] = False,
    keep_excluded: Annotated[bool, Parameter(negative="")] = False,
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
        Put an apostrophe before cells that a spreadsheet would take for a formula.
    keep_excluded
        Leave nobody out.
    """
    from priscian.judge.export import export_store
    from priscian.judge.frozen import decode
    from priscian.judge.opening import latest, open_store

    with closing(open_store(study, database)) as store:
        frozen = decode(store.body(version)) if version else latest(store, study)
        done = export_store(
            store,
            frozen,
            out,
            transform=transform,
            excel_safe=excel_safe,
            keep_excluded=keep_excluded,
        )
    print(f"{counted(done.answers, 'answer')} written to {out}")
    if done.excluded:
        people = len({e.person for e in done.excluded})
        print(f"left out: {people} of those who began; the reasons are in excluded.csv")
    if done.other_versions:
        print(
            f"{counted(done.other_versions, 'answer')} to other versions of the study: "
            "--version N exports them"
        )


def agreement_command(
    study: Path,
    /,
    *,
    database: str = "",
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Agreement of the raters: Fleiss' kappa, Krippendorff's alpha, ICC(2,k), split-half.

    For forced choices also how many people are needed: the mean share of resamples of so many
    people in which the majority chooses the good sentence.

    Parameters
    ----------
    study
        Folder of the study.
    database
        Where answers are kept.
    json
        Print JSON.
    """
    from priscian.judge.agreement import agreement_of, people_needed
    from priscian.judge.exclusion import exclusions, kept
    from priscian.judge.opening import latest, open_store

    with closing(open_store(study, database)) as store:
        frozen = latest(store, study)
        answers = [a for a in store.answers() if a.version == frozen.version and a.kind == "person"]
        good = kept(answers, exclusions(frozen, store.sittings(), answers))
    if not good:
        raise DataError(f"{study}: no answers yet that are not excluded")
    found = agreement_of(frozen, good)
    needed = people_needed(frozen, good) if frozen.study.task == "choice" else {}
    if json:
        print_json({**found.as_dict(), "people_needed": {str(n): s for n, s in needed.items()}})
        return
    for name, value in found.rows():
        print(f"{name:28} {value}")
    for number, share in needed.items():
        noun = "person" if number == 1 else "people"
        print(f"{number:3} {noun}: majority for the good sentence in {100 * share:.1f} %")


def backup_command(study: Path, /, *, out: Path, database: str = "") -> None:
    """Copy the database while the study goes on; the copy is checked.

    Parameters
    ----------
    study
        Folder of the study.
    out
        File to write.
    database
        Where answers are kept.
    """
    from priscian.judge.opening import open_store

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
    from priscian.judge.opening import open_store

    with closing(open_store(study, database)) as store:
        with store.backend.transaction():
            gone = store.forget(code)
        if not gone:
            raise DataError("nobody has this deletion code or platform id; check it")
        store.backend.scrub()
    print(f"{counted(gone, 'sitting')} deleted")


def import_command(
    file: Path,
    /,
    *,
    form: Literal["mturk", "jspsych", "pcibex"],
    out: Path,
) -> None:
    """Results of another tool as tables that analyse human and graded: read.

    Rows need a participant, an item and a response: good or bad, or a number. A set and a
    condition (good or bad) are used where they are there.

    Examples:
      priscian judge import data.json --form jspsych --out results/

    Parameters
    ----------
    file
        BLiMP's MTurk export, jsPsych's JSON or CSV, or PCIbex's results file.
    form
        The tool that wrote it.
    out
        Folder to write to.
    """
    from priscian.judge.imports import import_results

    done = import_results(file, form, out)
    names = ", ".join(f.name for f in done.files)
    print(f"{counted(done.answers, 'answer')} written to {out} ({names})")
    if done.skipped:
        print(f"{counted(done.skipped, 'row')} without an answer to an item, left out")
