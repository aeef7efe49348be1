"""`priscian analyse`: one sub-command for each analysis, imported only when it is run."""

from __future__ import annotations

from priscian.cli.group import command_group

ANALYSES = {
    "tables": ("tables:tables_command", "accuracy by field, phenomenon or paradigm"),
    "shallow": ("shallow:shallow_command", "accuracy by length, probability, confidence"),
    "distance": ("distance:distance_command", "agreement at a distance, attractors"),
    "methods": ("methods:methods_command", "prefix methods against full sentences"),
    "contamination": (
        "contamination:contamination_command",
        "public BLiMP against fresh pairs: is the score inflated?",
    ),
    "training-size": (
        "training_size:training_size_command",
        "accuracy by number of training tokens",
    ),
    "sg": ("sg:sg_command", "circuits, suites, modifiers and perplexity"),
    "sg-results": ("sg_results:sg_results_command", "figures and regressions of Hu et al. (2020)"),
    "cola": ("cola:cola_command", "Matthews' correlation with CoLA's labels"),
    "adc": ("adc:adc_command", "BLiMP's criterion and the ADC on graded sentences"),
    "transfer": ("transfer:transfer_command", "train on some phenomena, test on others"),
    "human": ("human:human_command", "people's agreement with the labels of pairs"),
    "correlation": ("correlation:correlation_command", "models with models and people"),
    "published": ("published:published_command", "means of a released table of models"),
    "trees": ("trees:trees_command", "trees that an ON-LSTM has found, against real ones"),
}
HELP = """Analyse what is behind the scores of a run, or the files of a published paper.

Analyses:
{commands}

priscian analyse NAME --help explains an analysis."""

analyse_app = command_group("analyse", HELP, ANALYSES)
