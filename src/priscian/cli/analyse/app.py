"""`priscian analyse`: one sub-command for each analysis, imported only when it is run."""

from __future__ import annotations

from priscian.analysis.registry import list_analyses
from priscian.cli.app import command_group

SPECIAL = {
    "adc": "adc:adc_command",
    "transfer": "transfer:transfer_command",
}
"""Commands that are written by hand; the others are made of their functions."""
HELP = """Analyse what is behind the scores of a run, or the files of a published paper.

Analyses:
{commands}

priscian analyse NAME --help explains an analysis."""

analyse_app = command_group(
    "analyse",
    HELP,
    {
        name: (SPECIAL.get(name, f"commands:{name.replace('-', '_')}"), listed.about)
        for name, listed in sorted(list_analyses().items())
    },
)
