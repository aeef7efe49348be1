"""Values of a recipe: what no training can use is one line, and nothing is written before it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from priscian.errors import PriscianError, UsageError
from priscian.training.amounts import parse_amount

torch = pytest.importorskip("torch")

from priscian.cli.app import run  # noqa: E402
from priscian.sweeps.sweep import read_sweep  # noqa: E402
from priscian.training.architectures import build  # noqa: E402
from priscian.training.job import resolve_recipe, train  # noqa: E402
from priscian.training.recipe import write_recipe  # noqa: E402

NAN = float("nan")
UNEVEN = {"network.embedding": 20, "network.projected": False}


@pytest.mark.parametrize(
    ("architecture", "changes", "said"),
    [
        ("lstm", {"training.seed": -1}, r"training\.seed = -1; it takes a number from 0 to"),
        ("lstm", {"training.seed": 2**64}, r"training\.seed = 18446744073709551616; it takes"),
        ("lstm", {"training.epochs": NAN, "training.tokens": ""}, r"training\.epochs = nan; it"),
        ("lstm", {"training.epochs": -2.0, "training.tokens": ""}, r"training\.epochs = -2\.0; "),
        ("lstm", {"training.epochs": float("inf")}, r"training\.epochs = inf; it takes"),
        ("lstm", {"network.dropout": 1.5}, r"network\.dropout = 1\.5; .* from 0 to below 1"),
        ("on-lstm", {"network.drop_connect": 1.0}, r"network\.drop_connect = 1\.0; it takes"),
        ("lstm", {"training.betas": [2, 3]}, r"training\.betas = \[2, 3\]; .* to below 1"),
        ("lstm", {"training.learning_rate": NAN}, r"learning_rate = nan; .* greater than 0"),
        ("lstm", {"training.weight_decay": -0.1}, r"weight_decay = -0\.1; it takes a number"),
        ("lstm", {"training.final_learning_rate": 2.0}, r"learning_rate = 2\.0; .* from 0 to 1"),
        ("lstm", {"text.min_count": 0}, r"text\.min_count = 0; it takes a number from 1"),
        ("lstm", {"machine.device": "gpu"}, r"machine\.device = 'gpu'; it takes auto, cpu, cuda"),
        ("lstm", {"network.softmax": "adaptiv"}, r"network\.softmax = 'adaptiv'; it takes full, "),
        ("lstm", {"network.softmax": "adaptive:9,3"}, r"= 'adaptive:9,3'; .* adaptive:2000,10000"),
        ("lstm", {"network.softmax": "adaptive:0"}, r"network\.softmax = 'adaptive:0'; it takes"),
        ("rnng", {"network.history": "some"}, r"network\.history .*known: stack, full"),
        ("lstm", {"text.tokenizer": "letters"}, r"= 'letters'; it takes ptb, or bpe:N"),
        ("lstm", {"text.tokenizer": "bpe:200"}, r"text\.tokenizer = 'bpe:200'; .* from 257 to"),
        ("lstm", {"checkpoints.at": [0]}, r"checkpoints\.at takes token counts from 1"),
        ("gpt2", {"network.heads": 7}, r"width = 256 is not a multiple of network\.heads = 7"),
        ("gpt2", {"text.max_length": 128}, r"length = 128 must be smaller .*positions = 128"),
        ("gpt2", {"text.pack": "stream", "training.stream_length": 129}, r"stream_length = 129 "),
        ("gpt2", {"text.tokenizer": "ptb"}, r"text\.tokenizer = ptb; .* write bpe:8192"),
        ("transformer-xl", {"network.width": 15, "network.heads": 3}, r"width = 15 must be even"),
        ("transformer-xl", {"network.heads": 7}, r"width = 256 is not a multiple of"),
        ("on-lstm", {"network.hidden": 8, "network.chunk": 3}, r"hidden = 8 is not a multiple of"),
        ("lstm", {"machine.precision": "bfloat16"}, r"recurrent networks are trained in float32"),
        ("on-lstm", UNEVEN, r"embedding = 20 is not a multiple of .* network\.projected = true"),
        ("transformer-xl", {"network.bands": [1]}, r"no key in \[network\].* 'bands'"),
        ("lstm", {"network.layers": True}, r"Expected `int`, got `bool` - at `\$\.layers`"),
    ],
)  # fmt: skip
def test_a_value_that_no_training_can_use_is_named(
    architecture: str, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(PriscianError, match=said):
        resolve_recipe(architecture, "small", {"corpus.files": ["x"], **changes})


def test_a_value_of_another_type_in_a_recipe_names_its_page() -> None:
    with pytest.raises(
        PriscianError, match=r"\[training\]: Expected `int`.*see docs/training\.md$"
    ):
        resolve_recipe("lstm", "small", {"corpus.files": ["x"], "training.seed": "one"})


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("corpus", r"\[corpus\]: Expected `array`, got `int` - at `\$\.files`; correct the value"),
        (
            "scoring",
            r"\[scoring\]: Expected `int`, got `array` - at `\$\.limit`; correct the value",
        ),
        ("models.lstm", r"\[models\.lstm\]: Expected `.*` - at `\$\.seeds`; correct the value"),
    ],
)
def test_a_value_of_another_type_in_a_sweep_does_not_send_to_the_page_of_recipes(
    table: str, said: str, tmp_path: Path
) -> None:
    tables = {
        "corpus": 'files = ["x"]', "scoring": "limit = 0", "models.lstm": "epochs = 1",
        table: {"corpus": "files = 1", "scoring": "limit = []", "models.lstm": "seeds = 1"}[table],
    }  # fmt: skip
    text = "".join(f"\n[{name}]\n{line}\n" for name, line in tables.items())
    (tmp_path / "sweep.toml").write_text(f'sizes = ["1k"]\n{text}')
    with pytest.raises(PriscianError, match=said) as caught:
        read_sweep(tmp_path / "sweep.toml")
    assert "docs/training.md" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ('architecture = "lstm"', "architecture.x", "architecture = 'lstm' has no key x"),
        ("training = 3", "training.seed", r"training = 3 has no key seed; write \[training\]"),
        ('architecture = ["lstm"]', "training.seed", "no architecture .*did you mean lstm"),
    ],
)
def test_a_key_in_the_place_of_a_table_is_one_line(
    text: str, key: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "r.toml").write_text(f"{text}\n")
    with pytest.raises(PriscianError, match=said):
        resolve_recipe("lstm", tmp_path / "r.toml", {"corpus.files": ["x"], key: 1})


def test_values_at_the_ends_of_their_ranges_are_taken() -> None:
    ends = {
        "training.seed": 0, "training.grad_clip": float("inf"), "training.weight_decay": 0.0,
        "training.betas": [0.0, 0.0], "network.dropout": 0.0, "training.final_learning_rate": 1.0,
        "machine.device": "cuda:1", "text.tokenizer": "bpe:257",
        "network.softmax": "adaptive:1,2,3",
    }  # fmt: skip
    resolve_recipe("lstm", "small", {"corpus.files": ["x"], **ends})


def test_the_longest_sentence_of_a_gpt2_fills_its_places() -> None:
    """A row is a sentence between two boundaries, and its last token is not read."""
    sizes = {"network.width": 8, "network.heads": 2, "network.positions": 16, "text.max_length": 15}
    made = resolve_recipe("gpt2", "tiny", {"corpus.files": ["x"], **sizes})
    network = build("gpt2", 300, made.network)
    loss, _ = network(torch.ones(1, made.text.max_length + 2, dtype=torch.long))
    assert torch.isfinite(loss)
    with pytest.raises(IndexError):
        network(torch.ones(1, made.text.max_length + 3, dtype=torch.long))


def command(*given: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and what `priscian train lstm tiny …` says."""
    shape = ("--set", "network.embedding=8", "--set", "network.hidden=8")
    code = run(["train", "lstm", "tiny", *shape, *map(str, given), "--quiet"])
    return code, " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    "wrong",
    [
        ("--seed", "-1"),
        ("--set", "checkpoints.at=often"),
        ("--set", "network.dropout=1.5"),
        pytest.param(
            ("--set", "machine.device=cuda"),
            marks=pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has CUDA"),
        ),
    ],
    ids=lambda wrong: wrong[1],
)
def test_a_corrected_recipe_may_use_the_same_folder(
    wrong: tuple[str, str], corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("--corpus", corpus, "--tokens", "300", "--out", tmp_path / "m")
    code, said = command(*given, *wrong, capsys=capsys)
    assert code == 2
    assert "please report" not in said
    assert not (tmp_path / "m").exists()
    assert command(*given, capsys=capsys)[0] == 0


def test_what_cannot_be_built_leaves_a_folder_that_takes_another_recipe(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"network.embedding": 8, "network.hidden": 8, "training.tokens": 300}
    out = tmp_path / "m"

    def fail(*given: Any) -> Any:
        raise UsageError("too large")

    with monkeypatch.context() as patch:
        patch.setattr("priscian.training.job.build", fail)
        with pytest.raises(UsageError, match="too large"):
            train("lstm", out, corpus=[corpus], recipe="tiny", overrides=sizes)
    assert not (out / "recipe.toml").exists()
    other = {**sizes, "text.tokenizer": "bpe:300"}  # the corpus is prepared anew
    train("lstm", out, corpus=[corpus], recipe="tiny", overrides=other)
    assert (out / "tokenizer.json").is_file()
    assert not (out / "vocabulary.json").exists()


class TestAmounts:
    def test_decimal_fractions_are_exact(self) -> None:
        found = [parse_amount(text, "n") for text in ("2.05M", "4.1M", "16.1k", "1.001k")]
        assert found == [2_050_000, 4_100_000, 16_100, 1001]

    def test_what_is_not_whole_or_too_large_is_refused(self) -> None:
        for wrong in ("2.0505k", f"1.{'0' * 40}1", "9" * 6000, 10**400, 10**13):
            with pytest.raises(UsageError, match="is not a whole number of tokens"):
                parse_amount(wrong, "n")

    def test_recipes_with_the_same_amounts_are_the_same(self) -> None:
        from priscian.training.recipe import recipe_differences as differ

        def made(tokens: Any, size: Any, seed: int = 1) -> Any:
            changes = {"training.tokens": tokens, "corpus.size": size, "training.seed": seed}
            return resolve_recipe("lstm", "tiny", {"corpus.files": ["x"], **changes})

        saved = write_recipe(made("1500", "2.5k"))
        assert differ(saved, made(1500, 2500)) == []
        assert differ(saved, made("1.5k", "0.0025M")) == []
        assert differ(saved, made(1501, 2500)) == ["training.tokens"]
        assert differ(saved, made(1500, "all")) == ["corpus.size"]
        assert differ(saved, made(1500, 2500, seed=2)) == ["training.seed"]
        (said,) = differ("not a recipe", made(1500, 2500))
        assert "is not one that Priscian has written" in said

    def test_a_training_from_the_command_line_goes_on_from_python(
        self, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "m"
        given = ("--corpus", corpus, "--tokens", "300", "--size", "400", "--out", out)
        assert command(*given, capsys=capsys)[0] == 0
        before = (out / "recipe.toml").read_text()
        sizes = {"network.embedding": 8, "network.hidden": 8}
        options = {**sizes, "training.tokens": 300, "training.epochs": 0, "corpus.size": 400}
        train("lstm", out, corpus=[corpus], recipe="tiny", overrides=options, resume=True)
        assert (out / "recipe.toml").read_text() == before


class TestMovedCorpora:
    OPTIONS = {"network.embedding": 8, "network.hidden": 8, "training.tokens": 300}  # noqa: RUF012

    def begin(self, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A training on `text.txt` of the working folder."""
        (tmp_path / "text.txt").write_bytes(corpus.read_bytes())
        monkeypatch.chdir(tmp_path)
        train("lstm", "m", corpus=["text.txt"], recipe="tiny", overrides=self.OPTIONS)
        return tmp_path / "m"

    @pytest.mark.parametrize("hashed", [True, False], ids=["now", "of an older version"])
    def test_a_training_goes_on_from_another_folder(
        self, hashed: bool, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import json

        out = self.begin(corpus, tmp_path, monkeypatch)
        if not hashed:
            prepared = out / "training" / "prepared.json"
            facts = json.loads(prepared.read_text())
            del facts["recipe"], facts["digest"]
            prepared.write_text(json.dumps({**facts, "mark": "1f", "sizes": [9], "network": {}}))
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert train("lstm", out, resume=True)["tokens_seen"] >= 300

    def test_a_file_of_another_size_has_changed(
        self, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        out = self.begin(corpus, tmp_path, monkeypatch)
        with (tmp_path / "text.txt").open("a") as file:
            file.write("One more line.\n")
        with pytest.raises(UsageError, match="has changed since"):
            train("lstm", out, resume=True)
