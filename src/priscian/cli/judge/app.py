"""`priscian judge`: the sub-commands, imported only when one is run."""

from __future__ import annotations

from priscian.cli.app import command_group

COMMANDS = {
    "demo": ("simulate:demo_command", "a complete example with simulated people"),
    "new": ("design:new_command", "write a study that runs as it is"),
    "check": ("design:check_command", "say what is wrong with a study"),
    "freeze": ("design:freeze_command", "fix study, items and lists, with their SHA-256"),
    "serve": ("serve:serve_command", "the web app: participants at /, the researcher at /admin"),
    "status": ("serve:status_command", "progress, agreement, response times, exclusions"),
    "clear": ("simulate:clear_command", "delete simulated people and your own tests"),
    "simulate": ("simulate:simulate_command", "simulated people, to try a study"),
    "answer": ("models:answer_command", "a model answers the questionnaire"),
    "export": ("results:export_command", "what analyse human and analyse adc read, a codebook"),
    "payments": ("results:payments_command", "platform ids and codes: whom to approve and to pay"),
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

judge_app = command_group("judge", HELP, COMMANDS)
