"""Make the picture of the README: what `priscian show` and `priscian score` print.

python docs/images/make.py RUN
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from priscian.cli.show import marked
from priscian.cli.tables import table
from priscian.paradigms import generate_items
from priscian.runs import load_run

SHOWN = ("adjunct_island", "principle_A_domain_3", "irregular_past_participle_verbs")


def main() -> None:
    """Print pairs and a run's table into an SVG beside this file."""
    console = Console(record=True, width=112, file=io.StringIO())
    console.print(Text("$ priscian show …", style="bold"))
    for uid in SHOWN:
        console.print(Text(uid, style="dim"))
        for item in generate_items(uid, 2, 7):
            console.print(marked(item["good"], "  ", "green"))
            console.print(marked(item["bad"], " *", "red"))
    console.print()
    run = load_run(sys.argv[1])
    results = [r for r in run if r.kind == "pairs"]
    name = results[0].data
    data = run.info.request.data[name].spec
    models = " ".join(result.model for result in results)
    console.print(Text(f"$ priscian score {models} --on {data}", style="bold"))
    console.print(table(name, "full", results, ("5-gram", "LSTM", "GPT-2", "human")))
    picture = console.export_svg(title="Priscian")
    picture = re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)  # no request to anywhere
    Path(__file__).with_name("priscian.svg").write_text(picture)


if __name__ == "__main__":
    main()
