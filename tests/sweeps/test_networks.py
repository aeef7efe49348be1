"""Neural models and grammars in a sweep: the same text for all, resume, perplexity."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from priscian import perplexity  # noqa: E402
from priscian.errors import PriscianError  # noqa: E402
from priscian.models import load  # noqa: E402
from priscian.models.safetensors_file import read_safetensors  # noqa: E402
from priscian.runs.surprisal.perplexity import sentence_perplexity  # noqa: E402
from priscian.sweeps.curve import curve  # noqa: E402
from priscian.training import loop  # noqa: E402
from priscian.training.job import resolve_recipe  # noqa: E402
from priscian.training.prepare import prepare  # noqa: E402
from priscian.training.recipe import TextPart  # noqa: E402
from priscian.training.sources import ParsedText  # noqa: E402

SMALL = '"network.embedding" = 16, "network.hidden" = 16, "training.batch_tokens" = 200'
NETWORKS = f"""
sizes = ["1k"]
epochs = 2

[corpus]
files = ["text.txt"]
trees = ["trees.txt"]

[models.lstm]
set = {{ {SMALL} }}

[models.rnng]
set = {{ {SMALL} }}
options = "beam=10,2,3"
test_sentences = 3
epochs = 1

[scoring]
on = []
test_sentences = 10
"""


@pytest.fixture
def sweep(text: Path) -> Path:
    path = text.parent / "sweep.toml"
    path.write_text(NETWORKS)
    return path


def test_grammar_and_lstm_read_the_same_words_and_are_measured_on_the_same_sentences(
    sweep: Path,
) -> None:
    found = curve(sweep, sweep.parent / "out", processes=0)
    models = {m.curve: m for m in found.table.models}
    assert models["lstm"].words == models["rnng"].words == 1008
    assert models["lstm"].left_out == models["rnng"].left_out == 0
    # a grammar needs no boundary of sentences
    assert models["lstm"].vocabulary == models["rnng"].vocabulary
    assert (models["lstm"].test_sentences, models["rnng"].test_sentences) == (3, 3)
    assert models["lstm"].test_words == models["rnng"].test_words == 18
    assert (models["lstm"].whole_sentences, models["rnng"].whole_sentences) == (10, 3)
    test = (found.path / "corpus" / "test.txt").read_text().splitlines()
    again = sentence_perplexity(models["rnng"].string, test[:3])
    assert models["rnng"].perplexity == pytest.approx(again.value, rel=1e-4)
    for asked, value in (
        (3, models["lstm"].perplexity),
        (10, models["lstm"].whole_perplexity),
    ):
        same = sentence_perplexity(models["lstm"].string, test[:asked])
        assert value == pytest.approx(same.value, rel=1e-4)
    card = json.loads((Path(models["lstm"].string.partition("?")[0]) / "card.json").read_text())
    whole = sentence_perplexity(models["lstm"].string, test)
    assert whole.value == pytest.approx(card["test"]["perplexity"], rel=1e-4)
    table = (found.path / "curve.csv").read_text().splitlines()  # nothing was scored
    rows = list(csv.DictReader(table))
    assert [row["model"] for row in rows] == [m.model for m in found.table.models]
    assert float(rows[0]["perplexity"]) == found.table.models[0].perplexity
    assert load(models["lstm"].string).reads_sentences  # type: ignore[union-attr]
    asked = perplexity(models["lstm"].string, found.path / "corpus" / "test.txt", ends=True)
    assert asked.per_word == pytest.approx(card["test"]["perplexity"], rel=1e-4)
    assert math.log(whole.value) * (whole.words + whole.sentences) == pytest.approx(whole.nats)


def test_a_training_that_was_stopped_goes_on_to_the_same_bits(
    sweep: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "SAVE_EVERY", 0.0)

    def stop(event: Any) -> None:
        if event.stage == "train" and event.done > event.total / 2:
            raise KeyboardInterrupt

    out = sweep.parent / "out"
    with pytest.raises(KeyboardInterrupt):
        curve(sweep, out, processes=0, only="lstm*", watch=stop)
    assert json.loads((out / "curve.json").read_text())["missing"] == [
        "rnng-1k-seed1", "lstm-1k-seed1",
    ]  # fmt: skip
    stages = []
    curve(sweep, out, processes=0, only="lstm*", watch=lambda e: stages.append((e.stage, e.done)))
    first = next(done for stage, done in stages if stage == "train" and done > 1)
    assert first > 1000
    curve(sweep, sweep.parent / "whole", processes=0, only="lstm*")
    (cut,) = out.glob("models/lstm-*/model.safetensors")
    (whole,) = sweep.parent.glob("whole/models/lstm-*/model.safetensors")
    ours, theirs = read_safetensors(cut), read_safetensors(whole)
    assert all((ours[name] == theirs[name]).all() for name in theirs)


def test_a_tree_is_found_however_its_words_are_cut(text: Path) -> None:
    line = "(ROOT (S (NP (NN well) (HYPH -) (JJ known) (NN dog)) (VP (VBZ barks)) (. .)))"
    (text.parent / "one.txt").write_text(line + "\n")
    found = ParsedText(TextPart(), {}, [text.parent / "one.txt"])
    assert found.count("well-known dog barks.") == 4
    assert found.split("Well-known. It barks.") == ["Well-known.", "It barks."]
    facts = found.facts(found.learn(["well-known dog barks."]), ["well-known dog barks."])
    assert facts["sentences"] == 1


def test_a_sentence_without_a_tree_is_named(sweep: Path) -> None:
    trees = sweep.parent / "trees.txt"
    trees.write_text("".join(trees.read_text().splitlines(keepends=True)[:20]))
    found = curve(sweep, sweep.parent / "out", processes=0, only="rnng*")
    (reason,) = found.failed.values()
    assert "no tree in" in reason
    assert "priscian parse" in reason


def test_trees_of_a_text_are_only_for_grammars(text: Path, tmp_path: Path) -> None:
    files = {"corpus.files": [str(text)], "corpus.trees_of": [str(text)]}
    with pytest.raises(PriscianError, match="trees_of is for grammars"):
        prepare(resolve_recipe("lstm", "tiny", files), lambda line: None)
