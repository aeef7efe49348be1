"""BLiMP's released sittings as a study of ours, answered again over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from priscian.files import read_table, write_delimited
from priscian.judge.simulate import Client

Row = dict[str, object]
STUDY = """
name = "replay"
task = "choice"
[items]
table = "items.csv"
[checks]
gold = "checks.csv"
[lists]
table = "lists.csv"
from_url = true
[order]
between_same_set = 0
same_in_a_row = 0
[targets]
sittings_per_person = 100
[exclusion]
incomplete = false
[platform]
kind = "prolific"
complete = "CODE"
"""


def approved(file: Path) -> list[Row]:
    """The sittings that were approved."""
    rows = [row for _, row in read_table(file)]
    return [row for row in rows if row["AssignmentStatus"] == "Approved"]


def _trials(row: Row) -> list[tuple[str, str, str, int, str]]:
    """Set, good and bad sentence, number of the good one, and number chosen, of each question."""
    found = []
    for n in range(1, 6):
        condition = str(row[f"Input.item_{n}_condition"])
        good = int(condition[-1])
        texts = [str(row[f"Input.field_{n}_{side}"]) for side in (good, 3 - good)]
        found.append((condition[:-4], *texts, good, str(row[f"Answer.Choice{n}"])[:1]))
    return found


def make_study(rows: Sequence[Row], folder: Path) -> dict[str, int]:
    """Write the study; the number of each of their lists in ours."""
    items: dict[tuple[str, str, str], Row] = {}
    checks: dict[tuple[str, str, str], Row] = {}
    lists: dict[str, list[Row]] = {}
    for row in rows:
        name = str(row["Input.list"])
        new = name not in lists
        for uid, good, bad, number, _ in _trials(row):
            table = checks if uid == "attnchk" else items
            key = (uid, good, bad)
            own = table.setdefault(
                key, {"id": f"{uid}/{len(table)}", "set": uid, "good": good, "bad": bad}
            )
            if new:
                side = "left" if number == 1 else "right"
                lists.setdefault(name, []).append({"list": name, "item": own["id"], "side": side})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(STUDY)
    write_delimited(folder / "items.csv", items.values())
    write_delimited(folder / "checks.csv", checks.values())
    write_delimited(folder / "lists.csv", [r for listed in lists.values() for r in listed])
    return {name: n for n, name in enumerate(lists, start=1)}


def replay(url: str, rows: Sequence[Row], numbers: dict[str, int]) -> None:
    """Answer every sitting as its person did, a few at a time."""
    asyncio.run(_replay(url, rows, numbers))


async def _replay(url: str, rows: Sequence[Row], numbers: dict[str, int]) -> None:
    waiting = list(rows)[::-1]

    async def work() -> None:
        client = Client(url)
        while waiting:
            await _sitting(client, waiting.pop(), numbers)
        await client.aclose()

    await asyncio.gather(*(work() for _ in range(8)))


async def _sitting(client: Client, row: Row, numbers: dict[str, int]) -> None:
    entry = {"PROLIFIC_PID": str(row["anonCode"]), "list": str(numbers[str(row["Input.list"])])}
    begun = await client.form("/start", {"consent": "yes", **entry})
    assert begun.status == 303, begun.body
    place = begun.redirect
    await client.form(place, {"step": "instructions"})
    block = json.loads((await client.get(f"{place}/block")).body)
    chosen = {
        (good, bad) if number == 1 else (bad, good): {"1": "left", "2": "right"}.get(said)
        for _, good, bad, number, said in _trials(row)
    }
    answers = [
        {"position": t["position"], "response": said}
        for t in block["trials"]
        if (said := chosen[tuple(t["sentences"])])
    ]
    done = await client.json(f"{place}/answers", {"answers": answers})
    assert done.status == 200, done.body
