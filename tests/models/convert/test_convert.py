"""Published files, as stand-ins: every array recovered, and the folder scores as the original."""

from __future__ import annotations

import json
import math
import pickle
import re
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests.models.convert.stand_ins import (  # noqa: E402
    WORDS,
    XL_WORDS,
    save_module,
    save_words,
    save_xl,
    xl_arrays,
    xl_logprobs,
)

import priscian  # noqa: E402
from priscian.errors import OutputError, PriscianError  # noqa: E402
from priscian.models.convert.torch_file import read_torch_file  # noqa: E402
from priscian.models.lstm import FolderModel  # noqa: E402

SENTENCE = "the cat sees a zebra ."
IDS = [0, 1, 3, 4, 2, 7]


@pytest.mark.parametrize("new", [False, True], ids=["old format", "zip"])
@pytest.mark.parametrize("tied", [False, True])
def test_every_array_of_a_module_whose_class_is_gone_is_bit_equal(
    new: bool, tied: bool, tmp_path: Path
) -> None:
    network = save_module(tmp_path / "m.pt", "LSTM", 10, 6, 6, 2, tied, new=new)
    with pytest.raises((pickle.UnpicklingError, ModuleNotFoundError, AttributeError)):
        torch.load(tmp_path / "m.pt", weights_only=True)
    found = read_torch_file(tmp_path / "m.pt").arrays()
    wanted = network.state_dict()
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert found[name].dtype == np.float32
        assert found[name].tobytes() == value.numpy().tobytes(), name


@pytest.mark.parametrize("new", [False, True], ids=["old format", "zip"])
def test_views_strides_and_other_numbers(new: bool, tmp_path: Path) -> None:
    base = torch.arange(24.0).reshape(4, 6)
    wanted = {
        "turned": base.t(),
        "part": base[1:3, 2:],
        "every_second": base[:, ::2],
        "one": torch.tensor(3.5),
        "none": torch.zeros(0, 4),
        "half": base.half(),
        "double": base.double(),
        "whole": torch.arange(5),
        "parameter": torch.nn.Parameter(base * 2),
    }
    torch.save(wanted, tmp_path / "m.pt", _use_new_zipfile_serialization=new)
    found = read_torch_file(tmp_path / "m.pt").arrays()
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        np.testing.assert_array_equal(found[name], value.detach().numpy())


