"""Recurrent models on NumPy: equal to torch, one score whatever the batch, honest about files."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import ModelError, UsageError
from priscian.models.lstm import LstmModel, LstmProvider, NumpyLstm
from priscian.models.plstm import (
    BOUNDARY,
    BYTES,
    INNER,
    WordPieces,
    read_model,
    split_words,
    write_model,
)
from priscian.models.spec import ModelSpec
from priscian.records import Text

torch = pytest.importorskip("torch")

from priscian.models.networks.lstm import Lstm as Network  # noqa: E402
from priscian.models.networks.lstm import LstmShape  # noqa: E402
from priscian.training.plstm import export, restore  # noqa: E402

CHARACTERS = [chr(code) for code in range(33, 127)]
WORDS = ["the", "a", "keys", "Rose", "rose", "cabinet", "n't", "'s", "is", "are", "does"]
MERGES = (("i", "##n"), ("##n", "##g"), ("##i", "##ng"))
PIECES = WordPieces(
    (
        BOUNDARY,
        *WORDS,
        "in",
        "##ng",
        "##ing",
        *BYTES,
        *CHARACTERS,
        *(INNER + c for c in CHARACTERS),
    ),
    MERGES,
)
SENTENCES = [
    "The keys to the cabinet are here.",
    "The keys to the cabinet is here.",
    "The keys",
    "Rose doesn't sing.",
    "",
    "A naïve café in Łódź costs 30 €!",
    "The keys to the cabinet are here.",
]


@pytest.fixture(scope="module")
def network() -> Network:
    """A random network whose softmax has three bands, with weights large enough to matter."""
    torch.manual_seed(3)
    made = Network(
        LstmShape(len(PIECES.tokens), 16, 24), ((40, 16), (120, 8), (len(PIECES.tokens), 4))
    ).eval()
    with torch.no_grad():
        for value in made.parameters():
            value.add_(torch.randn_like(value) * 0.3)
    return made


@pytest.fixture(scope="module")
def file(network: Network, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same network as a model file."""
    path = tmp_path_factory.mktemp("lstm") / "tiny.plstm"
    export(path, network, PIECES, {"seed": "3"})
    return path


def by_torch(network: Network, ids: list[int]) -> list[float]:
    """The plain way: one sequence, one pass, the whole distribution written out."""
    with torch.inference_mode():
        states, _ = network.read(torch.tensor([[0, *ids[:-1]]]))
        values = network.words.logprobs(states[:, 0], torch.tensor(ids))
    return [float(value) for value in values]


def test_numpy_equals_torch_on_the_stored_weights(file: Path) -> None:
    model, network = LstmModel(file), restore(file)
    for text, scores in zip(SENTENCES, model.score([Text(s) for s in SENTENCES]), strict=True):
        ids, _, _ = PIECES.encode(text)
        wanted = by_torch(network, ids) if ids else []
        assert scores.logps == pytest.approx(wanted, abs=1e-4)


def test_float16_changes_a_token_by_less_than_a_hundredth_of_a_nat(
    file: Path, network: Network
) -> None:
    ids, _, _ = PIECES.encode(SENTENCES[0])
    assert by_torch(restore(file), ids) == pytest.approx(by_torch(network, ids), abs=0.01)


def test_probabilities_of_all_next_tokens_sum_to_one(file: Path) -> None:
    network = NumpyLstm(read_model(file).weights)
    beginning = PIECES.encode("The keys")[0]
    count = len(PIECES.tokens)
    found = network.logprobs([[*beginning, token] for token in range(count)])
    assert math.fsum(math.exp(values[-1]) for values in found) == pytest.approx(1.0, abs=1e-5)


@given(st.lists(st.lists(st.integers(0, 299), max_size=9), max_size=8))
def test_a_score_does_not_depend_on_its_batch(file: Path, rows: list[list[int]]) -> None:
    network = NumpyLstm(read_model(file).weights)
    for row, values in zip(rows, network.logprobs(rows), strict=True):
        assert len(values) == len(row)
        np.testing.assert_allclose(values, network.logprobs([row])[0], atol=1e-4)


