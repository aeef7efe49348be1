"""The channel `boundary`: the mass of pieces that begin a word, however texts are batched."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tests.bigram import PIECES, build_bigram, logits
from tests.scoring.test_exact import transformers_model

from priscian.errors import ModelError, TooLongError
from priscian.metrics.regions import correct_boundaries
from priscian.models import open_model
from priscian.records import Sentence, Text, TokenScores
from priscian.scoring import Options, SavedPlan, ScoredTexts, ScoreStore, score_texts


@pytest.fixture(scope="module")
def bigram(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"hf:{build_bigram(tmp_path_factory.mktemp('bigram'))}"


def softmax(rows: Any) -> Any:
    powers = np.exp(rows - rows.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def by_hand(folder: Path, text: str) -> tuple[list[float], list[float]]:
    """Log-probabilities and masses of marked pieces, from Transformers' logits in float64."""
    tokenizer, model = transformers_model(folder)
    pieces = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    opens = [p[0] in "ĉĊċČčĜĝĞğĠ" or p in {"<|endoftext|>", "<s>"} for p in pieces]
    ids = tokenizer("<|endoftext|>" + text, add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        p = softmax(model(torch.tensor([ids])).logits[0].double().numpy())  # (tokens, vocabulary)
    masses = p[:, np.flatnonzero(opens)].sum(1)
    if not opens[ids[1]]:
        masses[0] = 1 - masses[0]
    return [math.log(p[i - 1, ids[i]]) for i in range(1, len(ids))], np.log(masses).tolist()


def ask(model: str, texts: list[str], store: ScoreStore | None = None, **how: Any) -> ScoredTexts:
    asked = [Text(t) for t in texts]
    return score_texts(model, asked, store or ScoreStore(), boundary=asked, options=Options(**how))


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("gpt2", {"way": "tree"}),
        ("gpt2", {"way": "cache"}),
        ("gpt2", {"way": "rows"}),
        ("gpt2", {"way": "single"}),
        ("gpt2", {"way": "tree", "workers": 2, "batch_tokens": 128}),
        ("llama", {}),
        ("gpt_neo", {}),
        ("gemma2", {}),
        ("cohere", {}),
    ],
)
def test_every_way_gives_the_masses_of_a_plain_softmax(
    kind: str, how: dict[str, Any], causal: Callable[..., Path], texts: list[str]
) -> None:
    folder = causal(kind)
    texts = [*texts[::4], *texts[-4:]]
    scored = ask(f"hf:{folder}", texts, **({"workers": 1} | how))
    for text in texts:
        got = scored.scores[Text(text)]
        logps, masses = by_hand(folder, text)
        assert got.logps == pytest.approx(logps, abs=1e-4)
        assert got.channels["boundary"] == pytest.approx(masses, abs=1e-4)


def test_a_model_whose_head_is_not_rebuilt_gives_the_same(
    causal: Callable[..., Path], texts: list[str]
) -> None:
    folder = causal("gpt2")
    loaded = open_model(f"hf:{folder}")
    model: Any = loaded.model
    model.head = None
    asked = [Text(t) for t in texts[:9]]
    scored = score_texts(f"hf:{folder}", asked, ScoreStore(), boundary=asked, loaded=loaded)
    for text in asked:
        masses = by_hand(folder, text.text)[1]
        assert scored.scores[text].channels["boundary"] == pytest.approx(masses, abs=1e-4)


def test_texts_stored_without_the_channel_are_found_and_keep_their_scores(
    causal: Callable[..., Path], texts: list[str]
) -> None:
    model, store = f"hf:{causal('gpt2')}", ScoreStore()
    asked = [Text(t) for t in texts]
    before = score_texts(model, asked, store)
    half = score_texts(model, asked, store, boundary=asked[:40])
    assert (before.computed, half.computed) == (len(texts), 40)
    whole = score_texts(model, asked, store, boundary=asked)
    assert whole.computed == len(texts) - 40
    assert score_texts(model, asked, store, boundary=asked).computed == 0
    for text in asked:
        assert whole.scores[text].logps == before.scores[text].logps
        assert len(whole.scores[text].channels["boundary"]) == len(before.scores[text]) + 1
        assert before.scores[text].channels == {}
    assert score_texts(model, asked, store).scores == before.scores


def test_texts_that_do_not_ask_are_scored_beside_those_that_do(
    causal: Callable[..., Path], texts: list[str]
) -> None:
    model = f"hf:{causal('gpt2')}"
    asked = [Text(t) for t in texts]
    plain = score_texts(model, asked, ScoreStore()).scores
    mixed = score_texts(model, asked, ScoreStore(), boundary=asked[::3]).scores
    for number, text in enumerate(asked):
        assert mixed[text].logps == pytest.approx(plain[text].logps, abs=1e-4)
        assert ("boundary" in mixed[text].channels) == (number % 3 == 0)


