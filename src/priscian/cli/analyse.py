"""`priscian analyse`: one sub-command for each analysis, imported only when it is run."""

from __future__ import annotations

from cyclopts import App

ANALYSES = {
    "sg-results": ("analyse_sg:sg_results_command", "figures and regressions of Hu et al. (2020)"),
    "adc": ("analyse_adc:adc_command", "BLiMP's criterion and the ADC on graded sentences"),
}
HELP = """Analyse results: what the papers report, from the files that they released.

Analyses:
{analyses}

priscian analyse NAME --help explains an analysis."""

_width = max(map(len, ANALYSES))
analyse_app = App(
    name="priscian analyse",
    usage="Usage: priscian analyse NAME …",
    help=HELP.format(
        analyses="\n".join(f"  {name:{_width}}  {what}" for name, (_, what) in ANALYSES.items())
    ),
    help_format="plaintext",
    version_flags=(),
    suppress_keyboard_interrupt=False,
)
for _name, (_place, _) in ANALYSES.items():
    # not shown by the parser, which would have to import a command to describe it
    analyse_app.command(f"priscian.cli.{_place}", name=_name, show=False)
