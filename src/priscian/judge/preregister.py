"""A preregistration of a frozen study: Markdown under the headings of OSF and AsPredicted."""

from __future__ import annotations

from pathlib import Path

from priscian.errors import counted
from priscian.judge.frozen import Frozen
from priscian.judge.study import Exclusion

TASKS = {
    "choice": "Forced choice between the two sentences of a pair; sides balanced for every item.",
    "likert": "Ratings of single sentences on a scale of 1 to {points}.",
    "binary": "Yes/no judgements of single sentences.",
    "magnitude": "Magnitude estimates relative to a reference sentence (modulus {modulus:g}).",
}


def preregistration(frozen: Frozen, folder: Path) -> str:
    """What to hand in before the first participant; your hypotheses go where it says so."""
    study = frozen.study
    items = [m for m in frozen.materials.values() if m.kind == "item"]
    sets = len({m.set for m in items})
    limit = study.targets.sittings_per_list
    total = limit * len(frozen.plans)
    task = TASKS[study.task].format(points=study.scale.points, modulus=study.scale.modulus)
    lists = (
        f"{counted(len(items), 'item')} of {counted(sets, 'set')} in "
        f"{counted(len(frozen.plans), 'list')}; each person sees an item once, in one condition."
    )
    size = (
        f"{counted(limit, 'sitting')} for each of {counted(len(frozen.plans), 'list')}: "
        f"{counted(total, 'sitting')}."
        if limit
        else "No limit is set: set targets.sittings_per_list before you register."
    )
    parts = {
        "Have any data been collected for this study already?": "No. The design was frozen first.",
        "Hypotheses (OSF) / What's the main question (AsPredicted)": "*Write them here.*",
        "Design": f"{task} {lists} Order random by person, under the rules: at least "
        f"{study.order.between_same_set} trials between two of a set, at most "
        f"{study.order.same_in_a_row} of a condition in a row. "
        f"{counted(study.checks.instructed, 'instructed check')} in a sitting.",
        "Sampling plan, sample size": size,
        "Stopping rule": "A list is closed when it has its sittings; places that were left are "
        f"given to others after {study.targets.stale_after:g} minutes. Answers are not analysed "
        "before every list is closed.",
        "Data exclusion": _rules(study.exclusion),
        "Analysis plan": _analysis(frozen, folder),
        "Frozen design": f"Version {frozen.version}, SHA-256 `{frozen.hash}` (study "
        f"`{frozen.hashes['study'][:16]}…`, items `{frozen.hashes['items'][:16]}…`, lists "
        f"`{frozen.hashes['lists'][:16]}…`).",
    }
    body = "\n\n".join(f"## {title}\n{text}" for title, text in parts.items())
    return f"# Preregistration: {study.title or study.name}\n\n{body}\n"


def _rules(rules: Exclusion) -> str:
    said = []
    if rules.failed_checks:
        said.append(f"who failed {counted(rules.failed_checks, 'attention check')} or more")
    if rules.native:
        said.append(f"whose native languages do not include {', '.join(rules.native)}")
    if rules.median_time_below:
        said.append(f"whose median response time is below {rules.median_time_below:g} s")
    if rules.shortest_time_below:
        said.append(f"who answered in less than {rules.shortest_time_below:g} s")
    if rules.flat:
        said.append("who gave one answer throughout (scales)")
    if rules.incomplete:
        said.append("who did not finish")
    if rules.repeated:
        said.append("sittings beyond those allowed for a person")
    lines = "\n".join(f"- {line}" for line in said) or "- nobody"
    return f"Left out, by rules that the software applies at export:\n{lines}"


def _analysis(frozen: Frozen, folder: Path) -> str:
    name = folder.name or "study"
    lines = [f"priscian judge export {name}/ --out results/"]
    if frozen.study.task == "choice":
        lines.append("priscian analyse human results/choices.csv")
    else:
        lines.append("priscian score MODEL --on graded:results/ --out run/")
        lines.append("priscian analyse adc run/")
    lines.append(f"priscian judge agreement {name}/")
    return "```\n" + "\n".join(lines) + "\n```"
