"""`priscian judge answer` and `preregister`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from shlex import quote

from priscian.errors import counted
from priscian.files import write_text
from priscian.judge.answer import Asked, Mode, answer_study
from priscian.judge.collected import gathered
from priscian.judge.opening import open_store, ready, refuse_own_files
from priscian.judge.preregister import preregistration
from priscian.records import Text


def answer_command(
    study: Path,
    /,
    *,
    model: str,
    mode: Mode = "probability",
    raters: int = 1,
    temperature: float = 0.0,
    seed: int = 1,
    database: str = "",
) -> None:
    """Let a model answer the questionnaire, beside the people in the same tables.

    By probability a model chooses the likelier sentence of a pair, or estimates magnitudes relative
    to the reference sentence. By prompt it is given the
    instructions and the trial, and the probabilities of the possible answers are compared; pairs
    are asked in both orders. Exports mark its rows with kind model.

    Examples:
      priscian judge answer study/ --model smollm2
      priscian judge answer study/ --model smollm2 --mode prompt --raters 20 --temperature 1

    Parameters
    ----------
    study
        Folder of the study.
    model
        Model string, as in priscian score.
    mode
        By the probability of the sentences, or of the answers to a prompt.
    raters
        How many times answers are drawn; needs a temperature.
    temperature
        0 takes the likeliest answer.
    seed
        For the draws.
    database
        Where answers are kept.
    """
    from priscian.models import parse_model
    from priscian.scoring import ScoreStore, score_texts

    frozen = ready(study, database)
    spec = parse_model(model)

    def score(texts: Sequence[Text]) -> Mapping[Text, float]:
        with ScoreStore.default() as scores:
            found = score_texts(spec, texts, scores).scores
        return {text: tokens.total for text, tokens in found.items()}

    asked = Asked(mode, raters, temperature, seed)
    with closing(open_store(study, database)) as store:
        done = answer_study(store, frozen, spec.label, score, asked)
    print(f"{done.name}: {counted(done.answers, 'answer')} by {mode}")
    if done.bias is not None:
        print(f"preference for answer A, over both orders: {done.bias:+.3f}")


def preregister_command(study: Path, /, *, out: Path | None = None, database: str = "") -> None:
    """Write a preregistration: design, sample size, stopping, exclusion, analysis, and the hash.

    The headings are those of OSF and AsPredicted. The study is frozen if it was not. Answers that
    were collected already are counted, for every version of the study.

    Parameters
    ----------
    study
        Folder of the study.
    out
        File to write; by default it is printed.
    database
        Where answers are kept.
    """
    if out is not None:
        refuse_own_files(out, study, database)
    frozen = ready(study, database)
    name = quote(f"{study.resolve().name or 'study'}/")
    people = "priscian score MODEL --on graded:results/ --out run/\npriscian analyse adc run/"
    if frozen.study.task == "choice":
        people = "priscian analyse human results/choices.csv"
    export = f"priscian judge export {name} --out results/"
    analysis = f"{export}\n{people}\npriscian judge agreement {name}"
    with closing(open_store(study, database)) as store:
        text = preregistration(frozen, gathered(store), analysis)
    if out is None:
        print(text, end="")
    else:
        write_text(out, text)
        print(f"written to {out}")
