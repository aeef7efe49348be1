"""A preregistration of a frozen study: Markdown under the headings of OSF and AsPredicted."""

from __future__ import annotations

import time
from collections.abc import Sequence

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
    frozen: Frozen,
    gathered: Sequence[Gathered],
    analysis: str,
    now: float | None = None,
) -> str:
    """What to hand in before the first participant; your hypotheses go where it says so.

    What was collected already is counted, of this version of the study and of others. `analysis`
    has the commands that will be run.
    """
    study = frozen.study
    stale = study.targets.stale_after
    minutes = f"{stale:g} minute{'' if stale == 1 else 's'}"
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
        f"given to others after {minutes}. *Write here whether "
        "you look at answers before every list is closed: the researcher's page shows accuracy and "
        "agreement while the study runs.*"
        if limit
        else "*Write here when you stop: without targets.sittings_per_list no list is closed.*",
        "Data exclusion": rules_text(study.exclusion),
        "Analysis plan": f"```\n{analysis}\n```",
        "Frozen design": f"Version {frozen.version}, SHA-256 `{frozen.hash}` (study "
        f"`{frozen.hashes['study'][:16]}…`, items `{frozen.hashes['items'][:16]}…`, lists "
        f"`{frozen.hashes['lists'][:16]}…`).",
    }
    body = "\n\n".join(f"## {title}\n{text}" for title, text in parts.items())
    return f"# Preregistration: {study.title or study.name}\n\n{body}\n"


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


def rules_text(rules: Exclusion) -> str:
    """The rules of exclusion that are on, in words."""
    native = ", ".join(rules.native)
    said = {
        f"who failed {counted(rules.failed_checks, 'attention check')} or more":
            rules.failed_checks,
        f"whose native languages do not include {native}, or who give none": rules.native,
        f"whose median response time is below {rules.median_time_below:g} s":
            rules.median_time_below,
        f"who answered in less than {rules.shortest_time_below:g} s": rules.shortest_time_below,
        f"sittings of less than {rules.total_time_below:g} s by the server's clock":
            rules.total_time_below,
        f"sittings with more than {100 * rules.one_side_above:g} % on one side":
            rules.one_side_above,
        "sittings whose times cannot be true by the server's clock": rules.implausible,
        "who gave one answer throughout (scales)": rules.flat,
        "who did not finish": rules.incomplete,
        "sittings beyond those allowed for a person": rules.repeated,
    }  # fmt: skip
    lines = "\n".join(f"- {line}" for line, is_on in said.items() if is_on) or "- nobody"
    return f"Left out, by rules that the software applies at export:\n{lines}"