def reference(network: Any, ids: list[int]) -> Any:
    """log p of ids[1:] by a plain forward pass from a zero state."""
    with torch.inference_mode():
        states, _ = network.rnn(network.encoder(torch.tensor(ids[:-1])[:, None]))
        logs = torch.log_softmax(network.decoder(states[:, 0]).double(), 1)
    return [float(logs[n, word]) for n, word in enumerate(ids[1:])]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A network, and the folder that its file was converted to."""
    folder = tmp_path_factory.mktemp("gulordava")
    network = save_module(folder / "m.pt", "LSTM", 10, 5, 6, 2)
    done = priscian.convert(
        "gulordava", folder / "m.pt", folder / "out", vocab=save_words(folder / "vocab.txt")
    )
    assert done.card["vocabulary"] == 10
    return network, folder / "out"


class TestGulordava:
    def score(self, model: str) -> Any:
        return priscian.load_model(model).score([SENTENCE])[0]

    def test_words_are_scored_after_the_boundary(self, made: tuple[Any, Path]) -> None:
        network, out = made
        eos = WORDS.index("<eos>")
        found = self.score(f"lstm:{out}")
        assert found.logps == pytest.approx(reference(network, [eos, *IDS]), abs=1e-5)
        assert [SENTENCE[s:e] for s, e in zip(found.starts, found.ends, strict=True)] == [
            "the", "cat", "sees", "a", "zebra", ".",
        ]  # fmt: skip

    def test_blimps_convention_counts_the_end_as_well(self, made: tuple[Any, Path]) -> None:
        network, out = made
        eos = WORDS.index("<eos>")
        wanted = reference(network, [eos, *IDS, eos])
        found = self.score(f"{out}?eos=yes")
        assert found.logps == pytest.approx(wanted, abs=1e-5)
        assert found.total == pytest.approx(sum(wanted), abs=1e-4)

    def test_lm_zoos_convention_begins_with_the_first_word(self, made: tuple[Any, Path]) -> None:
        network, out = made
        found = self.score(f"lstm:{out}?bos=none")
        assert math.isnan(found.logps[0])
        assert found.logps[1:] == pytest.approx(reference(network, IDS), abs=1e-5)

    def test_the_three_conventions_have_three_keys(self, made: tuple[Any, Path]) -> None:
        from priscian.models import model_key

        _, out = made
        names = [f"lstm:{out}", f"lstm:{out}?bos=none", f"lstm:{out}?eos=yes"]
        assert len({model_key(name).digest for name in names}) == 3

    def test_the_card_says_where_it_came_from(self, made: tuple[Any, Path]) -> None:
        card = json.loads((made[1] / "card.json").read_text())
        assert [source["file"] for source in card["converted_from"]] == ["m.pt", "vocab.txt"]
        assert all(len(source["sha256"]) == 64 for source in card["converted_from"])

    def test_a_word_twice_in_the_list_is_its_last_row(self, tmp_path: Path) -> None:
        network = save_module(tmp_path / "m.pt", "LSTM", 10, 5, 6, 1)
        words = [*WORDS[:-1], "cat"]
        save_words(tmp_path / "v.txt", words)
        priscian.convert("gulordava", tmp_path / "m.pt", tmp_path / "o", vocab=tmp_path / "v.txt")
        model = FolderModel(tmp_path / "o")
        found = next(iter(model.score([priscian.Text("cat")])))
        assert found.logps == pytest.approx(reference(network, [6, 9]), abs=1e-5)

    @pytest.mark.parametrize(
        ("kind", "words", "message"),
        [
            ("GRU", WORDS, "holds a GRU, not an LSTM"),
            ("RNN", WORDS, "holds a plain RNN"),
            ("LSTM", WORDS[:-1], "9 words, and .* has rows for 10"),
            ("LSTM", ["x" if w == "<eos>" else w for w in WORDS], "boundary of sentences"),
            ("LSTM", ["x" if w == "<unk>" else w for w in WORDS], "unknown words"),
        ],
    )
    def test_what_cannot_be_converted_is_one_line(
        self, kind: str, words: list[str], message: str, tmp_path: Path
    ) -> None:
        save_module(tmp_path / "m.pt", kind, 10, 5, 6, 1)
        vocab = save_words(tmp_path / "v.txt", words)
        with pytest.raises(PriscianError, match=message):
            priscian.convert("gulordava", tmp_path / "m.pt", tmp_path / "o", vocab=vocab)
        assert not (tmp_path / "o").exists()

    def test_a_full_folder_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "o").mkdir()
        (tmp_path / "o" / "notes").write_text("x")
        with pytest.raises(PriscianError, match="not an empty folder"):
            priscian.convert("gulordava", tmp_path / "m.pt", tmp_path / "o", vocab="v.txt")


def xl_ids(text: str) -> list[int]:
    known = {word: n for n, word in enumerate(XL_WORDS)}
    return [known.get(word, 1) for word in text.split()]


class TestTransfoXl:
    TEXT = "the cats see a zebra . it sees dogs ."

    @pytest.mark.parametrize("own", [True, False], ids=["biases by layer", "shared"])
    @pytest.mark.parametrize("facts", [{}, {"same_length": False, "clamp_len": -1, "mem_len": 3}])
    def test_it_scores_as_the_published_equations_say(
        self, own: bool, facts: dict[str, Any], tmp_path: Path
    ) -> None:
        arrays = xl_arrays(own_biases=own)
        source = save_xl(tmp_path / "in", arrays, **facts)
        priscian.convert("transfo-xl", source, tmp_path / "out", words="space")
        told = {**facts, "clamp_len": 10**6} if facts else facts
        wanted = xl_logprobs(arrays, [0, *xl_ids(self.TEXT), 0], **told)
        found = priscian.load_model(f"txl:{tmp_path / 'out'}?eos=yes").score([self.TEXT])[0]
        assert found.logps == pytest.approx(wanted, abs=2e-5)
        unopened = priscian.load_model(f"{tmp_path / 'out'}?bos=none").score([self.TEXT])[0]
        assert math.isnan(unopened.logps[0])
        told_ids = xl_ids(self.TEXT)
        assert unopened.logps[1:] == pytest.approx(xl_logprobs(arrays, told_ids, **told), abs=2e-5)

    def test_probabilities_of_all_words_sum_to_one(self, tmp_path: Path) -> None:
        from priscian.models.txl import TransformerXlModel

        source = save_xl(tmp_path / "in", xl_arrays())
        priscian.convert("transfo-xl", source, tmp_path / "out")
        model = TransformerXlModel(tmp_path / "out")
        found = model.logprobs([[2, 3, word] for word in range(12)])
        assert sum(math.exp(logps[-1]) for logps in found) == pytest.approx(1, abs=1e-5)

    @pytest.mark.parametrize(
        ("change", "facts", "message"),
        [
            ({}, {"pre_lnorm": True}, "norm first"),
            ({}, {"attn_type": 1}, "another kind of attention"),
            ({}, {"cutoffs": [5, 9]}, "bands do not end|sizes that do not fit"),
            ({}, {"cutoffs": "x"}, "must be numbers"),
            ({"crit.out_layers.1.weight": torch.ones(3, 4)}, {}, "tie_weight is off"),
            ({"crit.cluster_weight": None}, {}, "no array 'crit.cluster_weight'"),
            ({"transformer.layers.1.pos_ff.CoreNet.0.bias": torch.ones(3)}, {}, "does not fit"),
            ({"crit.cluster_bias": torch.tensor([math.nan, 1])}, {}, "not a finite number"),
        ],
    )
    def test_what_we_cannot_hold_is_one_line(
        self, change: dict[str, Any], facts: dict[str, Any], message: str, tmp_path: Path
    ) -> None:
        arrays = {k: v for k, v in {**xl_arrays(), **change}.items() if v is not None}
        source = save_xl(tmp_path / "in", arrays, **facts)
        with pytest.raises(PriscianError, match=message):
            priscian.convert("transfo-xl", source, tmp_path / "out")
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize("protocol", [2, 4, 5])
    def test_a_plainly_pickled_vocabulary_gives_the_same_folder(
        self, protocol: int, tmp_path: Path
    ) -> None:
        """Transformers 4 dumps the tokenizer's attributes, compiled patterns among them."""
        source = save_xl(tmp_path / "in", xl_arrays())
        priscian.convert("transfo-xl", source, tmp_path / "torch")
        facts = {
            "punctuation": re.compile("[.,]"),
            "never_split": {"<eos>"},
            "idx2sym": list(XL_WORDS),
            "sym2idx": OrderedDict((word, n) for n, word in enumerate(XL_WORDS)),
        }
        (source / "vocab.bin").unlink()
        (source / "vocab.pkl").write_bytes(pickle.dumps(facts, protocol))
        priscian.convert("transfo-xl", source, tmp_path / "plain")
        for name in ("vocabulary.json", "model.safetensors", "config.json"):
            assert (tmp_path / "plain" / name).read_bytes() == (
                tmp_path / "torch" / name
            ).read_bytes()

    def test_missing_files_are_named(self, tmp_path: Path) -> None:
        with pytest.raises(PriscianError, match=r"none of pytorch_model\.bin"):
            priscian.convert("transfo-xl", tmp_path, tmp_path / "out")
        source = save_xl(tmp_path / "in", xl_arrays())
        (source / "config.json").unlink()
        with pytest.raises(PriscianError, match="`config=`"):
            priscian.convert("transfo-xl", source, tmp_path / "out")
        (source / "vocab.bin").unlink()
        with pytest.raises(PriscianError, match="`vocab=`"):
            priscian.convert("transfo-xl", source, tmp_path / "out")


