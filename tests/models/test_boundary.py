"""Which pieces begin a word, and the head's sum over them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.models.test_head import reference
from tests.tiny import train_bpe, train_wordpiece

from priscian.errors import ModelError
from priscian.models.hf.encoding import begins_word
from priscian.models.hf.head import TILE, Head


class Cut:
    """As much of a tokenizer as is looked at."""

    name = "cut"

    def __init__(self, raw: Any, **special: str) -> None:
        from transformers import PreTrainedTokenizerFast

        self.hf = PreTrainedTokenizerFast(tokenizer_object=raw, **special)
        self.fast = self.hf.backend_tokenizer


def pieces_that_begin(cut: Any, size: int) -> set[str]:
    found = begins_word(cut, size)
    assert len(found) == size
    return {cut.hf.convert_ids_to_tokens(int(i)) for i in found.nonzero()[0]}


def test_byte_level_pieces_with_a_space_or_special_ones_begin_words() -> None:
    raw = train_bpe()
    size = raw.get_vocab_size()
    cut = Cut(raw, bos_token="<|endoftext|>")
    got = pieces_that_begin(cut, size + 5)  # a padded output has rows without a piece
    vocabulary = set(raw.get_vocab())
    assert {"Ġ", "Ġthe", "Ċ", "ĉ"} <= got
    assert not got & {"a", ",", ".", "'", "ing", "Ã"}
    spaces = "ĉĊċČčĜĝĞğĠ"  # how byte-level pieces write what Python calls white space
    assert got == {p for p in vocabulary if p[0] in spaces} | {"<|endoftext|>", "<s>"}


def test_sentencepiece_pieces_with_a_space_begin_words() -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = ["<unk>", "</s>", "▁", "▁the", "the", "▁▁", ",", "<0x0A>", "<0x41>", "<0xA0>", "\n"]
    raw = Tokenizer(models.BPE({w: i for i, w in enumerate(words)}, [], unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Metaspace()
    cut = Cut(raw, unk_token="<unk>", eos_token="</s>")
    got = pieces_that_begin(cut, len(words))
    assert got == {"<unk>", "</s>", "▁", "▁the", "▁▁", "<0x0A>", "\n"}


def test_wordpiece_marks_no_space() -> None:
    cut: Any = Cut(train_wordpiece(cased=True), unk_token="[UNK]")
    with pytest.raises(ModelError, match=r"tokenizer of cut does not mark leading spaces"):
        begins_word(cut, 120)


@pytest.mark.parametrize("vocabulary", [7, TILE, 3 * TILE + 5])
@pytest.mark.parametrize(("scale", "cap"), [(1.0, None), (3.0, 30.0)])
def test_the_heads_mass_is_a_sum_over_the_softmax(
    vocabulary: int, scale: float, cap: float | None
) -> None:
    torch.manual_seed(vocabulary)
    hidden = torch.randn(6, 32)
    head = Head(torch.randn(vocabulary, 32), torch.randn(vocabulary), scale, cap)
    members = (torch.rand(vocabulary) < 0.4).float()
    members[0] = 1
    which, targets = torch.tensor([0, 5, 3, 3]), torch.tensor([0, 6, 1, 2])
    logps, masses = head.logprobs_and_mass(hidden, which, targets, members)
    assert torch.equal(logps, head.logprobs(hidden, which, targets))
    wanted = reference(hidden, head).exp()[:, members > 0].sum(1).log()[which]
    assert (masses - wanted).abs().max() <= 1e-4


@pytest.mark.parametrize("where", [0, TILE + 1])
def test_a_set_of_almost_no_mass_does_not_vanish(where: int) -> None:
    hidden = torch.ones(2, 1)
    weight = torch.zeros(2 * TILE + 3, 1)
    weight[5] = 150.0
    members = torch.zeros(len(weight))
    members[where] = 1
    head = Head(weight, None)
    nothing = torch.tensor([0, 1])
    logps, masses = head.logprobs_and_mass(hidden, nothing, nothing, members)
    assert masses.tolist() == pytest.approx([-150.0, -150.0], abs=1e-3)
    assert logps.tolist() == pytest.approx([-150.0, -150.0], abs=1e-3)


def test_smollm2_marks_its_words(smollm2: str) -> None:
    from priscian.models import find_provider, parse_model
    from priscian.models.hf.encoding import Tokenizer

    spec = parse_model(smollm2)
    provider: Any = find_provider("hf")
    tokenizer = Tokenizer(spec, provider.place(spec))
    size = tokenizer.fast.get_vocab_size(with_added_tokens=True)
    got = begins_word(tokenizer, size)
    shown = {p: bool(got[tokenizer.fast.token_to_id(p)]) for p in ("Ġthe", "the", ",", "Ċ")}
    assert shown == {"Ġthe": True, "the": False, ",": False, "Ċ": True}
    assert got[tokenizer.fast.token_to_id("<|im_end|>")]
