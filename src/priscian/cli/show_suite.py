"""Items of a suite in the terminal: conditions, regions, and a run's surprisals below them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from priscian.analysis.sg.suite_view import region_chart
from priscian.analysis.vega import draw
from priscian.cli.screen import out, shade
from priscian.datasets import read_dataset
from priscian.datasets.generation import ITEMS, SEED, own_suite
from priscian.datasets.syntaxgym import contents_of, read_suite
from priscian.datasets.syntaxgym_write import formulas_of, region_names
from priscian.errors import DataError, RunError, UsageError, counted
from priscian.formulas import formula_words, parse_formula, region_labels
from priscian.metrics.generalization import RegionMean, region_means
from priscian.runs import load_run
from priscian.suites import load_suites

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text as Rich

    from priscian.cli.show import SuiteView
    from priscian.records import Item, ItemSet

Bits = Mapping[str, Mapping[str, float]]  # condition -> region -> bits
Surprisals = Mapping[str, Mapping[str, Bits]]  # model -> item -> condition -> region -> bits
BARS = " ▁▂▃▄▅▆▇█"


def show_suite(name: str, view: SuiteView, *, n: int, seed: int | None, json_: bool) -> None:
    """Print one item, several, or, with a run and no item, the means by region."""
    if view.suites is not None:
        load_suites(view.suites)
    item, run, plot = view.item, view.run, view.plot
    if plot is not None and run is None:
        raise UsageError("--plot draws the results of a run; add --run RUN")
    short = name.removeprefix("sg/")
    found = _surprisals(run, short) if run else {}
    suite = find_suite(name, seed, run, max(n, item or 1))
    if run and item is None:
        means = {model: region_means(list(items.values())) for model, items in found.items()}
        _show_means(suite, means, plot, json_)
        return
    items = [_find_item(suite, item)] if item is not None else list(suite.items[:n])
    if json_:
        rows = [_as_json(i, found) for i in items]
        print(json.dumps(rows, ensure_ascii=False))
        return
    from rich.text import Text as Rich

    console = out()
    circuit = ", ".join(suite.taxonomy) or "no circuit"
    console.print(Rich(suite.name, "bold"), f"({circuit})")
    for formula in formulas_of(suite):
        said = formula_words(parse_formula(formula), region_names(suite))
        console.print(Rich(f"prediction: {said}"))
        console.print(Rich(f"formula: {formula}", "dim"))
    for one in items:
        console.print(item_table(suite, one, {m: i.get(one.id, {}) for m, i in found.items()}))


def find_suite(name: str, seed: int | None, run: Path | None, n: int) -> ItemSet:
    """A suite from the data of a run, from its file, or `n` items of one of our own."""
    if Path(name).suffix == ".json":
        return read_suite(name)
    short = name.removeprefix("sg/")
    if run is not None:
        for data in load_run(run).info.request.data.values():
            if short in data.sets and Path(data.spec.removeprefix("sg:") or ".").exists():
                for suite in read_dataset(data.spec).sets:
                    if suite.name == short:
                        return suite
    return own_suite(short, SEED if seed is None else seed, n if run is None else ITEMS)


def _find_item(suite: ItemSet, number: int) -> Item:
    for item in suite.items:
        if item.meta["item_number"] == number:
            return item
    numbers = [str(i.meta["item_number"]) for i in suite.items]
    raise DataError(
        f"suite {suite.name} has no item {number}; its items are {numbers[0]} to {numbers[-1]}"
    )


def _surprisals(run: Path, suite: str) -> Surprisals:
    """Each model's surprisals of the suite's regions."""
    import polars

    found: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    stem = Path(suite).stem if suite.endswith(".json") else suite
    for result in load_run(run):
        if result.regions is None:
            continue
        frame = result.regions.filter(polars.col("set") == stem).collect()
        for row in frame.iter_rows(named=True):
            item = found.setdefault(result.model, {}).setdefault(row["item"], {})
            item.setdefault(row["condition"], {})[str(row["region"])] = row["surprisal"]
    if not found:
        raise RunError(f"{run} has no result on the suite {stem}; score it: --on sg:PATH")
    return found


def item_table(suite: ItemSet, item: Item, models: Mapping[str, Bits]) -> Table:
    """Conditions in rows, regions in columns; below each text the bits of every model."""
    from rich.table import Table
    from rich.text import Text as Rich

    made = Table(title=f"item {item.meta['item_number']}", title_justify="left", show_lines=True)
    made.add_column("condition")
    for number, name in enumerate(region_labels(region_names(suite)), 1):
        made.add_column(f"{number} {name}")
    for condition, contents in contents_of(item).items():
        lead = Rich(condition)
        cells = [Rich(text or "–", style="" if text else "dim") for text in contents]
        for model, conditions in models.items():
            lead.append(f"\n{model}", style="dim")
            for number, cell in enumerate(cells, 1):
                bits = conditions.get(condition, {}).get(str(number))
                shown = "–" if bits is None else f"{bits:.1f}"
                cell.append(f"\n{shown}", style="dim" if bits is None else shade(bits))
        made.add_row(lead, *cells)
    return made


def _as_json(item: Item, models: Surprisals) -> dict[str, Any]:
    return {
        "item": item.id,
        "conditions": {
            condition: {
                "text": item[condition].text,
                "regions": list(contents),
                "surprisal": {
                    model: list(items[item.id][condition].values())
                    for model, items in models.items()
                    if item.id in items
                },
            }
            for condition, contents in contents_of(item).items()
        },
    }


def _show_means(
    suite: ItemSet, models: Mapping[str, Sequence[RegionMean]], plot: Path | None, json_: bool
) -> None:
    if plot is not None:
        draw(region_chart(region_names(suite), models), plot)
    if json_:
        rows = {
            model: [{"condition": m.condition, "region": int(m.region), "mean": m.mean,
                     "error": m.error, "low": m.ci[0], "high": m.ci[1], "n": m.n} for m in means]
            for model, means in models.items()
        }  # fmt: skip
        print(json.dumps(rows, ensure_ascii=False))
        return
    for model, means in models.items():
        out().print(means_table(suite, model, means))
    if plot is not None:
        print(f"drawn: {plot}")


def means_table(suite: ItemSet, model: str, means: Sequence[RegionMean]) -> Table:
    """The garden-path plot in a terminal: a bar and the mean bits of every region."""
    from rich.table import Table

    n = max(m.n for m in means)
    made = Table(
        title=f"{suite.name}, {model}: mean surprisal by region, in bits ({counted(n, 'item')})",
        title_justify="left",
        title_style="bold",
    )
    made.add_column("condition")
    names = region_labels(region_names(suite))
    for number, name in enumerate(names, 1):
        made.add_column(f"{number} {name}", justify="right")
    known = {(m.condition, m.region): m.mean for m in means}
    top = max(known.values()) or 1.0
    for condition in dict.fromkeys(m.condition for m in means):
        row = [known.get((condition, str(i)), 0.0) for i in range(1, len(names) + 1)]
        made.add_row(condition, *(_bar(value, top) for value in row))
    return made


def _bar(value: float, top: float) -> Rich:
    from rich.text import Text as Rich

    height = max(0, min(len(BARS) - 1, round(value / top * (len(BARS) - 1))))
    text = Rich(f"{BARS[height]} ", style=shade(value))
    text.append(f"{value:.1f}")
    return text