def test_the_command_says_how_to_use_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from priscian.cli.app import run

    save_module(tmp_path / "m.pt", "LSTM", 10, 5, 6, 1)
    save_words(tmp_path / "v.txt")
    out = tmp_path / "out"
    given = ["--vocab", str(tmp_path / "v.txt"), "--out", str(out)]
    assert run(["convert", "gulordava", str(tmp_path / "m.pt"), *given]) == 0
    assert f"use it as {out} or lstm:{out}" in capsys.readouterr().out.replace("\n", " ")
    assert run(["convert", "gulordava", str(tmp_path / "m.pt"), *given]) == 2
    assert "not an empty folder" in capsys.readouterr().err
    save_xl(tmp_path / "in", xl_arrays())
    assert run(["convert", "transfo-xl", str(tmp_path / "in"), "--out", str(tmp_path / "x")]) == 0
    assert "txl:" in capsys.readouterr().out


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(PriscianError, match="gulordava"):
        priscian.convert("gulordova", "x", "y")


def test_after_a_full_disk_nothing_is_left_and_the_same_call_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_module(tmp_path / "m.pt", "LSTM", 10, 5, 6, 1)
    vocab, out = save_words(tmp_path / "v.txt"), tmp_path / "out"

    def full(path: Path, arrays: object) -> None:
        raise OutputError(f"cannot write {path}: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("priscian.models.convert.folder.write_safetensors", full)
        with pytest.raises(OutputError, match="No space left on device"):
            priscian.convert("gulordava", tmp_path / "m.pt", out, vocab=vocab)
    assert not out.exists()
    priscian.convert("gulordava", tmp_path / "m.pt", out, vocab=vocab)
    names = ["card.json", "config.json", "model.safetensors", "vocabulary.json"]
    assert sorted(path.name for path in out.iterdir()) == names
