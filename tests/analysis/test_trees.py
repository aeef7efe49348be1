"""Distances of words in an ON-LSTM, and the trees that they make."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import priscian  # noqa: E402
from priscian.analysis.trees import word_distances  # noqa: E402
from priscian.cli.app import run  # noqa: E402
from priscian.errors import PriscianError  # noqa: E402
from priscian.models.lstm import FolderModel  # noqa: E402
from priscian.models.networks.on_lstm import OnLstm, OnLstmShape  # noqa: E402
from priscian.models.safetensors_file import write_safetensors  # noqa: E402
from priscian.models.vocabulary import WordVocabulary  # noqa: E402
from priscian.trees import f1, split_by_distance  # noqa: E402

WORDS = ["the", "cat", "sees", "a", "dog", ",", ".", "it", "rains"]
TREES = """\
(ROOT (S (NP-SBJ (DT the) (NN cat)) (, ,) (VP (VBZ sees) (NP (DT a) (NN dog))) (. .)))
(ROOT (S (NP (PRP it)) (VP (VBZ rains)) (. .)))
(ROOT (NP (NN cat)))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[OnLstm, Path]:
    """A small network with random weights, and its folder."""
    folder = tmp_path_factory.mktemp("on-lstm")
    torch.manual_seed(2)
    network = OnLstm(OnLstmShape(2 + len(WORDS), 8, 12, 3, 4)).eval()
    write_safetensors(
        folder / "model.safetensors", {n: v.numpy() for n, v in network.state_dict().items()}
    )
    (folder / "config.json").write_text(json.dumps(network.config()))
    WordVocabulary(["<s>", "UNK", *WORDS]).save(folder)
    (folder / "trees.txt").write_text(TREES)
    return network, folder


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_distances_equal_those_of_the_trainer(made: tuple[OnLstm, Path], layer: int) -> None:
    network, folder = made
    model = FolderModel(folder)
    sequences = [[2, 3, 4, 5, 6], [9, 10], [2], [3, 4, 10, 2]]
    found = word_distances(model.network, sequences, layer)
    for sequence, values in zip(sequences, found, strict=True):
        with torch.inference_mode():
            _, _, wanted = network.read(torch.tensor([[0, *sequence]]))
        np.testing.assert_allclose(values, wanted[layer - 1][1:, 0].numpy(), atol=2e-6)


def test_a_sentence_is_split_by_the_distances_of_its_words(made: tuple[OnLstm, Path]) -> None:
    network, folder = made
    found = priscian.analyse.trees(str(folder), folder / "trees.txt")
    assert (found.sentences, found.words) == (2, 7)  # one word alone has no tree
    ids = torch.tensor([[0, 2, 3, 7, 4, 5, 6, 8]])
    with torch.inference_mode():
        _, _, distances = network.read(ids)
    kept = [float(distances[1][at, 0]) for at in (1, 2, 4, 5, 6)]  # without the comma and the stop
    first = f1(frozenset({(0, 2), (2, 5), (3, 5)}), split_by_distance(kept))
    assert found.f1 == pytest.approx(100 * (first + 1) / 2)
    assert found.right_branching == pytest.approx(100 * (2 / 3 + 1) / 2)


def test_the_command_prints_the_baselines_beside_it(
    made: tuple[OnLstm, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = made[1]
    given = ["analyse", "trees", str(folder), "--on", str(folder / "trees.txt")]
    assert run(given) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in ("right-branching", "random trees", "random distances"))
    assert run([*given, "--json", "--limit", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["sentences"] == 1


def test_what_has_no_distances_is_refused(made: tuple[OnLstm, Path], tmp_path: Path) -> None:
    folder = made[1]
    with pytest.raises(PriscianError, match="not an ON-LSTM"):
        priscian.analyse.trees("builtin:lstm", folder / "trees.txt")
    with pytest.raises(PriscianError, match="layers 1 to 3, not 4"):
        priscian.analyse.trees(str(folder), folder / "trees.txt", layer=4)
    for limit in (0, -1):
        with pytest.raises(PriscianError, match=f"a limit of {limit} trees leaves nothing"):
            priscian.analyse.trees(str(folder), folder / "trees.txt", limit=limit)
    (tmp_path / "t.txt").write_text("(X (NN cat))")
    with pytest.raises(PriscianError, match="no tree has two words"):
        priscian.analyse.trees(str(folder), tmp_path / "t.txt")