def test_more_texts_than_advance_together_keep_their_order(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from priscian.models import lstm as recurrent

    network = NumpyLstm(read_model(file).weights)
    rows = [PIECES.encode(s)[0] for s in SENTENCES]
    whole = network.logprobs(rows)
    monkeypatch.setattr(recurrent, "TOGETHER", 2)
    for one, two in zip(whole, network.logprobs(rows), strict=True):
        np.testing.assert_allclose(one, two, atol=1e-4)


def test_a_context_is_read_and_not_scored(file: Path) -> None:
    model = LstmModel(file)
    whole = "The keys to the cabinet are here."
    (joined,) = model.score([Text(whole)])
    (tail,) = model.score([Text(whole[8:], context=whole[:8])])
    assert tail.logps == pytest.approx(joined.logps[2:], abs=1e-5)
    assert next(whole[8:][s:e] for s, e in zip(tail.starts, tail.ends, strict=True)) == "t"


def test_tokens_lie_where_their_text_is() -> None:
    text = "Rose doesn’t sing. The keys’s café"
    ids, starts, ends = PIECES.encode(text)
    shown = [(PIECES.tokens[i], text[s:e]) for i, s, e in zip(ids, starts, ends, strict=True)]
    assert shown[:6] == [
        ("rose" if PIECES.usual_case("Rose") == "rose" else "Rose", "Rose"),
        ("does", "does"),
        ("n't", "n’t"),
        ("s", "s"),
        ("##ing", "ing"),
        (".", "."),
    ]
    assert shown[6:9] == [("the", "The"), ("keys", "keys"), ("'s", "’s")]
    assert shown[-2:] == [("<0xC3>", "é"), ("<0xA9>", "é")]


def test_the_capital_of_a_first_word_is_kept_only_for_what_is_oftener_a_name() -> None:
    assert PIECES.usual_case("Rose") == "Rose"  # the commoner of the two here
    assert PIECES.usual_case("The") == "the"
    assert PIECES.usual_case("Zebra") == "zebra"  # neither is known as a whole
    assert PIECES.word("Rose", initial=False) == (PIECES.tokens.index("Rose"),)
    words = [(w.form, w.initial) for w in split_words('"Go," he said. Run')]
    assert words == [
        ('"', True), ("Go", True), (",", False), ('"', False), ("he", False),
        ("said", False), (".", False), ("Run", True),
    ]  # fmt: skip


@given(st.text(max_size=30))
def test_every_visible_character_is_in_a_token_and_offsets_do_not_go_back(text: str) -> None:
    _, starts, ends = PIECES.encode(text)
    covered = {at for s, e in zip(starts, ends, strict=True) for at in range(s, e)}
    assert covered == {at for at, char in enumerate(text) if not char.isspace()}
    assert starts == sorted(starts)
    assert all(s < e for s, e in zip(starts, ends, strict=True))


def test_a_file_reads_back_as_it_was_written(file: Path, network: Network) -> None:
    stored = read_model(file)
    assert stored.pieces.tokens == PIECES.tokens
    assert stored.pieces.merges == MERGES
    assert stored.card == {"seed": "3"}
    for name, value in network.state_dict().items():
        np.testing.assert_array_equal(
            stored.weights[name.removeprefix("words.")], value.numpy().astype(np.float16)
        )


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda data: data[:-1], "damaged or cut short"),
        (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "damaged or cut short"),
        (lambda data: b"\\data\\\nngram 1=3\n", "not a recurrent model"),
        (lambda data: b"", "not a recurrent model"),
        (lambda data: data.replace(b"LSTM 1", b"LSTM 9", 1), "format 9"),
    ],
)
def test_damaged_files_are_refused(file: Path, tmp_path: Path, damage, complaint: str) -> None:
    broken = tmp_path / "broken.plstm"
    broken.write_bytes(damage(file.read_bytes()))
    with pytest.raises(ModelError, match=complaint):
        read_model(broken)


def test_weights_that_float16_cannot_hold_are_refused_and_nothing_is_written(
    file: Path, tmp_path: Path
) -> None:
    stored = read_model(file)
    stored.weights["out.bias"][0] = 1e6
    with pytest.raises(ModelError, match=r"out\.bias"):
        write_model(tmp_path / "new.plstm", stored)
    assert list(tmp_path.iterdir()) == []


def test_keys_follow_the_contents(file: Path, tmp_path: Path) -> None:
    provider = LstmProvider()
    copy = tmp_path / "copy.plstm"
    copy.write_bytes(file.read_bytes())
    key = provider.key(ModelSpec("lstm", str(file)))
    assert provider.key(ModelSpec("lstm", str(copy))) == key
    copy.write_bytes(file.read_bytes() + b" ")
    assert provider.key(ModelSpec("lstm", str(copy))) != key
    with pytest.raises(ModelError, match="no model file"):
        provider.key(ModelSpec("lstm", str(tmp_path / "none")))
    with pytest.raises(UsageError, match="no option 'dtype'"):
        provider.key(ModelSpec("lstm", str(file), "", {"dtype": "float32"}))


def test_scoring_needs_no_torch(file: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from priscian.models.lstm import LstmModel\n"
        "from priscian.records import Text\n"
        "print(len(list(LstmModel(Path(sys.argv[1])).score([Text('The keys')]))))\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(file)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["1", "False"]


def test_the_embedded_model_is_found_keyed_and_small() -> None:
    from priscian.models import load, model_key
    from priscian.models.builtin import MODELS

    path = MODELS["lstm"].path
    assert path.stat().st_size <= 10_000_000
    assert model_key("builtin:lstm").fields["weights"]
    assert model_key("builtin:lstm?name=mine") == model_key("builtin:lstm")
    model = load("builtin:lstm")
    assert isinstance(model, LstmModel)
    ids = model.pieces.encode("The keys to the cabinet are here.")[0]
    (scores,) = model.score([Text("The keys to the cabinet are here.")])
    assert scores.logps == pytest.approx(by_torch(restore(path), ids), abs=1e-3)


def test_the_embedded_model_prefers_plain_english() -> None:
    from priscian.models import load

    pairs = [
        ("The boys were here.", "The boys was here."),
        ("She has seen him.", "She has saw him."),
        ("These books are old.", "This books are old."),
    ]
    model = load("builtin:lstm")
    for good, bad in pairs:
        better, worse = model.score([Text(good), Text(bad)])
        assert better.total > worse.total


def test_an_unknown_embedded_model_is_refused_with_the_known_ones() -> None:
    from priscian.models import model_key

    with pytest.raises(UsageError, match="lstm"):
        model_key("builtin:lstn")
