"""The grammar's batched likelihood against its equations followed one action at a time."""

from __future__ import annotations

import gc
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests.models.networks.simple_rnng import SimpleRnng  # noqa: E402

from priscian.errors import UsageError  # noqa: E402
from priscian.models.networks.actions import PADDING, Oracle, valid_kinds  # noqa: E402
from priscian.models.networks.beam import Hypotheses  # noqa: E402
from priscian.models.networks.cells import Cells  # noqa: E402
from priscian.models.networks.rnng import Rnng, RnngShape  # noqa: E402

LABELS = ("S", "NP", "VP")


def make(vocabulary: int = 8, **more: object) -> Rnng:
    torch.manual_seed(3)
    sizes = {"embedding": 6, "hidden": 5, "layers": 2, "dropout": 0.0, **more}
    return Rnng(RnngShape(vocabulary, LABELS, **sizes)).double().eval()


def draw(random_: random.Random, depth: int = 0) -> list[int]:
    """A random tree as action ids."""
    ids = [1 + random_.randrange(3)]
    for _ in range(random_.randint(1, 3)):
        if depth < 3 and random_.random() < 0.5:
            ids += draw(random_, depth + 1)
        else:
            ids.append(3 + random_.randint(1, 7))
    return [*ids, 0]


def rows_of(trees: list[list[int]]) -> torch.Tensor:
    longest = max(map(len, trees))
    return torch.tensor([[*tree, *[PADDING] * (longest - len(tree))] for tree in trees])


def taken_apart(tree: list[int]) -> tuple[list[int], list[int]]:
    kinds = [0 if a == 0 else 1 if a > 3 else a + 1 for a in tree]
    return kinds, [a - 4 for a in tree if a > 3]


@pytest.mark.parametrize("history", ["stack", "full"])
@pytest.mark.parametrize("vocabulary", [8, 150])
def test_the_likelihood_of_a_batch_is_the_sum_over_single_actions(
    history: str, vocabulary: int
) -> None:
    network = make(vocabulary, history=history)
    trees = [draw(random.Random(seed)) for seed in range(9)]
    alone = [SimpleRnng(network).logprob(*taken_apart(tree)) for tree in trees]
    tokens = sum(len(taken_apart(tree)[1]) + 1 for tree in trees)
    with torch.no_grad():
        loss, memory = network(rows_of(trees))
        singles = [float(network(rows_of([tree]))[0]) for tree in trees]
    assert memory is None
    assert float(loss) * tokens == pytest.approx(-sum(alone), abs=1e-9)
    for value, tree, wanted in zip(singles, trees, alone, strict=True):
        words = taken_apart(tree)[1]
        assert value * (len(words) + 1) == pytest.approx(-wanted, abs=1e-9)


@pytest.mark.parametrize("history", ["stack", "full"])
def test_gradients_equal_differences_of_the_likelihood(history: str) -> None:
    network = make(history=history)
    rows = rows_of([draw(random.Random(seed)) for seed in range(4)])
    network(rows)[0].backward()
    step = 1e-6
    for name, value in network.named_parameters():
        if not value.numel():
            continue
        assert value.grad is not None, name
        flat = value.data.view(-1)
        place = int(value.grad.abs().view(-1).argmax())
        before = float(flat[place])
        found = []
        for sign in (1, -1):
            flat[place] = before + sign * step
            with torch.no_grad():
                found.append(float(network(rows)[0]))
        flat[place] = before
        numeric = (found[0] - found[1]) / (2 * step)
        assert float(value.grad.view(-1)[place]) == pytest.approx(numeric, rel=1e-5, abs=1e-8), name


def test_actions_are_valid_only_where_a_tree_can_go_on() -> None:
    shape = RnngShape(8, LABELS, most_open=2, most_opening=2)
    opened = torch.tensor([0, 1, 1, 2, 2])
    run = torch.tensor([0, 1, 0, 2, 0])
    found = valid_kinds(opened, run, shape)[:, :3].tolist()  # REDUCE, SHIFT, NT
    assert found == [
        [False, False, True],  # a sentence begins with NT
        [False, True, True],  # no REDUCE right after NT
        [True, True, True],
        [False, True, False],  # two are open, and two were opened in a row
        [True, True, False],
    ]


def test_the_oracle_has_constituents_by_height_and_cells_by_depth() -> None:
    # (S (NP a) b) and (S a), padded; labels 3: NT is 1–3, words from 4
    oracle = Oracle.read(rows_of([[1, 2, 4, 0, 5, 0], [1, 4, 0]]), RnngShape(8, LABELS))
    assert oracle.tokens == 5
    assert oracle.words.tolist() == [0, 1, 0]
    assert oracle.labels.tolist() == [0, 1, 0]
    (closing,) = oracle.closings  # nothing is pushed when the whole sentence is closed
    assert (closing.labels.tolist(), closing.counts.tolist()) == ([1], [1])
    assert closing.children.tolist() == [[0]]
    # cells: guard | S S | NP-opened NP-closed a | a b
    assert [below.tolist() for below in oracle.below] == [[0, 0], [1, 1, 2], [3, 4]]
    assert oracle.pushed.tolist() == [3, 5, 4, 6, 2, 0, 1]
    assert oracle.tops.tolist() == [0, 1, 3, 6, 4, 7, 0, 2, 5]


def test_unknown_histories_and_missing_labels_are_named() -> None:
    with pytest.raises(UsageError, match=r"network\.history = 'words'; it takes stack or full"):
        make(history="words")
    with pytest.raises(UsageError, match="train it on trees"):
        Rnng(RnngShape(8))


@pytest.mark.parametrize("history", ["stack", "full"])
def test_nothing_is_left_of_a_step(history: str) -> None:
    """A circle through autograd is never freed, and a batch holds a hundred megabytes."""
    network = Rnng(RnngShape(8, LABELS, 8, 8, history=history))
    rows = rows_of([[1, 2, 4, 0, 5, 0], [1, 4, 0]])

    def alive() -> int:
        network(rows)[0].backward()
        network.zero_grad()
        gc.collect()
        return sum(issubclass(type(thing), torch.Tensor) for thing in gc.get_objects())

    assert alive() == alive()


def test_a_step_that_shares_products_is_an_ordinary_step() -> None:
    torch.manual_seed(3)
    cells = Cells(5, 7, 3).eval()
    x, state = torch.randn(4, 5), torch.randn(2, cells.size)
    of_x, of_state = torch.tensor([0, 3, 3, 1, 2, 0]), torch.tensor([1, 1, 0, 0, 1, 0])
    with torch.inference_mode():
        expected = cells.step(x[of_x], state[of_state])
        found = cells.step_shared(x, of_x, state, of_state)
    torch.testing.assert_close(found, expected)


def test_a_constituent_that_many_close_is_composed_once() -> None:
    network = Rnng(RnngShape(8, LABELS, 8, 8)).eval()
    composed: list[int] = []
    network.compose.register_forward_hook(lambda _, given, made: composed.append(len(made)))
    with torch.inference_mode():
        built = Hypotheses(network)
        # (S (VP a and (NP (VP a: both close the same constituent
        opened = built.open(built.open(np.zeros(2, int), np.array([0, 1])), np.array([2, 2]))
        closed = built.reduce(built.shift(opened, np.array([3, 3])))
    assert composed == [1]
    assert len(set(built.facts["vector"][closed].tolist())) == 1
    assert [built.actions_of(int(cell)) for cell in closed] == [[2, 4, 1, 0], [3, 4, 1, 0]]
