"""Architectures against references: Transformers' GPT-2, a double loop, `nn.LSTM`, NumPy."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from priscian.models.lstm import NumpyLstm  # noqa: E402
from priscian.models.networks import gpt2  # noqa: E402
from priscian.models.networks.gpt2 import Gpt2, Gpt2Shape, attend  # noqa: E402
from priscian.models.networks.lstm import Lstm, LstmShape  # noqa: E402
from priscian.models.networks.on_lstm import OnLstm, OnLstmLayer, OnLstmShape  # noqa: E402
from priscian.models.networks.transformer_xl import (  # noqa: E402
    TransformerXl,
    TransformerXlShape,
    sinusoids,
)
from priscian.models.networks.word_tables import (  # noqa: E402
    WordTables,
    bands_for,
    linear_cross_entropy,
)


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(7)


def arrays(network: torch.nn.Module) -> dict[str, Any]:
    """Weights as the NumPy runtime names them."""
    return {n.removeprefix("words."): v.detach().numpy() for n, v in network.state_dict().items()}


class TestOutput:
    @pytest.mark.parametrize(("share", "scale"), [(1.0, 1.0), (0.5, 1.0), (1.0, 0.25)])
    @pytest.mark.parametrize("chunk", [1, 5, 1000])
    def test_loss_and_gradients_equal_torchs(
        self, chunk: int, share: float, scale: float, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("priscian.models.networks.word_tables.CHUNK_CELLS", chunk * 11)
        states = torch.randn(13, 6, dtype=torch.float64, requires_grad=True)
        weight = torch.randn(11, 6, dtype=torch.float64, requires_grad=True)
        bias = torch.randn(11, dtype=torch.float64, requires_grad=True)
        targets = torch.randint(0, 11, (13,))
        wanted = torch.nn.functional.cross_entropy(states @ weight.T + bias, targets)
        expected = torch.autograd.grad(wanted * share * scale, (states, weight, bias))
        loss = linear_cross_entropy(states, weight, targets, bias, share)
        found = torch.autograd.grad(loss * scale, (states, weight, bias))
        assert loss.item() == pytest.approx(share * wanted.item(), rel=1e-12)
        for ours, theirs in zip(found, expected, strict=True):
            torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)

    def test_a_target_of_hardly_any_probability_has_its_whole_surprisal(self) -> None:
        states = torch.tensor([[1.0, 0.0], [0.0, 1.0]], requires_grad=True)
        weight = torch.tensor([[200.0, 0.0], [-300.0, 0.0], [0.0, 1.0]])
        targets = torch.tensor([1, 2])
        wanted = torch.nn.functional.cross_entropy(states @ weight.T, targets)
        assert wanted.item() > 200  # e⁻⁵⁰⁰ is no number in float32
        loss = linear_cross_entropy(states, weight, targets)
        assert loss.item() == pytest.approx(wanted.item(), rel=1e-6)
        loss.backward()
        assert torch.isfinite(states.grad).all()
        spoilt = linear_cross_entropy(states * float("nan"), weight, targets)
        assert math.isnan(spoilt.item())

    @pytest.mark.parametrize("softmax", ["full", "adaptive", "adaptive:4,50,120,1000"])
    def test_bands_sum_to_one_and_their_loss_is_their_mean_surprisal(self, softmax: str) -> None:
        words = WordTables(bands_for(200, 16, softmax)).double()
        state = torch.randn(1, 16, dtype=torch.float64)
        logps = words.logprobs(state.expand(200, 16), torch.arange(200))
        assert logps.exp().sum().item() == pytest.approx(1.0, abs=1e-12)
        targets = torch.tensor([3, 50, 199, 20, 120])
        states = torch.randn(5, 16, dtype=torch.float64)
        wanted = -words.logprobs(states, targets).mean()
        assert words.loss(states, targets).item() == pytest.approx(wanted.item(), abs=1e-12)

    def test_bands_end_at_the_named_ranks_that_the_vocabulary_has(self) -> None:
        assert bands_for(60, 16, "adaptive") == ((60, 16),)
        assert bands_for(60, 16, "adaptive:20,40") == ((20, 16), (40, 8), (60, 4))
        bands = bands_for(5000, 256, "adaptive:2000,10000")
        assert bands == ((2000, 256), (5000, 128))


class TestGpt2:
    def test_loss_and_every_gradient_equal_transformers(self) -> None:
        transformers = pytest.importorskip("transformers")
        ours = Gpt2(Gpt2Shape(vocabulary=97, layers=3, width=24, heads=4, positions=16))
        config = {
            k: v for k, v in ours.config().items() if k not in ("model_type", "architectures")
        }
        theirs = transformers.GPT2LMHeadModel(transformers.GPT2Config(**config))
        missing = theirs.load_state_dict(ours.state_dict(), strict=False)
        assert missing.unexpected_keys == []
        theirs.tie_weights()
        rows = torch.randint(0, 97, (5, 12))
        loss, memory = ours(rows)
        loss.backward()
        wanted = theirs(rows, labels=rows).loss
        wanted.backward()
        assert memory is None
        assert loss.item() == pytest.approx(wanted.item(), rel=1e-5)
        grads = dict(theirs.named_parameters())
        for name, value in ours.named_parameters():
            torch.testing.assert_close(value.grad, grads[name].grad, rtol=1e-4, atol=1e-6)

    @pytest.mark.parametrize("time", [1, 2, 13])
    def test_attention_and_its_gradients_equal_the_fused_kernel(self, time: int) -> None:
        given = [torch.randn(3, 2, time, 8, dtype=torch.float64) for _ in range(3)]
        given = [part.requires_grad_() for part in given]
        towards = torch.randn(3, 2, time, 8, dtype=torch.float64)
        wanted = torch.nn.functional.scaled_dot_product_attention(*given, is_causal=True)
        expected = torch.autograd.grad(wanted, given, towards)
        found = attend(*given)
        torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-12)
        for ours, theirs in zip(torch.autograd.grad(found, given, towards), expected, strict=True):
            torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)

    def test_attention_drops_weights_with_the_given_probability(self) -> None:
        ones = torch.ones(50, 2, 10, 4)
        one = attend(ones, ones, ones, dropout=0.25)[..., 0, 0]  # a first token sees only itself
        assert one.unique().tolist() == pytest.approx([0, 1 / 0.75])
        assert (one == 0).float().mean().item() == pytest.approx(0.25, abs=0.12)

    def test_long_rows_take_the_fused_kernel_and_give_the_same(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        network = Gpt2(Gpt2Shape(vocabulary=97, layers=2, width=24, heads=4, positions=16))
        rows = torch.randint(0, 97, (5, 12))
        short = network(rows)[0].item()
        monkeypatch.setattr(gpt2, "SHORT", 4)
        monkeypatch.delattr(gpt2, "attend")
        assert network(rows)[0].item() == pytest.approx(short, rel=1e-6)


class TestTransformerXl:
    def make(self) -> TransformerXl:
        shape = TransformerXlShape(50, layers=3, width=24, heads=3, inner=32, memory=64)
        return TransformerXl(shape).double().eval()

    def test_segments_with_a_long_memory_equal_one_pass(self) -> None:
        network = self.make()
        ids = torch.randint(0, 50, (2, 20))
        whole, _ = network.read(ids)
        memory, parts = None, []
        for begin in range(0, 20, 5):
            states, memory = network.read(ids[:, begin : begin + 5], memory)
            parts.append(states)
        torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=0, atol=1e-10)

    def test_a_short_memory_forgets(self) -> None:
        network = self.make()
        short = TransformerXl(
            TransformerXlShape(50, layers=3, width=24, heads=3, inner=32, memory=2)
        ).double()
        short.load_state_dict(network.state_dict())
        ids = torch.randint(0, 50, (1, 10))
        _, memory = short.eval().read(ids[:, :5])
        assert [m.shape[1] for m in memory] == [2, 2, 2]
        part, _ = short.read(ids[:, 5:], memory)
        whole, _ = network.read(ids)
        assert (part - whole[:, 5:]).abs().max().item() > 1e-4

    def test_attention_equals_a_double_loop(self) -> None:
        network = self.make()
        attention = network.layers[0].attention
        x = torch.randn(1, 6, 24, dtype=torch.float64)
        past = torch.randn(1, 4, 24, dtype=torch.float64)
        places = sinusoids(10, 24, x)
        read = torch.cat([past, x], 1)[0]
        query, key, value = attention.qkv(read).view(10, 3, 3, 8).unbind(1)
        mixed = torch.zeros(6, 3, 8, dtype=torch.float64)
        for i in range(6):
            for head in range(3):
                scores = []
                for j in range(4 + i + 1):
                    far = attention.place(places[9 - (4 + i - j)]).view(3, 8)[head]
                    own = query[4 + i, head]
                    by_content = (own + network.u[head]) @ key[j, head]
                    by_place = (own + network.v[head]) @ far
                    scores.append((by_content + by_place) / math.sqrt(8))
                weights = torch.softmax(torch.stack(scores), 0)
                mixed[i, head] = weights @ value[: 4 + i + 1, head]
        wanted = attention.out(mixed.reshape(6, 24))
        found = attention(x, past, places, network.u, network.v)[0]
        torch.testing.assert_close(found, wanted, rtol=0, atol=1e-12)


def plain_on_lstm(layer: OnLstmLayer, given: Any, state: Any = None) -> Any:
    """The equations of Shen et al. (2019) word by word, for autograd."""
    n, size = layer.chunks, layer.hidden
    h, c = state if state is not None else (given.new_zeros(given.shape[1], size),) * 2
    states, distances = [], []
    for x in given:
        gates = x @ layer.input_weight.T + h @ layer.hidden_weight.T + layer.bias
        z1, z2, o, g, i, f = gates.split([n, n, size, size, size, size], 1)
        forget = torch.softmax(z1, 1).cumsum(1).repeat_interleave(layer.chunk, 1)
        write = (1 - torch.softmax(z2, 1).cumsum(1)).repeat_interleave(layer.chunk, 1)
        overlap = forget * write
        f_hat = f.sigmoid() * overlap + forget - overlap
        i_hat = i.sigmoid() * overlap + write - overlap
        c = f_hat * c + i_hat * g.tanh()
        h = o.sigmoid() * c.tanh()
        states.append(h)
        distances.append(1 - forget.mean(1))
    return torch.stack(states), (h, c), torch.stack(distances)


class TestOnLstm:
    @pytest.mark.parametrize("begun", [False, True])
    def test_states_and_every_gradient_equal_the_equations(self, begun: bool) -> None:
        layer = OnLstmLayer(5, 12, 3, 0.0).double()
        torch.nn.init.normal_(layer.bias)
        given = torch.randn(7, 4, 5, dtype=torch.float64, requires_grad=True)
        state = None
        wanted = [given, *layer.parameters()]
        if begun:
            state = tuple(torch.randn(4, 12).double().requires_grad_() for _ in range(2))
            wanted += state
        weights = [torch.randn(7, 4, 12).double(), *torch.randn(2, 4, 12).double()]
        found = []
        for read in (layer, lambda x, s: plain_on_lstm(layer, x, s)):
            states, (h, c), distances = read(given, state)
            total = sum((a * w).sum() for a, w in zip((states, h, c), weights, strict=True))
            found.append((states, h, c, distances, *torch.autograd.grad(total, wanted)))
        for ours, theirs in zip(*found, strict=True):
            torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-10)

    def test_saturated_master_gates_make_it_an_lstm_but_for_the_last_chunk(self) -> None:
        layer = OnLstmLayer(5, 12, 3, 0.0).double()
        with torch.no_grad():
            for at in (0, 4):  # z₁ and z₂: all the mass on the first, resp. last chunk
                layer.input_weight[at : at + 4] = 0
                layer.hidden_weight[at : at + 4] = 0
                layer.bias[at : at + 4] = -100.0
            layer.bias[0] = 100.0  # f̃ = 1 everywhere
            layer.bias[7] = 100.0  # ĩ = 1 but in the last chunk
        lstm = torch.nn.LSTM(5, 12).double()
        rows = {"o": 8, "g": 20, "i": 32, "f": 44}
        with torch.no_grad():
            for name, weight in (("ih", layer.input_weight), ("hh", layer.hidden_weight)):
                parts = [weight[rows[g] : rows[g] + 12] for g in "ifgo"]
                getattr(lstm, f"weight_{name}_l0").copy_(torch.cat(parts))
            lstm.bias_ih_l0.copy_(torch.cat([layer.bias[rows[g] : rows[g] + 12] for g in "ifgo"]))
            lstm.bias_hh_l0.zero_()
        given = torch.randn(1, 2, 5, dtype=torch.float64)  # one step: later ones mix the chunks
        ours, _, _ = layer(given, None)
        theirs, _ = lstm(given)
        torch.testing.assert_close(ours[..., :9], theirs[..., :9], rtol=0, atol=1e-10)
        assert (ours[..., 9:] - theirs[..., 9:]).abs().max().item() > 1e-3

    @pytest.mark.parametrize(
        ("drop_connect", "projected"), [(0.0, False), (0.45, False), (0, True)]
    )
    def test_the_numpy_runtime_equals_the_trainer(
        self, drop_connect: float, projected: bool
    ) -> None:
        shape = OnLstmShape(
            120, 16, 24, 3, 8,
            drop_connect=drop_connect, softmax="adaptive", projected=projected,
        )  # fmt: skip
        network = OnLstm(shape).eval()
        ids = torch.randint(0, 120, (1, 9))
        with torch.inference_mode():
            states, _, _ = network.read(
                torch.cat([torch.zeros(1, 1, dtype=torch.long), ids[:, :-1]], 1)
            )
            wanted = network.words.logprobs(states[:, 0], ids[0])
        weights = {
            n.removeprefix("words."): v.detach().numpy() for n, v in network.state_dict().items()
        }
        found = NumpyLstm(weights, keep=1 - drop_connect).logprobs([ids[0].tolist()])[0]
        assert found == pytest.approx(wanted.numpy(), abs=2e-5)

    def test_a_projected_network_has_layers_of_one_width_and_a_map_to_the_embedding(self) -> None:
        shapes = {
            n: tuple(v.shape)
            for n, v in OnLstm(OnLstmShape(120, 16, 24, 2, 8, projected=True)).named_parameters()
        }
        assert shapes["layers.1.hidden_weight"] == (4 * 24 + 2 * 3, 24)
        assert shapes["out.weight"] == (16, 24)
        plain = dict(OnLstm(OnLstmShape(120, 16, 24, 2, 8)).named_parameters())
        assert plain["layers.1.hidden_weight"].shape == (4 * 16 + 2 * 2, 16)
        assert "out.weight" not in plain

    def test_large_and_changing_states_cost_something_in_training_only(self) -> None:
        network = OnLstm(OnLstmShape(120, 16, 24, 3, 8, ar=2.0, tar=1.0)).double()
        rows = torch.randint(0, 120, (4, 9))
        with torch.no_grad():
            network.eval()
            plain, _ = network(rows)
            tops, _, _ = network.read(rows[:, :-1])  # (8, 4, 16)
            network.train()
            dear, _ = network(rows)
        large = 2 * sum(float(h.square().sum()) for h in tops) / tops.numel()
        changing = sum(float((b - a).square().sum()) for a, b in pairwise(tops)) / tops[1:].numel()
        assert float(dear - plain) == pytest.approx(large + changing, rel=1e-4)

    def test_a_word_without_an_embedding_has_none_anywhere_in_the_batch(self) -> None:
        network = OnLstm(OnLstmShape(120, 16, 24, 3, 8, word_dropout=0.5)).train()
        ids = torch.arange(100).repeat(3, 1)
        found = network._embed(ids)
        assert torch.equal(found[0], found[2])
        gone = (found[0] == 0).all(1)
        assert 30 < int(gone.sum()) < 70
        whole = network.eval()._embed(ids)
        torch.testing.assert_close(found[0][~gone], 2 * whole[0][~gone])


@pytest.mark.parametrize("tied", [True, False])
def test_the_numpy_lstm_equals_the_trainer(tied: bool) -> None:
    network = Lstm(LstmShape(120, 16, 24, 2, tied=tied, softmax="adaptive")).eval()
    rows = torch.randint(0, 120, (4, 9))
    rows[:, 0] = 0
    weights = {
        n.removeprefix("words."): v.detach().numpy() for n, v in network.state_dict().items()
    }
    found = NumpyLstm(weights).logprobs([row[1:].tolist() for row in rows])
    with torch.inference_mode():
        loss, _ = network(rows)
    mean = -sum(float(values.sum()) for values in found) / (4 * 8)
    assert mean == pytest.approx(loss.item(), abs=2e-5)
