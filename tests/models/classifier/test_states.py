"""Hidden states: those of Transformers, pooled as defined, kept on disk and found again."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from priscian.errors import ModelError, PriscianWarning, UsageError
from priscian.models.classifier import states as module
from priscian.models.classifier.encoder import (
    Encoder,
    Floats32,
    View,
    encoder_key,
    encoder_spec,
    load_encoder,
    pool,
)
from priscian.models.classifier.states import StateCache, pooled_states, to_half

TEXTS = [
    "She left.",
    "The old nurse has admired the painting.",
    "Go.",
    "Some geese will forget us!",
]


def hidden(encoder: Encoder, texts: Sequence[str]) -> list[Floats32]:
    """For each text the states of all its tokens: (layers + 1, tokens, width)."""
    encodings = encoder.encode(texts)
    found: dict[int, Floats32] = {}
    for group, states in encoder._batches(encodings, range(encoder.layers + 1)):
        for row, at in enumerate(group):
            length = len(encodings[at].ids)
            found[at] = np.stack([layer[row, :length] for layer in states])
    return [found[number] for number in range(len(texts))]


def reference(folder: str, ids: list[int]) -> np.ndarray:
    """Transformers' own hidden states of one text, without padding: (layers + 1, tokens, width)."""
    import torch
    from transformers import AutoModel

    net = AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        found = net(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states
    return np.stack([layer[0].numpy() for layer in found])


@pytest.fixture(params=["llama", "gpt2", "bert"])
def folder(
    request: pytest.FixtureRequest, causal: Callable[..., Path], masked: Callable[..., Path]
) -> Path:
    return masked() if request.param == "bert" else causal(request.param)


def test_states_equal_those_of_transformers_whatever_the_padding(folder: Path) -> None:
    encoder = load_encoder(str(folder))
    for row, text in zip(hidden(encoder, TEXTS), TEXTS, strict=True):
        ids = list(encoder.encode([text])[0].ids)
        assert np.abs(row - reference(str(folder), ids)).max() < 1e-5


def test_a_lower_layer_is_the_same_without_computing_those_above_it(folder: Path) -> None:
    encoder = load_encoder(str(folder))
    computed: list[int] = []
    stack = next(
        m for m in encoder.net.modules() if type(m).__name__ == "ModuleList" and len(m) == 2
    )
    for number, layer in enumerate(stack):
        layer.register_forward_pre_hook(lambda *_, n=number: computed.append(n))
    encoder.pooled(TEXTS[:1], [View(0, "mean")])  # the first call looks for the layers
    computed.clear()
    low = encoder.pooled(TEXTS, [View(0, "mean")])[View(0, "mean")]
    assert set(computed) == {0}
    both = encoder.pooled(TEXTS, [View(0, "mean"), View(2, "mean")])
    assert 1 in computed
    np.testing.assert_array_equal(low, both[View(0, "mean")])


def test_layers_that_are_several_lists_are_all_computed(masked: Callable[..., Path]) -> None:
    from transformers import XLMConfig, XLMModel

    encoder = load_encoder(str(masked()))
    config = XLMConfig(vocab_size=600, emb_dim=16, n_layers=encoder.layers, n_heads=2, dropout=0.0)
    encoder.net, encoder.width = XLMModel(config).eval(), 16
    low = encoder.pooled(TEXTS, [View(0, "mean")])[View(0, "mean")]
    assert encoder._stack is None
    whole = encoder.pooled(TEXTS, [View(0, "mean"), View(encoder.layers, "mean")])
    np.testing.assert_array_equal(low, whole[View(0, "mean")])


def test_views_are_pooled_over_the_text_and_not_over_added_tokens(folder: Path) -> None:
    encoder = load_encoder(str(folder))
    views = encoder.views()
    assert len(views) == 3 * (encoder.layers + 1)
    pooled = encoder.pooled(TEXTS, views)
    for at, (text, whole) in enumerate(zip(TEXTS, hidden(encoder, TEXTS), strict=True)):
        own = encoder.encode([text])[0]
        for view in views:
            by_hand = pool(whole[view.layer], own.first, len(own.starts), view.pooling)
            assert np.abs(pooled[view][at] - by_hand).max() < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["smollm2", "minilm"])
