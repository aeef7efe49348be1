"""What cannot be scored is refused in one sentence that says what to do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.tiny import VOCABULARY

from priscian.errors import (
    ModelError,
    OffsetsError,
    PriscianWarning,
    ScoreError,
    TooLongError,
    UsageError,
    WrongKindError,
)
from priscian.models import load, model_key
from priscian.models.cpu import find_problem
from priscian.records import Text
from priscian.scoring import Options, ScoreStore, score_texts

SENTENCE = "She was looking at us!"


def change_config(folder: Path, **changes: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def change_weights(folder: Path, change: Callable[[dict[str, torch.Tensor]], None]) -> None:
    path = folder / "model.safetensors"
    weights = {name: tensor.clone() for name, tensor in load_file(path).items()}
    change(weights)
    save_file(weights, path, metadata={"format": "pt"})


@pytest.fixture
def copy(causal: Callable[..., Path], tmp_path: Path) -> Path:
    """A GPT-2 that may be spoiled."""
    return Path(shutil.copytree(causal("gpt2"), tmp_path / "model"))


class TestWrongKind:
    def test_an_encoder_given_as_hf(self, masked: Callable[..., Path]) -> None:
        folder = masked()
        with pytest.raises(WrongKindError, match=rf"masked model \(Bert.*; write mlm:{folder}$"):
            load(f"hf:{folder}")

    def test_a_causal_model_given_as_mlm(self, causal: Callable[..., Path]) -> None:
        for kind in ("gpt2", "llama"):
            folder = causal(kind)
            with pytest.raises(WrongKindError, match=rf"causal model; write hf:{folder}$"):
                load(f"mlm:{folder}")

    @pytest.mark.parametrize("provider", ["hf", "mlm"])
    def test_an_encoder_decoder(self, copy: Path, provider: str) -> None:
        config = {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]}
        (copy / "config.json").write_text(json.dumps(config | {"is_encoder_decoder": True}))
        with pytest.raises(WrongKindError, match=rf"encoder–decoder, which {provider}: cannot"):
            load(f"{provider}:{copy}")

    @pytest.mark.parametrize(
        ("provider", "message"),
        [
            ("mlm", r"is an encoder without a masked-LM head \(BertModel\): it gives vectors"),
            ("hf", r"is without a language-model head \(BertModel\): it gives vectors"),
        ],
    )
    def test_a_model_without_an_output_layer_is_not_given_a_random_one(
        self, provider: str, message: str, masked: Callable[..., Path], tmp_path: Path
    ) -> None:
        from transformers import BertModel

        folder = Path(shutil.copytree(masked(), tmp_path / "headless"))
        BertModel.from_pretrained(masked()).save_pretrained(folder)
        with pytest.raises(WrongKindError, match=message):
            load(f"{provider}:{folder}")

    def test_a_layer_that_is_missing_is_not_drawn_at_random(self, copy: Path) -> None:
        change_weights(copy, lambda w: w.__delitem__("transformer.ln_f.weight"))
        with pytest.raises(ModelError, match=r"lack 1 of the model's weights \(transformer\.ln_f"):
            load(f"hf:{copy}")

    def test_a_configuration_that_does_not_say_what_it_is(self, copy: Path) -> None:
        (copy / "config.json").write_text(json.dumps({"model_type": "vit"}))
        with pytest.raises(ModelError, match=r"does not say that it is a causal model"):
            load(f"hf:{copy}")


class TestTokenizers:
    def test_a_slow_tokenizer_without_offsets(self, copy: Path) -> None:
        (copy / "tokenizer.json").unlink()
        (copy / "tokenizer_config.json").write_text('{"tokenizer_class": "ByT5Tokenizer"}')
        with pytest.raises(OffsetsError, match=r"slow one.*\?tokenizer=PATH"):
            load(f"hf:{copy}")

    def test_a_fast_one_from_elsewhere_takes_its_place(
        self, copy: Path, causal: Callable[..., Path]
    ) -> None:
        want = score_texts(f"hf:{copy}", [Text(SENTENCE)], ScoreStore()).scores
        (copy / "tokenizer.json").unlink()
        (copy / "tokenizer_config.json").write_text('{"tokenizer_class": "ByT5Tokenizer"}')
        string = f"hf:{copy}?tokenizer={causal('gpt2')}"
        assert score_texts(string, [Text(SENTENCE)], ScoreStore()).scores == want

    @pytest.mark.parametrize("kind", ["gpt2", "llama", "bert"])
    def test_no_tokenizer_at_all_is_not_made_up(
        self, kind: str, causal: Callable[..., Path], masked: Callable[..., Path], tmp_path: Path
    ) -> None:
        source = masked() if kind == "bert" else causal(kind)
        folder = Path(shutil.copytree(source, tmp_path / "bare"))
        for name in ("tokenizer.json", "tokenizer_config.json"):
            (folder / name).unlink()
        with pytest.raises(ModelError, match=r"tokenizer of .*\?tokenizer=PATH"):
            load(f"{'mlm' if kind == 'bert' else 'hf'}:{folder}")

    def test_a_masked_model_needs_a_mask_token(
        self, masked: Callable[..., Path], causal: Callable[..., Path]
    ) -> None:
        with pytest.raises(ModelError, match=r"has no mask token"):
            load(f"mlm:{masked()}?tokenizer={causal('gpt2')}")

    @pytest.mark.parametrize("bos", ["<nonsense>", str(VOCABULARY + 7)])
    def test_a_bos_that_is_not_there(self, causal: Callable[..., Path], bos: str) -> None:
        with pytest.raises(ModelError, match=rf"no token '{bos}' to use as BOS; try auto or none"):
            load(f"hf:{causal('gpt2')}?bos={bos}")

    def test_a_bos_may_be_named_by_its_id(self, causal: Callable[..., Path]) -> None:
        model = load(f"hf:{causal('gpt2')}?bos=300")
        assert model.encode([Text("Go.")])[0].ids[0] == 300  # type: ignore[union-attr]


def spaced_letters(folder: Path, unknown: str | None) -> None:
    """Give a model a tokenizer that knows a, b and c only."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {"<s>": 0, "a": 1, "b": 2, "c": 3}
    raw = Tokenizer(models.BPE(vocabulary, [], unk_token=unknown))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    PreTrainedTokenizerFast(tokenizer_object=raw, bos_token="<s>").save_pretrained(folder)


