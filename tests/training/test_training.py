"""Training: nested subsets, recipes, the same bits after a kill, folders that score."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from priscian.errors import DataError, PriscianError, UsageError
from priscian.models.safetensors_file import read_safetensors
from priscian.training.amounts import parse_amount
from priscian.training.subsets import read_corpus

torch = pytest.importorskip("torch")

from priscian.training.architectures import TREES, architectures  # noqa: E402
from priscian.training.job import (  # noqa: E402
    TrainingFolder,
    resolve_recipe,
    train,
)
from priscian.training.recipe import write_recipe  # noqa: E402

NOUNS = ("cat", "dog", "child", "teacher", "river", "stone", "letter", "garden")
VERBS = ("sees", "likes", "finds", "paints", "remembers", "follows")
SMALL: dict[str, dict[str, Any]] = {
    "gpt2": {"network.layers": 2, "network.width": 16, "network.heads": 2},
    "transformer-xl": {"network.layers": 2, "network.width": 16, "network.heads": 2},
    "lstm": {"network.embedding": 16, "network.hidden": 24},
    "on-lstm": {"network.embedding": 16, "network.hidden": 24, "network.chunk": 8},
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """400 paragraphs of two sentences."""
    draw = random.Random(1)
    path = tmp_path_factory.mktemp("corpus") / "text.txt"

    def sentence() -> str:
        return f"The {draw.choice(NOUNS)} {draw.choice(VERBS)} the {draw.choice(NOUNS)}."

    path.write_text("".join(f"{sentence()} {sentence()}\n" for _ in range(400)))
    return path


def small(architecture: str, **more: Any) -> dict[str, Any]:
    return {
        **SMALL[architecture],
        "text.tokenizer": "ptb" if "lstm" in architecture else "bpe:300",
        "training.tokens": 6000,
        "training.batch_tokens": 400,
        "training.learning_rate": 1e-2,
        "checkpoints.at": [2000, 4000],
        **{key.replace("__", "."): value for key, value in more.items()},
    }


class TestSubsets:
    def test_smaller_sizes_are_the_beginning_of_larger_ones(self, corpus: Path) -> None:
        read = read_corpus([corpus])
        small, large = read.subset(500, 1), read.subset(1500, 1)
        assert large[: len(small)] == small
        assert len(large) > len(small)

    def test_another_order_is_another_sample_with_the_same_dev_and_test(self, corpus: Path) -> None:
        read = read_corpus([corpus])
        assert read.subset(500, 1) != read.subset(500, 2)
        assert read.dev
        assert read.test
        again = read_corpus([corpus])
        assert (again.dev, again.test) == (read.dev, read.test)

    def test_held_out_paragraphs_are_not_trained_on(self, tmp_path: Path) -> None:
        path = tmp_path / "numbers.txt"
        path.write_text("".join(f"Sentence number {n} is here.\n" for n in range(500)))
        read = read_corpus([path])
        everything = read.subset(None, 1)
        assert not set(everything) & (set(read.dev) | set(read.test))
        assert len(everything) + len(read.dev) + len(read.test) == 500

    def test_a_packed_file_gives_the_same_parts(self, corpus: Path, tmp_path: Path) -> None:
        import lzma

        packed = tmp_path / "text.txt.xz"
        packed.write_bytes(lzma.compress(corpus.read_bytes()))
        assert read_corpus([packed]).subset(700, 3) == read_corpus([corpus]).subset(700, 3)

    def test_a_size_beyond_the_corpus_names_both(self, corpus: Path) -> None:
        with pytest.raises(DataError, match=r"has [\d,]+ tokens .* fewer than the 1,000,000"):
            read_corpus([corpus]).subset(1_000_000, 1)

    def test_too_few_lines_for_a_dev_part(self, tmp_path: Path) -> None:
        path = tmp_path / "short.txt"
        path.write_text("One line.\nTwo lines.\n")
        with pytest.raises(DataError, match="too few to hold out dev and test"):
            read_corpus([path])


class TestRecipes:
    @pytest.mark.parametrize("architecture", architectures())
    @pytest.mark.parametrize("size", ["tiny", "small", "paper"])
    def test_every_shipped_recipe_reads_and_writes_back(
        self, architecture: str, size: str, tmp_path: Path
    ) -> None:
        made = resolve_recipe(architecture, size, {"corpus.files": ["x"]})
        file = tmp_path / "recipe.toml"
        file.write_text(write_recipe(made))
        assert resolve_recipe(architecture, file) == made

    @pytest.mark.parametrize(
        ("key", "value", "words"),
        [
            ("training.learning_rat", 1, "did you mean learning_rate"),
            ("network.layer", 1, "did you mean layers"),
            ("trainin.rate", 1, "did you mean training"),
            ("training.optimiser", "adam", "adamw"),
            ("network.layers", 0, "network.layers = 0"),
            ("training.tokens", "many", "is not an amount"),
            ("training.epochs", 2, "one of them"),
            ("training.learning_rate", -1.0, "greater than 0"),
            ("checkpoints.at", "often", "log2, babylm"),
        ],
    )
    def test_wrong_keys_and_values_are_named(self, key: str, value: Any, words: str) -> None:
        from priscian.training.amounts import checkpoint_counts

        def use() -> None:
            made = resolve_recipe("gpt2", "small", {"corpus.files": ["x"], key: value})
            checkpoint_counts(made.checkpoints.at, 100)

        with pytest.raises(PriscianError, match=words):
            use()

    def test_a_recipe_for_another_architecture(self, tmp_path: Path) -> None:
        file = tmp_path / "r.toml"
        file.write_text(write_recipe(resolve_recipe("lstm", "tiny", {"corpus.files": ["x"]})))
        with pytest.raises(UsageError, match="is a recipe for lstm; run priscian train lstm"):
            resolve_recipe("gpt2", file)

    def test_unknown_architecture(self) -> None:
        with pytest.raises(UsageError, match="known: gpt2"):
            train("gtp2", "x")

    def test_amounts(self) -> None:
        found = [parse_amount(v, "n") for v in ("0.25M", "1,000", "2k", 7)]
        assert found == [250_000, 1000, 2000, 7]
        for wrong in ("", "1.5", "-3", "M", "0"):
            with pytest.raises(UsageError):
                parse_amount(wrong, "n")


def weights(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


@pytest.mark.parametrize("architecture", [a for a in architectures() if a not in TREES])
def test_a_trained_folder_scores_and_its_checkpoints_too(
    architecture: str, corpus: Path, tmp_path: Path
) -> None:
    from priscian.models import expand_revisions, load, parse_model
    from priscian.records import Text
    from priscian.scoring import ScoreStore, score_texts

    out = tmp_path / "model"
    card = train(architecture, out, corpus=[corpus], recipe="tiny", overrides=small(architecture))
    assert card["tokens_seen"] >= 6000
    at_first = json.loads((out / "tokens-2000" / "card.json").read_text())
    assert 1 < card["dev"]["perplexity"] < at_first["dev"]["perplexity"]
    names = ["tokens-2000", "tokens-4000", "tokens-6000"]
    assert [p.name for p in sorted(out.glob("tokens-*"))] == names
    assert (out / "loss.svg").read_text().startswith("<svg")
    assert json.loads((out / "card.json").read_text()) == card
    spec = parse_model(str(out))
    assert spec.provider == {"gpt2": "hf", "transformer-xl": "txl"}.get(architecture, "lstm")
    assert [s.revision for s in expand_revisions(str(out), "tokens-*")] == names
    text = Text("The cat sees the dog.")
    with ScoreStore() as store:
        scores = score_texts(str(out), [text], store).scores[text]
    pieces = [text.text[s:e] for s, e in zip(scores.starts, scores.ends, strict=True)]
    assert "".join(pieces).replace(" ", "") == text.text.replace(" ", "")
    assert all(p < 0 for p in scores.logps)
    assert load(spec) is not None
    # the loss that the trainer measured is what the scorer gives, ends of sentences included
    dev = read_corpus([corpus]).dev
    measure = nats_by_transformers if architecture == "gpt2" else nats_by_us
    assert measure(out, dev) == pytest.approx(card["dev"]["nats_per_token"], abs=1e-4)


def nats_by_us(folder: Path, sentences: Sequence[str]) -> float:
    """Nats per token and end of a sentence."""
    from priscian.records import Text
    from priscian.scoring import ScoreStore, score_texts

    texts = [Text(sentence) for sentence in sentences]
    with ScoreStore() as store:
        scores = score_texts(f"{folder}?eos=yes", texts, store).scores
    found = [scores[text] for text in texts]
    return -sum(s.total for s in found) / sum(map(len, found))


def nats_by_transformers(folder: Path, sentences: Sequence[str]) -> float:
    """Nats per token and end of a sentence, by the library that the folder is made for."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    net = AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    total = count = 0.0
    for sentence in sentences:
        ids = [tokenizer.bos_token_id, *tokenizer(sentence)["input_ids"], tokenizer.eos_token_id]
        row = torch.tensor([ids])
        with torch.inference_mode():
            total += float(net(row, labels=row).loss) * (len(ids) - 1)
        count += len(ids) - 1
    return total / count


