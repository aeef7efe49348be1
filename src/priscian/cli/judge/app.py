"""`priscian judge`: the sub-commands, imported only when one is run."""

from __future__ import annotations

from cyclopts import App

COMMANDS = {
    "demo": ("simulate:demo_command", "a complete example with simulated people"),
    "new": ("design:new_command", "write a study that runs as it is"),
    "check": ("design:check_command", "say what is wrong with a study"),
    "freeze": ("design:freeze_command", "fix study, items and lists, with their SHA-256"),
    "serve": ("serve:serve_command", "the web app: participants at /, the researcher at /admin"),
    "status": ("serve:status_command", "progress, agreement, response times, exclusions"),
    "simulate": ("simulate:simulate_command", "simulated people, to try a study"),
    "answer": ("models:answer_command", "a model answers the questionnaire"),
    "export": ("results:export_command", "what analyse human and analyse adc read, a codebook"),
    "agreement": ("results:agreement_command", "kappa, alpha, ICC, split-half, people needed"),
    "preregister": ("models:preregister_command", "Markdown for OSF or AsPredicted"),
    "import": ("results:import_command", "results of jsPsych, PCIbex or MTurk"),
    "backup": ("results:backup_command", "a checked copy while people answer"),
    "forget": ("results:forget_command", "delete a person, to the last byte"),
}
HELP = """Collect people's judgements of sentences, and models' beside them.

Commands:
{commands}

priscian judge NAME --help explains a command."""

_width = max(map(len, COMMANDS))
judge_app = App(
    name="priscian judge",
    usage="Usage: priscian judge NAME …",
    help=HELP.format(
        commands="\n".join(f"  {name:{_width}}  {what}" for name, (_, what) in COMMANDS.items())
    ),
    help_format="plaintext",
    version_flags=(),
    suppress_keyboard_interrupt=False,
)
for _name, (_place, _) in COMMANDS.items():
    # not shown by the parser, which would have to import a command to describe it
    judge_app.command(f"priscian.cli.judge.{_place}", name=_name, show=False)