class TestLostText:
    def test_a_text_without_tokens_is_named(self, copy: Path) -> None:
        spaced_letters(copy, None)
        with (
            pytest.warns(PriscianWarning, match="leaves out characters"),
            pytest.raises(ScoreError, match=r"model has no token for the text 'xyz'; remove"),
        ):
            score_texts(f"hf:{copy}", [Text("ab"), Text("xyz")], ScoreStore())

    def test_a_text_of_spaces_has_no_tokens_for_bert(self, masked: Callable[..., Path]) -> None:
        with pytest.raises(ScoreError, match=r"has no token for the text ' \\u200b'"):
            score_texts(f"mlm:{masked()}", [Text(" \u200b")], ScoreStore())

    def test_characters_that_a_tokenizer_leaves_out_are_named_with_their_text(
        self, copy: Path
    ) -> None:
        spaced_letters(copy, None)
        with pytest.warns(PriscianWarning, match=r"'xz' in 'a xbzx' and in 1 more; the model"):
            score_texts(f"hf:{copy}", [Text("ab"), Text("a xbzx"), Text("c.")], ScoreStore())

    def test_an_unknown_token_leaves_nothing_out(self, copy: Path) -> None:
        spaced_letters(copy, "<s>")
        score_texts(f"hf:{copy}", [Text("a xbzx")], ScoreStore())

    @pytest.mark.parametrize(
        "text", ["Une tête naïve.", "e\u0301te\u0301!", "no\u200bbreak \x07 ☃"]
    )
    def test_normalising_leaves_nothing_out(
        self, text: str, masked: Callable[..., Path], causal: Callable[..., Path]
    ) -> None:
        for string in (f"mlm:{masked(cased=False)}", f"mlm:{masked()}", f"hf:{causal('gpt2')}"):
            assert score_texts(string, [Text(text)], ScoreStore()).computed == 1


class TestTooLong:
    @pytest.mark.parametrize("provider", ["hf", "mlm"])
    def test_a_text_longer_than_the_context(
        self, provider: str, causal: Callable[..., Path], masked: Callable[..., Path]
    ) -> None:
        folder = causal("gpt2", n_positions=16) if provider == "hf" else masked()
        limit = 16 if provider == "hf" else 128
        long = "Nobody " + "in the village " * 60
        with pytest.raises(TooLongError, match=rf"\d+ tokens, .* reads {limit}: 'Nobody in the"):
            score_texts(f"{provider}:{folder}", [Text("Go."), Text(long)], ScoreStore())

    def test_a_context_counts(self, causal: Callable[..., Path]) -> None:
        string = f"hf:{causal('gpt2', n_positions=16)}"
        assert score_texts(string, [Text("Go.")], ScoreStore()).computed == 1
        with pytest.raises(TooLongError, match=r"'Go\.'"):
            score_texts(string, [Text("Go.", "in the village " * 20)], ScoreStore())