@pytest.mark.parametrize("architecture", ["gpt2", "lstm"])
@pytest.mark.parametrize("pack", ["sentence", "stream"])
def test_a_stopped_training_ends_with_the_same_bits(
    architecture: str, pack: str, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = small(architecture, text__pack=pack, network__dropout=0.1, training__stream_length=8)
    whole = tmp_path / "whole"
    train(architecture, whole, corpus=[corpus], recipe="tiny", overrides=options)
    broken = tmp_path / "broken"
    monkeypatch.setattr("priscian.training.loop.SAVE_EVERY", 0.0)

    class Stop(Exception):
        pass

    for stop_at in (1500, 3100, 4700):

        def report(moment: Any, stop_at: int = stop_at) -> None:
            if moment.tokens > stop_at:
                raise Stop

        with pytest.raises(Stop):
            train(
                architecture, broken, corpus=[corpus], recipe="tiny", overrides=options,
                resume=broken.exists(), report=report,
            )  # fmt: skip
    train(architecture, broken, corpus=[corpus], recipe="tiny", overrides=options, resume=True)
    for name in ("", "tokens-2000", "tokens-4000", "tokens-6000"):
        assert weights(broken / name) == weights(whole / name)
    lines = (broken / "log.jsonl").read_text().splitlines()
    steps = [json.loads(line).get("step") for line in lines]
    assert [s for s in steps if s] == sorted({s for s in steps if s})


@pytest.mark.slow
def test_a_killed_training_ends_with_the_same_bits(corpus: Path, tmp_path: Path) -> None:
    options = small("lstm", training__tokens=60_000)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    train("lstm", whole, corpus=[corpus], recipe="tiny", overrides=options)
    script = (
        "import sys, json; from priscian.training import loop; loop.SAVE_EVERY = 0.2\n"
        "from priscian.training.job import train\n"
        "from pathlib import Path\n"
        "out, corpus, options = sys.argv[1:]\n"
        "train('lstm', out, corpus=[corpus], recipe='tiny', overrides=json.loads(options),\n"
        "      resume=(Path(out) / 'recipe.toml').exists(),\n"
        "      report=lambda m: print(m.tokens, flush=True))\n"
    )
    command = [sys.executable, "-c", script, str(broken), str(corpus), json.dumps(options)]
    for target in (9_000, 22_000, 41_000):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if int(line) > target:
                    process.send_signal(signal.SIGKILL)
                    break
    train("lstm", broken, corpus=[corpus], recipe="tiny", overrides=options, resume=True)
    assert weights(broken) == weights(whole)


@pytest.mark.slow
def test_two_processes_equal_accumulation_in_one(corpus: Path, tmp_path: Path) -> None:
    options = small(
        "lstm", training__grad_accumulation=2, machine__device="cpu", checkpoints__at="none"
    )
    train("lstm", tmp_path / "one", corpus=[corpus], recipe="tiny", overrides=options)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    launch += ["--nproc-per-node", "2"]
    command = [*launch, "-m", "priscian", "train", "lstm", "tiny", "--corpus", str(corpus)]
    for key, value in options.items():
        command += ["--set", f"{key}={json.dumps(value)}"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "two"), "--quiet"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    one, two = (read_safetensors(tmp_path / n / "model.safetensors") for n in ("one", "two"))
    assert one.keys() == two.keys()
    for name, value in one.items():
        np.testing.assert_allclose(two[name], value, rtol=0, atol=1e-6)


class TestFolders:
    def test_another_recipe_or_a_finished_training_is_refused(
        self, corpus: Path, tmp_path: Path
    ) -> None:
        out = tmp_path / "model"
        options = small("lstm", training__tokens=800, checkpoints__at="none")
        train("lstm", out, corpus=[corpus], recipe="tiny", overrides=options)
        with pytest.raises(UsageError, match="holds a training; continue it with `resume=True`"):
            train("lstm", out, corpus=[corpus], recipe="tiny", overrides=options)
        other_seed = {**options, "training.seed": 2}
        with pytest.raises(UsageError, match=r"other settings \(training\.seed\); repeat"):
            train("lstm", out, corpus=[corpus], recipe="tiny", overrides=other_seed, resume=True)
        assert train("lstm", out, resume=True)["tokens_seen"] >= 800  # its own recipe
        other = tmp_path / "mine"
        other.mkdir()
        (other / "notes.txt").write_text("x")
        with pytest.raises(UsageError, match="is not empty and holds no training"):
            train("lstm", other, corpus=[corpus], recipe="tiny", overrides=options)
        (other / "notes.txt").rename(other / ".vocabulary.json.1234abcd")  # as a kill leaves it
        files = {**options, "corpus.files": [str(corpus)]}
        assert TrainingFolder(other).check(resolve_recipe("lstm", "tiny", files)) is None

    def test_a_damaged_state_is_one_line(self, corpus: Path, tmp_path: Path) -> None:
        out = tmp_path / "model"
        options = small("lstm", training__tokens=800, checkpoints__at="none")
        train("lstm", out, corpus=[corpus], recipe="tiny", overrides=options)
        state = out / "training" / "state.pt"
        state.write_bytes(state.read_bytes()[:200])
        with pytest.raises(PriscianError, match=r"state\.pt cannot be read .*; delete it"):
            train("lstm", out, corpus=[corpus], recipe="tiny", overrides=options, resume=True)

    def test_a_loss_that_is_no_number_stops_and_names_step_and_rate(
        self, corpus: Path, tmp_path: Path
    ) -> None:
        options = small(
            "lstm",
            training__learning_rate=1e30,
            training__grad_clip=1e30,
            training__optimiser="sgd",
        )
        with pytest.raises(PriscianError, match=r"loss became \w+ at step \d+ with rate"):
            train("lstm", tmp_path / "m", corpus=[corpus], recipe="tiny", overrides=options)

    def test_seconds_and_steps_are_refused(self, corpus: Path, tmp_path: Path) -> None:
        from priscian.cli.train_network import train_command

        with pytest.raises(UsageError, match="give --tokens"):
            train_command("lstm")(out=tmp_path / "x", seconds="60")

    def test_a_missing_corpus(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"nowhere\.txt"):
            train("lstm", tmp_path / "m", corpus=["nowhere.txt"], recipe="tiny")
        with pytest.raises(UsageError, match="no corpus"):
            train("lstm", tmp_path / "m", recipe="tiny")


def test_torch_is_left_as_it_was_found(corpus: Path, tmp_path: Path) -> None:
    options = small("lstm", training__tokens=400, checkpoints__at="none", machine__threads=2)
    threads = torch.get_num_threads()
    train("lstm", tmp_path / "m", corpus=[corpus], recipe="tiny", overrides=options)
    tiny = torch.tensor([1e-310], dtype=torch.float64)
    assert (tiny * 1.0).item() > 0  # numbers this small are not flushed to zero
    assert torch.get_num_threads() == threads
