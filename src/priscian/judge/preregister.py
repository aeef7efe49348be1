"""A preregistration of a frozen study: Markdown under the headings of OSF and AsPredicted."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from pathlib import Path

from priscian.errors import counted
from priscian.judge.collected import Gathered
from priscian.judge.frozen import Frozen
from priscian.judge.study import Exclusion

TASKS = {
    "choice": "Forced choice between the two sentences of a pair; sides balanced for every item.",
    "likert": "Ratings of single sentences on a scale of 1 to {points}.",
    "binary": "Yes/no judgements of single sentences.",
    "magnitude": "Magnitude estimates relative to a reference sentence (modulus {modulus:g}).",
}


def preregistration(
    frozen: Frozen, folder: Path, gathered: Sequence[Gathered], now: float | None = None
) -> str:
    """What to hand in before the first participant; your hypotheses go where it says so.

    What was collected already is counted, of this version of the study and of others.
    """
    study = frozen.study
    items = [m for m in frozen.materials.values() if m.kind == "item"]
    sets = len({m.set for m in items})
    limit = study.targets.sittings_per_list
    task = TASKS[study.task].format(points=study.scale.points, modulus=study.scale.modulus)
    lists = (
        f"{counted(len(items), 'item')} of {counted(sets, 'set')} in "
        f"{counted(len(frozen.plans), 'list')}; each person sees an item once, in one condition."
    )
    rows = "with the good sentence on one side" if study.task == "choice" else "of a condition"
    parts = {
        "Have any data been collected for this study already?": _collected(
            gathered, frozen.version, time.gmtime(now)
        ),
        "Hypotheses (OSF) / What's the main question (AsPredicted)": "*Write them here.*",
        "Design": f"{task} {lists} Order random by person, under the rules: at least "
        f"{counted(study.order.between_same_set, 'trial')} between two of a set, at most "
        f"{counted(study.order.same_in_a_row, 'trial')} {rows} in a row. "
        f"{counted(study.checks.instructed, 'instructed check')} in a sitting.",
        "Sampling plan, sample size": f"{counted(limit, 'sitting')} for each of "
        f"{counted(len(frozen.plans), 'list')}: {counted(limit * len(frozen.plans), 'sitting')}."
        if limit
        else "No limit is set: set targets.sittings_per_list before you register.",
        "Stopping rule": "A list is closed when it has its sittings; places that were left are "
        f"given to others after {_minutes(study.targets.stale_after)}. *Write here whether "
        "you look at answers before every list is closed: the researcher's page shows accuracy and "
        "agreement while the study runs.*"
        if limit
        else "*Write here when you stop: without targets.sittings_per_list no list is closed.*",
        "Data exclusion": _rules(study.exclusion),
        "Analysis plan": _analysis(frozen, folder),
        "Frozen design": f"Version {frozen.version}, SHA-256 `{frozen.hash}` (study "
        f"`{frozen.hashes['study'][:16]}…`, items `{frozen.hashes['items'][:16]}…`, lists "
        f"`{frozen.hashes['lists'][:16]}…`).",
    }
    body = "\n\n".join(f"## {title}\n{text}" for title, text in parts.items())
    return f"# Preregistration: {study.title or study.name}\n\n{body}\n"


def _minutes(minutes: float) -> str:
    """`1 minute`, `0.5 minutes`."""
    return f"{minutes:g} minute{'' if minutes == 1 else 's'}"


def _collected(found: Sequence[Gathered], version: int, now: time.struct_time) -> str:
    """Whether anything was collected, with the numbers of every version."""
    begun = [g for g in found if g.sittings]
    date = time.strftime("%Y-%m-%d", now)
    lines = []
    for g in begun:
        here = "described here" if g.version == version else "another design"
        lines.append(
            f"- version {g.version} ({here}): {counted(g.answers, 'answer')} of "
            f"{counted(g.people, 'person', 'people')} in {counted(g.sittings, 'sitting')}, "
            f"{g.complete:,} of them complete"
        )
    if not begun:
        said = f"No. On {date} the database of the study had no sitting and no answer of a person; "
        said += "the design was frozen before."
    else:
        total = counted(sum(g.answers for g in begun), "answer")
        said = f"Yes. On {date} the database of the study had {total}:"
        if version not in {g.version for g in begun}:
            lines.append(f"- version {version} (described here): nothing yet")
        said = "\n".join([said, *lines])
    models, tests = sum(g.models for g in found), sum(g.tests for g in found)
    if models:
        said += f"\n\nModels have answered too: {counted(models, 'answer')}."
    if tests:
        said += f"\n\n{counted(tests, 'test sitting')} of the researcher: not data."
    return said


def _rules(rules: Exclusion) -> str:
    said = []
    if rules.failed_checks:
        said.append(f"who failed {counted(rules.failed_checks, 'attention check')} or more")
    if rules.native:
        said.append(
            f"whose native languages do not include {', '.join(rules.native)}, or who give none"
        )
    if rules.median_time_below:
        said.append(f"whose median response time is below {rules.median_time_below:g} s")
    if rules.shortest_time_below:
        said.append(f"who answered in less than {rules.shortest_time_below:g} s")
    if rules.total_time_below:
        said.append(f"sittings of less than {rules.total_time_below:g} s by the server's clock")
    if rules.one_side_above:
        said.append(f"sittings with more than {100 * rules.one_side_above:g} % on one side")
    if rules.implausible:
        said.append("sittings whose times cannot be true by the server's clock")
    if rules.flat:
        said.append("who gave one answer throughout (scales)")
    if rules.incomplete:
        said.append("who did not finish")
    if rules.repeated:
        said.append("sittings beyond those allowed for a person")
    lines = "\n".join(f"- {line}" for line in said) or "- nobody"
    return f"Left out, by rules that the software applies at export:\n{lines}"


def _analysis(frozen: Frozen, folder: Path) -> str:
    name = shlex.quote(f"{folder.resolve().name or 'study'}/")
    lines = [f"priscian judge export {name} --out results/"]
    if frozen.study.task == "choice":
        lines.append("priscian analyse human results/choices.csv")
    else:
        lines.append("priscian score MODEL --on graded:results/ --out run/")
        lines.append("priscian analyse adc run/")
    lines.append(f"priscian judge agreement {name}")
    return "```\n" + "\n".join(lines) + "\n```"
