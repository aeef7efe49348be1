"""Small valid folders of networks: ours, those of Transformers, classifiers on them, GGUF files.

Each is damaged in every file that decides about its scores. The folders that a sample does not
damage come from one place and are linked into its own.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from priscian.models import load
from priscian.models.classifier.encoder import View
from priscian.models.classifier.folder import ClassifierCard, RestartCard, write_card
from priscian.models.classifier.heads import LinearHead, ngrams, read_head
from priscian.models.classifier.states import pooled_states
from priscian.models.hf.bounds import read_header
from priscian.models.safetensors_file import read_safetensors, write_safetensors
from priscian.models.vocabulary import WordVocabulary
from priscian.models.vocabulary.words import BpeVocabulary
from priscian.records import Text
from priscian.scoring import ScoreStore, score_texts
from tests.fuzz import truths
from tests.fuzz.folder_samples import model, read_model, safetensors
from tests.fuzz.harness import Sample
from tests.small_lstm import weights
from tests.tiny import build_causal, build_masked, train_bpe

WORDS = WordVocabulary(["<s>", "UNK", *(f"w{n}" for n in range(118))])
TEXTS = [Text("w3 w4 w5"), Text("zebra w7")]
SENTENCES = ["The old nurse has admired us!", "Go."]
ENCODER_SLOWNESS, SLOWNESS = 4, 2
VIEW = View(1, "mean")


def scored(provider: str) -> Callable[[Path], list[str]]:
    """The numbers that a model of ours gives."""

    def read(folder: Path) -> list[str]:
        found = load(f"{provider}:{folder}").score(TEXTS)  # type: ignore[union-attr]
        return truths.numbers(p for scores in found for p in scores.logps)

    return read


def same_as(make: Callable[[Path], object], read: Callable[[Path], list[str]]) -> truths.Truth:
    """What an undamaged folder gives, for damage that cannot matter."""

    @functools.cache
    def known() -> list[str]:
        with tempfile.TemporaryDirectory() as name:
            make(Path(name))
            return read(Path(name))

    return lambda folder: known()


# ------------------------------------------------------------ our networks


def txl(folder: Path) -> None:
    import torch

    from priscian.models.networks.transformer_xl import TransformerXl, TransformerXlShape
    from priscian.training.save import export

    torch.manual_seed(1)
    shape = TransformerXlShape(120, layers=1, width=8, heads=2, inner=12, softmax="adaptive")
    export(folder, TransformerXl(shape), WORDS)


def rnng(folder: Path) -> None:
    import torch

    from priscian.models.networks.rnng import Rnng, RnngShape
    from priscian.training.save import export

    torch.manual_seed(1)
    shape = RnngShape(120, ("S", "NP"), embedding=8, hidden=8, layers=1, most_opening=2)
    export(folder, Rnng(shape), WORDS)


def on_lstm(folder: Path) -> None:
    import torch

    from priscian.models.networks.on_lstm import OnLstm, OnLstmShape
    from priscian.training.save import export

    torch.manual_seed(1)
    shape = OnLstmShape(120, embedding=8, hidden=8, layers=1, chunk=4)
    export(folder, OnLstm(shape), WORDS)


def with_pieces(folder: Path) -> None:
    """An LSTM whose vocabulary is a tokenizer."""
    BpeVocabulary(train_bpe()).save(folder)
    vocabulary = BpeVocabulary.read(folder).size
    sizes = {"tables__0": (vocabulary - 60, 4), "biases__0": (vocabulary - 60,)}
    random = np.random.default_rng(2)
    made = {name: random.normal(size=value.shape) for name, value in weights(**sizes).items()}
    (folder / "model.safetensors").write_bytes(
        safetensors({name: value.astype("f4") for name, value in made.items()})
    )
    (folder / "config.json").write_text(json.dumps({"architecture": "lstm"}))


def words_of(folder: Path) -> list[str]:
    """The words of `vocabulary.json`, and that the model scores."""
    read_model(folder)
    found = load(f"lstm:{folder}")
    return list(found.vocabulary.words)  # type: ignore[union-attr]


def words_in(folder: Path) -> list[str]:
    """The words as the file has them; whatever is not a text is no word."""
    words = json.loads((folder / "vocabulary.json").read_text("utf-8"))["words"]
    return [word if isinstance(word, str) else f"not a text: {word}" for word in words]


def network(
    name: str,
    make: Callable[[Path], object],
    read: Callable[[Path], list[str]],
    files: tuple[str, ...] = ("config.json", "vocabulary.json", "model.safetensors"),
    cost: int = 1,
) -> list[Sample]:
    """The samples of a folder: one for each file."""
    return [
        Sample(f"{name}, {file}", file, make, read, binary=file.endswith("tensors"), cost=cost)
        for file in files
    ]


# ------------------------------------------------------------ Transformers


@functools.cache
def built(kind: str) -> Path:
    """A folder of a tiny model, made once."""
    folder = Path(tempfile.mkdtemp(prefix="priscian-fuzz-"))
    if kind == "bert":
        build_masked(folder, cased=True)
    else:
        build_causal(kind, folder)
    return folder


def copied(kind: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        shutil.copytree(built(kind), folder, dirs_exist_ok=True)

    return make


def engine(provider: str) -> Callable[[Path], list[str]]:
    """What the engine gives, from the files on."""

    def read(folder: Path) -> list[str]:
        texts = [Text(text) for text in SENTENCES]
        found = score_texts(f"{provider}:{folder}?dtype=float32", texts, ScoreStore())
        scores = [p for text in texts for p in found.scores[text].logps]
        return truths.numbers(p for p in scores if p == p)

    return read


def plainly(folder: Path) -> list[str]:
    """The same by one forward pass of Transformers for each sentence."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    net = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    found = []
    for text in SENTENCES:
        ids = tokenizer(text, add_special_tokens=False).input_ids
        bos = tokenizer.bos_token_id
        if bos is None:
            bos = tokenizer.eos_token_id
        if bos is not None and ids[:1] != [bos]:
            ids = [bos, *ids]
        with torch.inference_mode():
            logps = net(input_ids=torch.tensor([ids])).logits[0].float().log_softmax(-1)
        found += [float(logps[at, token]) for at, token in enumerate(ids[1:])]
    return truths.numbers(found)


