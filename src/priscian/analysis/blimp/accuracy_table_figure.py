"""The figure of an accuracy table: every class with every model, and intervals."""

from __future__ import annotations

from priscian.analysis.blimp.accuracy_table import MADE, OVERALL, AccuracyTable
from priscian.analysis.charts import dots, figure, share, share_domain, tips
from priscian.analysis.named_results import words
from priscian.analysis.vega import Figure


def tables_figure(table: AccuracyTable) -> Figure:
    """Every class with every model's accuracy and interval; the mean of paradigms is last."""
    rows = [
        {**record, "label": r if r == OVERALL else words(r)}
        for record in table.records()
        for r in [str(record["name"])]
    ]
    order = list(dict.fromkeys(str(row["label"]) for row in rows))
    domain = share_domain([v for row in rows for v in (row["low"], row["accuracy"])])
    chart = dots(
        rows,
        [column.name for column in table.columns],
        order,
        share("accuracy", "accuracy", domain),
        tips("label", "model", "accuracy:.1%", "low:.1%", "high:.1%", "n:,", "ties:,", "paradigms"),
        label="label",
        line=(0.5, "chance"),
    )
    n = max((cell.n or 0) for cell in table.rows[-1].cells if cell)
    judged = "full sentences" if table.method == "full" else table.method.replace("_", "-")
    caption = (
        f"Share of pairs whose acceptable sentence is preferred ({judged}), by {table.by}; n = "
        f"{n:,} pairs in {max(c.paradigms for c in table.rows[-1].cells if c)} paradigms, and "
        f"overall is their mean. Bars are 95 % intervals: {MADE[table.interval]}."
    )
    if any(column.published for column in table.columns):
        caption += " Diamonds are published figures on BLiMP's own sentences."
    name = f"accuracy-by-{table.by}" + ("" if table.method == "full" else f"-{table.method}")
    return figure(name, f"Accuracy by {table.by}", caption, chart, rows)