class TestBrokenNumbers:
    def test_nan_everywhere_names_a_text(self, copy: Path) -> None:
        change_weights(copy, lambda w: w["transformer.ln_f.weight"].fill_(torch.nan))
        with pytest.raises(ScoreError, match=rf"NaN or infinite .* for the text '{SENTENCE}'"):
            score_texts(f"hf:{copy}", [Text(SENTENCE)], ScoreStore())

    def test_nan_in_a_masked_model_names_a_text(
        self, masked: Callable[..., Path], tmp_path: Path
    ) -> None:
        folder = Path(shutil.copytree(masked(), tmp_path / "bert"))
        change_weights(folder, lambda w: w["bert.embeddings.LayerNorm.weight"].fill_(torch.nan))
        with pytest.raises(ScoreError, match=rf"NaN or infinite .* for the text '{SENTENCE}'"):
            score_texts(f"mlm:{folder}", [Text(SENTENCE)], ScoreStore())

    def test_nan_at_one_token_names_the_text_that_has_it_and_keeps_the_others(
        self, causal: Callable[..., Path], tmp_path: Path, texts: list[str]
    ) -> None:
        folder = Path(
            shutil.copytree(causal("llama", tie_word_embeddings=False), tmp_path / "llama")
        )
        model = load(f"hf:{folder}")
        asked = [Text(t) for t in texts]
        encodings = model.encode(asked)  # type: ignore[union-attr]
        # a token that stands in one text alone, and not at its end, where it would not be read
        ids = next(
            (i, e.ids.index(t)) for i, e in enumerate(encodings) for t in e.ids[:-1]
            if sum(t in other.ids for other in encodings) == 1
        )  # fmt: skip
        text, token = asked[ids[0]], encodings[ids[0]].ids[ids[1]]
        change_weights(folder, lambda w: w["model.embed_tokens.weight"][token].fill_(torch.nan))
        store = ScoreStore()
        with pytest.raises(ScoreError) as caught:
            score_texts(f"hf:{folder}", asked, store, options=Options(batch_tokens=32, workers=1))
        assert repr(text.text) in str(caught.value)
        missing = store.missing(model_key(f"hf:{folder}"), asked)
        assert not all(missing)
        assert missing[ids[0]]


class TestFiles:
    def test_a_broken_safetensors_file(self, copy: Path) -> None:
        path = copy / "model.safetensors"
        path.write_bytes(path.read_bytes()[:1000])
        with pytest.raises(ModelError, match=rf"weights of hf:{copy} cannot be .*files are whole"):
            load(f"hf:{copy}")

    def test_a_broken_configuration(self, copy: Path) -> None:
        (copy / "config.json").write_text("{")
        with pytest.raises(ModelError, match=rf"configuration of hf:{copy} cannot be loaded"):
            load(f"hf:{copy}")

    def test_weights_that_are_missing_are_not_made_up(self, copy: Path) -> None:
        def forget(weights: dict[str, torch.Tensor]) -> None:
            del weights["transformer.h.1.mlp.c_fc.weight"]

        change_weights(copy, forget)
        with pytest.raises(ModelError, match=r"lack 1 of the model's weights \(transformer\.h\.1"):
            load(f"hf:{copy}")


CODE = """
from pathlib import Path
from transformers import PretrainedConfig
Path(__file__).with_name("was-run").touch()
class OwnConfig(PretrainedConfig):
    model_type = "own-test-model"
"""


class TestCustomCode:
    @pytest.fixture
    def own(self, copy: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
        (copy / "configuration_own.py").write_text(CODE)
        change_config(
            copy,
            model_type="own-test-model",
            architectures=["OwnForCausalLM"],
            auto_map={"AutoConfig": "configuration_own.OwnConfig"},
        )
        monkeypatch.setattr(
            "transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules")
        )
        return copy

    def test_it_is_not_run_unless_the_user_says_so(self, own: Path, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match=r"code of its own.*add the option remote_code=yes"):
            load(f"hf:{own}")
        assert not list(tmp_path.rglob("was-run"))

    def test_it_is_run_when_the_user_says_so(
        self, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.syspath_prepend(str(tmp_path / "modules"))
        with pytest.raises(ModelError, match=r"the weights of"):  # it brings no model class
            load(f"hf:{own}?remote_code=yes")
        assert list(tmp_path.rglob("was-run"))


class TestOptions:
    def test_a_dtype_that_is_none(self, causal: Callable[..., Path]) -> None:
        with pytest.raises(ModelError, match=r"dtype 'int3' is not one of float32, bfloat16"):
            model_key(f"hf:{causal('gpt2')}?dtype=int3")

    @pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has the device")
    def test_a_device_that_is_not_here(self, causal: Callable[..., Path]) -> None:
        with pytest.raises(ModelError, match=r"no device 'cuda:1' on this machine; it has .*cpu"):
            load(f"hf:{causal('gpt2')}?device=cuda:1")

    def test_a_pll_that_is_none(self, masked: Callable[..., Path]) -> None:
        with pytest.raises(UsageError, match=r"pll=best is not one of word-l2r, original"):
            model_key(f"mlm:{masked()}?pll=best")

    def test_bfloat16_is_scored_and_close(self, causal: Callable[..., Path]) -> None:
        if problem := find_problem("bfloat16"):
            pytest.skip(f"bfloat16 does not work on this CPU: {problem}")
        plain = score_texts(f"hf:{causal('gpt2')}", [Text(SENTENCE)], ScoreStore())
        short = score_texts(f"hf:{causal('gpt2')}?dtype=bfloat16", [Text(SENTENCE)], ScoreStore())
        assert short.notes["dtype"] == "torch.bfloat16"
        a, b = plain.scores[Text(SENTENCE)].total, short.scores[Text(SENTENCE)].total
        assert 0 < abs(a - b) < 0.05 * abs(a)