def test_a_broken_off_run_ends_with_the_same_bits(
    causal: Callable[..., Path], texts: list[str]
) -> None:
    model = f"hf:{causal('gpt2')}"
    asked = [Text(t) for t in texts]
    plans: list[Any] = []

    def stop(done: int, total: int) -> None:
        if done >= total // 2:
            raise KeyboardInterrupt

    calm, rough = ScoreStore(), ScoreStore()
    how = Options(batch_tokens=64, workers=1)
    whole = score_texts(model, asked, calm, boundary=asked, options=how)
    with pytest.raises(KeyboardInterrupt):
        score_texts(model, asked, rough, boundary=asked, options=how,
                    saved=SavedPlan(save=plans.append), progress=stop)  # fmt: skip
    rest = score_texts(model, asked, rough, boundary=asked, options=how, saved=SavedPlan(plans[0]))
    assert 0 < rest.computed < len(asked)
    assert rest.scores == whole.scores


def test_without_bos_the_first_token_has_no_mass(causal: Callable[..., Path]) -> None:
    scored = ask(f"hf:{causal('gpt2')}?bos=none", ["Go to the village."])
    (got,) = scored.scores.values()
    assert math.isnan(got.channels["boundary"][0])
    assert all(m <= 0 for m in got.channels["boundary"][1:])


def test_a_context_conditions_the_first_mass(bigram: str) -> None:
    text = Text(" y x", "x x")
    scored = score_texts(bigram, [text], ScoreStore(), boundary=[text])
    opens = [PIECES.index(p) for p in PIECES if p.startswith(("Ġ", "<"))]
    p = softmax(logits())
    rows = [PIECES.index(piece) for piece in ("Ġx", "Ġy", "Ġx")]
    wanted = [math.log(p[row, opens].sum()) for row in rows]
    assert scored.scores[text].channels["boundary"] == pytest.approx(wanted, abs=1e-4)


class TestClosedVocabulary:
    """After `x` come x, y, each with z or a comma behind it or nothing, or the end of the text."""

    WORDS = tuple(stem + tail for stem in "xy" for tail in ("", "z", ","))

    def word(self, scores: TokenScores, text: str) -> float:
        """Probability of all that stands behind the first word."""
        return math.exp(
            math.fsum(p for s, p in zip(scores.starts, scores.logps, strict=True) if s >= 1)
        )

    def test_the_probabilities_of_all_words_sum_to_one_when_corrected(self, bigram: str) -> None:
        texts = [f"x {word}" for word in self.WORDS] + ["x<|endoftext|>", "x<|other|>"]
        scored = ask(bigram, texts).scores
        plain = corrected = 0.0
        for text in texts:
            scores = scored[Text(text)]
            bare = Sentence(text.partition("<")[0])
            assert scores.starts[0] == 0
            plain += self.word(scores, text)
            corrected += self.word(correct_boundaries(scores, bare), text)
        assert corrected == pytest.approx(1, abs=1e-5)
        assert plain > 1.05

    def test_first_words_sum_to_one_over_those_without_a_space(self, bigram: str) -> None:
        scores = ask(bigram, ["x"]).scores[Text("x")]
        # x is the only piece that can open a text, and nothing without a space can follow it
        p = softmax(logits())
        first = p[0, PIECES.index("x")]
        others = p[0, [PIECES.index(piece) for piece in ("x", "z", ",")]].sum()
        after = p[PIECES.index("x"), [0, 1, 2, 3]].sum()
        got = correct_boundaries(scores, Sentence("x"))
        assert math.exp(got.total) == pytest.approx(first / others * after, abs=1e-5)
        assert math.exp(got.total) == pytest.approx(1, abs=1e-5)

    def test_a_word_is_worked_out_by_hand(self, bigram: str) -> None:
        p = softmax(logits())
        x, y, z = (PIECES.index(piece) for piece in ("Ġx", "Ġy", "z"))
        opens = [0, 1, 2, 3]
        start = PIECES.index("x")
        wanted = p[start, y] * p[y, z] * p[z, opens].sum() / p[start, opens].sum()
        scores = ask(bigram, ["x yz x"]).scores[Text("x yz x")]
        got = correct_boundaries(scores, Sentence("x yz x"))
        assert got.logps[1] + got.logps[2] == pytest.approx(math.log(wanted), abs=1e-4)
        last = p[z, x] * p[x, opens].sum() / p[z, opens].sum()
        assert got.logps[3] == pytest.approx(math.log(last), abs=1e-4)


class TestRefusals:
    def test_an_embedded_model_is_refused(self) -> None:
        with pytest.raises(ModelError, match=r"builtin:ngram cannot be corrected .* causal models"):
            ask("builtin:ngram", ["She left."])

    def test_a_masked_model_is_refused(self, masked: Callable[..., Path]) -> None:
        with pytest.raises(ModelError, match=r"only causal models"):
            ask(f"mlm:{masked()}", ["She left."])

    def test_a_tokenizer_without_marks_is_refused(
        self, causal: Callable[..., Path], masked: Callable[..., Path]
    ) -> None:
        model = f"hf:{causal('gpt2')}?tokenizer={masked()}&bos=none"
        with pytest.raises(ModelError, match=r"does not mark leading spaces \(Ġ or ▁\)"):
            ask(model, ["She left."])

    def test_a_text_that_leaves_no_room_for_its_end_is_refused(self, bigram: str) -> None:
        text = "x" + " x" * 30  # 31 tokens and BOS: all that the model reads
        assert score_texts(bigram, [Text(text)], ScoreStore()).computed == 1
        with pytest.raises(TooLongError, match=r"33 tokens, but the model reads 32"):
            ask(bigram, [text])