def transformers(provider: str, kind: str, truth: truths.Truth | None = None) -> list[Sample]:
    files = ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors")
    return [
        Sample(
            f"{provider}: {kind}, {file}",
            file,
            copied(kind),
            engine(provider),
            binary=file.endswith("tensors"),
            plain=list,
            truth=truth,
            cost=SLOWNESS,
        )
        for file in files
        if truth is None or file != "tokenizer_config.json"  # our choice of BOS is our own
    ]


def gguf(folder: Path) -> None:
    """A Llama of one layer with a tokenizer of a few pieces."""
    from gguf import GGUFWriter

    writer: Any = GGUFWriter(folder / "m.gguf", "llama")
    width, inner, words = 8, 16, 300
    writer.add_context_length(64)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // 2)
    writer.add_vocab_size(words)
    raw = json.loads(train_bpe().to_str())["model"]
    tokens = [piece for piece, _ in sorted(raw["vocab"].items(), key=lambda pair: pair[1])][:words]
    kept = set(tokens)
    merges = [" ".join(m) for m in raw["merges"] if {*m, "".join(m)} <= kept]
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([3, 3] + [1] * (words - 2))
    writer.add_token_merges(merges)
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    random = np.random.default_rng(3)
    shapes = {
        "token_embd.weight": (words, width), "output.weight": (words, width),
        "output_norm.weight": (width,), "blk.0.attn_norm.weight": (width,),
        "blk.0.ffn_norm.weight": (width,), "blk.0.attn_q.weight": (width, width),
        "blk.0.attn_k.weight": (width, width), "blk.0.attn_v.weight": (width, width),
        "blk.0.attn_output.weight": (width, width), "blk.0.ffn_gate.weight": (inner, width),
        "blk.0.ffn_up.weight": (inner, width), "blk.0.ffn_down.weight": (width, inner),
    }  # fmt: skip
    for name, shape in shapes.items():
        writer.add_tensor(name, random.normal(size=shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read_gguf(folder: Path) -> list[str]:
    read_header(folder / "m.gguf")
    return engine("hf")(folder / "m.gguf")


# ------------------------------------------------------------ classifiers


def write_classifier(folder: Path, card: dict[str, Any], restart: dict[str, Any]) -> None:
    known = RestartCard(number=1, seed=1, mcc={"dev": 0.5}, log={"c": 1.0}, **restart)
    facts = {"data": "cola:x", "data_digest": "0", "settings": {"a": 1}} | card
    write_card(folder, ClassifierCard(restarts=(known,), chosen=1, **facts))
    (folder / "restart-1").mkdir(exist_ok=True)


def majority(folder: Path) -> None:
    """A classifier that gives every sentence the same."""
    write_classifier(folder, {"method": "majority"}, {"intercept": 0.5})


def bag(folder: Path) -> None:
    """A classifier on n-grams, which needs no encoder."""
    write_classifier(folder, {"method": "ngrams"}, {"temperature": 2.0})
    grams = sorted({gram for text in SENTENCES for gram in ngrams(text)})
    facts = {"longest": 3, "ngrams": grams}
    (folder / "restart-1" / "vocabulary.json").write_text(json.dumps(facts, indent=0))
    arrays = {"weights": np.linspace(-1, 1, len(grams)), "intercept": np.array([0.25])}
    write_safetensors(folder / "restart-1" / "head.safetensors", arrays)


def bag_truth(folder: Path) -> list[str] | None:
    """The logits of a bag, by its own files."""
    card = json.loads((folder / "classifier.json").read_text("utf-8"))
    listed = json.loads((folder / "restart-1" / "vocabulary.json").read_text("utf-8"))
    found = dict(truths.arrays(folder / "restart-1" / "head.safetensors"))
    if card["method"] != "ngrams" or len(set(map(str, listed["ngrams"]))) < len(listed["ngrams"]):
        return None
    value = {str(g): float(w) for g, w in zip(listed["ngrams"], found["weights"], strict=True)}
    return truths.numbers(
        float(found["intercept"][0])
        + sum(value.get(gram, 0.0) for gram in ngrams(text, int(listed["longest"])))
        for text in SENTENCES
    )


def graded(folder: Path) -> list[str]:
    found = load(f"classifier:{folder}?score=logit")
    values = found.grade([Text(text) for text in SENTENCES])  # type: ignore[union-attr]
    load(f"classifier:{folder}?score=calibrated").grade([Text("Go.")])  # type: ignore[union-attr]
    return truths.numbers(values)


def on_encoder(folder: Path, method: str, view: str) -> None:
    """A classifier on a tiny BERT that lies beside it, with that encoder's own key."""
    from priscian.models.classifier.encoder import encoder_key, encoder_spec

    name = f"mlm:{built('bert')}"
    card = {
        "method": method,
        "encoder": name,
        "encoder_key": encoder_key(encoder_spec(name)).digest,
    }
    write_classifier(folder, card, {"view": view})


def probe(folder: Path) -> None:
    on_encoder(folder, "probe", "1-mean")
    line = np.linspace(-1, 1, 32, dtype=np.float32)
    head = LinearHead(line / 10, np.ones(32, np.float32), line, 0.25)
    head.save(folder / "restart-1" / "head.safetensors")


def probe_truth(folder: Path) -> list[str] | None:
    """The logits of a linear head on the same states, by the arrays in its file."""
    from priscian.models.classifier.states import pooled_states

    card = json.loads((folder / "classifier.json").read_text("utf-8"))
    restart = next(r for r in card["restarts"] if r["number"] == card["chosen"])
    if card["method"] != "probe" or restart["number"] != 1:
        return None
    found = {
        n: a.astype(np.float64) for n, a in truths.arrays(folder / "restart-1/head.safetensors")
    }
    view = View.parse(restart["view"])
    states = pooled_states(card["encoder"], SENTENCES, [view])[view].astype(np.float64)
    scaled = (states - found["mean"]) / found["scale"]
    return truths.numbers(scaled @ found["weights"] + found["intercept"][0])


@functools.cache
def tuned_weights() -> bytes:
    from priscian.models.classifier.encoder import load_encoder
    from priscian.models.classifier.tuned import TunedEncoder

    net = TunedEncoder(load_encoder(f"mlm:{built('bert')}"), "mean", lora=False)
    with tempfile.TemporaryDirectory() as name:
        write_safetensors(Path(name) / "w", net.trained())
        return (Path(name) / "w").read_bytes()


def tuned(folder: Path) -> None:
    on_encoder(folder, "finetune", "mean")
    (folder / "restart-1" / "model.safetensors").write_bytes(tuned_weights())


def in_own_cache(read: Callable[[Path], list[str]]) -> Callable[[Path], list[str]]:
    """Hidden states are kept with the samples, not in the cache of the user."""

    def reading(folder: Path) -> list[str]:
        before = os.environ.get("PRISCIAN_CACHE")
        os.environ["PRISCIAN_CACHE"] = str(built("bert").parent / "priscian-fuzz-cache")
        try:
            return read(folder)
        finally:
            if before is None:
                del os.environ["PRISCIAN_CACHE"]
            else:
                os.environ["PRISCIAN_CACHE"] = before

    return reading


HEAD, TUNED = "restart-1/head.safetensors", "restart-1/model.safetensors"


def classifier(
    name: str,
    make: Callable[[Path], object],
    files: tuple[str, ...],
    truth: truths.Truth | None,
    cost: int = 1,
) -> list[Sample]:
    read = in_own_cache(graded)
    return [
        Sample(
            f"{name}, {file}",
            file,
            make,
            read,
            binary=file.endswith("tensors"),
            plain=list,
            truth=truth,
            cost=cost,
        )
        for file in files
    ]


def kept(folder: Path) -> None:
    """Hidden states of a tiny GPT-2 in a cache of their own, and the memo of its hashes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRISCIAN_CACHE", str(folder))
        patch.setattr("priscian.models.fingerprint.SETTLED", 0)
        pooled_states(str(built("gpt2")), SENTENCES, [VIEW])
    (file,) = folder.rglob("*.npy")
    shutil.copy(file, folder / "states.npy")


def states_of(folder: Path) -> list[str]:
    """The states, from what is kept or computed again."""
    file = next((folder / "states").rglob("*.npy"), None)
    assert file is not None
    shutil.copy(folder / "states.npy", file)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRISCIAN_CACHE", str(folder))
        return truths.numbers(pooled_states(str(built("gpt2")), SENTENCES, [VIEW])[VIEW].ravel())


def arrays_of(folder: Path) -> list[str]:
    return truths.hashes(read_safetensors(folder / "model.safetensors").items())


def head_of(folder: Path) -> list[str]:
    head = read_head(folder / "head.safetensors")
    return [repr(head)[:80]]


LSTM_SCORES = scored("lstm")
NETWORKS: list[Sample] = [
    Sample(
        "safetensors",
        "model.safetensors",
        model,
        arrays_of,
        binary=True,
        plain=list,
        truth=lambda folder: truths.hashes(truths.arrays(folder / "model.safetensors")),
    ),
    Sample(
        "lstm, vocabulary.json",
        "vocabulary.json",
        model,
        words_of,
        plain=list,
        truth=words_in,
    ),
    Sample(
        "lstm, config.json",
        "config.json",
        model,
        LSTM_SCORES,
        plain=list,
        truth=same_as(model, LSTM_SCORES),
    ),
    *network("txl", txl, scored("txl")),
    *network("rnng", rnng, scored("rnng"), cost=SLOWNESS),
    *network("on-lstm", on_lstm, scored("lstm")),
    *network("lstm with pieces", with_pieces, scored("lstm"), ("tokenizer.json",)),
    *transformers("hf", "gpt2", plainly),
    *transformers("hf", "llama"),
    *transformers("mlm", "bert"),
    *(
        Sample(
            f"cache, {file}",
            file,
            kept,
            states_of,
            binary=True,
            plain=list,
            truth=same_as(kept, states_of),
            cost=SLOWNESS,
            repaired=True,
        )
        for file in ("states.npy", "hashes.sqlite")
    ),
    Sample("gguf", "m.gguf", gguf, read_gguf, binary=True, cost=SLOWNESS),
    *classifier("classifier, majority", majority, ("classifier.json",), None),
    *classifier(
        "classifier, n-grams",
        bag,
        ("classifier.json", "restart-1/vocabulary.json", HEAD),
        bag_truth,
    ),
    *classifier(
        "classifier, probe",
        probe,
        ("classifier.json", HEAD),
        in_own_cache(probe_truth),  # type: ignore[arg-type]
    ),
    *classifier("classifier, tuned", tuned, ("classifier.json", TUNED), None, ENCODER_SLOWNESS),
]
"""Everything that `load` builds a network from."""
