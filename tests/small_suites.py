"""Small suites in SyntaxGym's format, with sentences of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

REGIONS = ("start", "verb", "comma", "noun", "main verb", "end")
FORMULA = (
    "[(5;%plain%) > (5;%comma%)] & [(5;%plain%) > (5;%short%)] & "
    "[[(5;%plain%)-(5;%comma%)] > [(5;%short%) - (5;%both%)]]"
)


def condition(name: str, *contents: str) -> dict[str, Any]:
    regions = [{"region_number": n, "content": text} for n, text in enumerate(contents, 1)]
    return {"condition_name": name, "regions": regions}


def garden(name: str = "garden", items: int = 3) -> dict[str, Any]:
    """A suite of the NP/Z form; conditions in another order in every item."""
    nouns = ("the goose", "the lawyer", "the old nurse", "the child", "the painting")
    made = []
    for number in range(1, items + 1):
        noun = nouns[(number - 1) % len(nouns)]
        conditions = [
            condition("plain", "While she", "painted", "", noun, "forgot", "us ."),
            condition("comma", "While she", "painted", ",", noun, "forgot", "us ."),
            condition("short", "While she", "slept", "", noun, "forgot", "us ."),
            condition("both", "While she", "slept", ",", noun, "forgot", "us ."),
        ]
        turn = number % 4
        made.append({"item_number": number, "conditions": conditions[turn:] + conditions[:turn]})
    return {
        "meta": {"name": name, "metric": "sum", "comment": "", "reference": "", "author": ""},
        "region_meta": {str(n): text for n, text in enumerate(REGIONS, 1)},
        "predictions": [{"type": "formula", "formula": FORMULA}],
        "items": made,
    }


def choice(name: str = "choice", formulas: tuple[str, ...] = ()) -> dict[str, Any]:
    """Two conditions of three regions."""
    rows = (("The nurse", "has", "forgotten"), ("Some geese", "have", "gone"))
    wrong = {"has": "have", "have": "has"}
    return {
        "meta": {"name": name, "metric": "sum"},
        "region_meta": {"1": "subject", "2": "verb", "3": "end"},
        "predictions": [
            {"type": "formula", "formula": f} for f in formulas or ("(2;%good%)<(2;%bad%)",)
        ],
        "items": [
            {
                "item_number": n,
                "conditions": [
                    condition("good", start, verb, end),
                    condition("bad", start, wrong[verb], end),
                ],
            }
            for n, (start, verb, end) in enumerate(rows, 1)
        ],
    }


def save(folder: Path, *suites: dict[str, Any]) -> Path:
    """Write suites into a folder under their names."""
    folder.mkdir(exist_ok=True)
    for suite in suites:
        (folder / f"{suite['meta']['name']}.json").write_text(json.dumps(suite), "utf-8")
    return folder