def test_the_packaged_encoders_have_the_states_of_transformers(
    name: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(name)
    encoder = load_encoder(name)
    texts = ["The keys to the cabinet are here.", "She left.", "What did you say that he bought?"]
    place = encoder.net.config.name_or_path
    for padded, text in zip(hidden(encoder, texts), texts, strict=True):
        theirs = reference(place, list(encoder.encode([text])[0].ids))
        assert np.abs(hidden(encoder, [text])[0] - theirs).max() < 1e-5
        # in a padded batch sums are in another order: 1e-5 of the largest state of a token
        largest = np.abs(theirs).max(-1, keepdims=True)
        assert (np.abs(padded - theirs) / np.maximum(1, largest)).max() < 1e-5


def test_states_are_found_again_without_the_encoder(
    folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = View(1, "mean")
    first = pooled_states(str(folder), TEXTS, [view])[view]
    files = list((cache / "states").rglob("*.npy"))
    assert len(files) == 1
    rows = np.load(files[0], allow_pickle=False)
    assert rows["state"].dtype == np.float16

    def unused(spec: object) -> Encoder:
        raise AssertionError("the encoder was loaded")

    monkeypatch.setattr(module, "load_encoder", unused)
    again = pooled_states(str(folder), TEXTS[::-1], [view])[view]
    assert (again[::-1] == first).all()
    assert (first == to_half(first)).all()


def test_a_text_that_is_missing_is_added_and_the_others_stay(folder: Path, cache: Path) -> None:
    view = View(0, "max")
    pooled_states(str(folder), TEXTS[:2], [view])
    pooled_states(str(folder), TEXTS, [view])
    files = list((cache / "states").rglob("*.npy"))
    assert sorted(len(np.load(f, allow_pickle=False)) for f in files) == [2, 2]


def test_a_damaged_file_is_reported_and_computed_again(folder: Path, cache: Path) -> None:
    view = View(0, "mean")
    before = pooled_states(str(folder), TEXTS, [view])[view]
    file = next((cache / "states").rglob("*.npy"))
    file.write_bytes(file.read_bytes()[:90])
    with pytest.warns(PriscianWarning, match="cannot be read"):
        after = pooled_states(str(folder), TEXTS, [view])[view]
    assert (before == after).all()


def test_a_number_that_has_changed_is_never_read(folder: Path, cache: Path) -> None:
    view = View(0, "mean")
    before = pooled_states(str(folder), TEXTS, [view])[view]
    file = next((cache / "states").rglob("*.npy"))
    data = bytearray(file.read_bytes())
    data[-60] ^= 0x10
    file.write_bytes(data)
    with pytest.warns(PriscianWarning, match="are not those that were written"):
        after = pooled_states(str(folder), TEXTS, [view])[view]
    assert (before == after).all()


HEADS = {
    "an open bracket": (b"{'descr'", b"{'des(("),
    "another type": (b"<f2", b"<i2"),
    "another width": (b"V16", b"V15"),
    "objects": (b"<f2", b"|O2"),
    "no end of a text": (b"'fortran_order'", b'"""ortran_order\''),
    "fewer rows": (b"(4,)", b"(3,)"),
    "many rows": (b"(4,)", b"9**9"),
}


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize("what", HEADS)
def test_a_damaged_head_is_reported_and_the_states_are_computed_again(
    what: str, sealed: bool, causal: Callable[..., Path], cache: Path
) -> None:
    view, name = View(0, "mean"), str(causal("gpt2"))
    before = pooled_states(name, TEXTS, [view])[view]
    file = next((cache / "states").rglob("*.npy"))
    data = file.read_bytes()[: None if sealed else -module.SEAL]
    old, new = HEADS[what]
    assert old in data
    file.write_bytes(data.replace(old, new, 1))
    with pytest.warns(PriscianWarning, match="cannot be read"):
        after = pooled_states(name, TEXTS, [view])[view]
    assert (before == after).all()


def test_a_file_of_an_older_version_is_read(
    causal: Callable[..., Path], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, name = View(0, "mean"), str(causal("gpt2"))
    before = pooled_states(name, TEXTS, [view])[view]
    file = next((cache / "states").rglob("*.npy"))
    file.write_bytes(file.read_bytes()[: -module.SEAL])
    monkeypatch.setattr(module, "load_encoder", None)
    assert (before == pooled_states(name, TEXTS, [view])[view]).all()


def test_two_encoders_never_share_states(causal: Callable[..., Path]) -> None:
    a, b = (encoder_key(encoder_spec(str(causal(kind)))) for kind in ("llama", "gpt2"))
    assert a.digest != b.digest
    shared = StateCache()
    assert shared.place(a, View(1, "mean")) != shared.place(b, View(1, "mean"))


def test_numbers_too_large_for_float16_become_its_largest() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert to_half(np.array([[1e6, -1e6, 1.0]], np.float32)).tolist() == [
            [65504.0, -65504.0, 1.0]
        ]


def test_a_layer_that_the_encoder_does_not_have_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"no layer 9; it has 0 \(embeddings\) to 2"):
        load_encoder(str(folder)).pooled(TEXTS, [View(9, "mean")])


def test_a_pooling_of_the_other_direction_is_refused(causal: Callable[..., Path]) -> None:
    with pytest.raises(UsageError, match="no pooling 'cls'; it has last, mean, max"):
        load_encoder(str(causal("llama"))).pooled(TEXTS, [View(1, "cls")])


@pytest.mark.parametrize("model", ["builtin:ngram", "builtin:lstm"])
def test_a_model_without_hidden_states_is_refused(model: str) -> None:
    with pytest.raises(ModelError, match="no hidden states to train on; give a Transformers model"):
        encoder_spec(model)


def test_processes_give_the_states_of_one(
    causal: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setattr(module, "SHARD", 1)
    folder, views, threads = str(causal("llama")), [View(1, "mean")], torch.get_num_threads()
    found, told = {}, []
    for count in (1, 3):
        monkeypatch.setattr(module, "cores", lambda count=count: count)
        found[count] = pooled_states(
            folder, TEXTS, views, cache=StateCache(tmp_path / str(count)),
            progress=lambda done, total: told.append((done, total)),
        )[views[0]]  # fmt: skip
    np.testing.assert_array_equal(found[1], found[3])
    assert told == [(n, 4) for n in range(5)] * 2
    assert torch.get_num_threads() == threads
