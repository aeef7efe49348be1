"""`priscian analyse`: one sub-command for each analysis, imported only when it is run."""

from __future__ import annotations

from priscian.analysis.registry import ANALYSES
from priscian.cli.app import command_group

SPECIAL = {
    "cola": "cola:cola_command",
    "adc": "adc:adc_command",
    "transfer": "transfer:transfer_command",
    "trees": "trees:trees_command",
    "human": "human:human_command",
    "training-size": "training_size:training_size_command",
    "sg": "sg:sg_command",
    "sg-results": "sg_results:sg_results_command",
}
"""Commands that are written by hand."""
HELP = """Analyse what is behind the scores of a run, or the files of a published paper.

Analyses:
{commands}

priscian analyse NAME --help explains an analysis."""

analyse_app = command_group(
    "analyse",
    HELP,
    {
        name: (SPECIAL.get(name, f"commands:{name.replace('-', '_')}"), says)
        for name, (_, says) in ANALYSES.items()
    },
)
