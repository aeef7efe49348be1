"""Masked models: do we and minicons give the same pseudo-log-likelihood, and who is faster?

`make bench-mlm`, or `.venv/bin/python benchmarks/pll_peer.py --help`. Models have random weights;
both sides have the same threads, and run in environments of their own and in fresh processes.
minicons takes sentences in batches of a number, on which its speed depends: we print several, and
pass only if we reach the bar at its best.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from materials import SEED, generated_pairs, read_pairs, sentences, take, write_pairs
from pll_tools import METRICS

HERE = Path(__file__).parent
PEER = HERE.parent / ".venv-bench-mlm" / "bin" / "python"
VOCABULARY = 30_522
TOKENS_A_WORD = 1.2
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
BATCH_SIZES = (1, 4, 16, 32)
IDLE = 0.9
"""If processor time is a smaller share of wall-clock time, a side had to wait for others."""
SAME = 1e-4
"""Nats by which a token may differ in float32."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a BERT, the number of pairs per paradigm for timing, and the bar."""

    layers: int
    width: int
    heads: int
    pairs: int
    bar: float
    aim: float


SHAPES = {
    "small": Shape(4, 256, 4, pairs=6, bar=4.0, aim=5.0),
    "base": Shape(12, 768, 12, pairs=1, bar=1.8, aim=2.5),
}


@dataclass(frozen=True, slots=True)
class Bench:
    """One model, the folder between the two sides, and the peer's Python."""

    model: Path
    folder: Path
    peer: Path
    core: int | None
    threads: int

    def run(self, tool: str, pairs: Path, metric: str, *sizes: int) -> list[dict[str, Any]]:
        """One fresh process of one side."""
        out = self.folder / "result.json"
        out.unlink(missing_ok=True)
        python = sys.executable if tool == "priscian" else str(self.peer)
        command = [python, str(HERE / "pll_tools.py"), tool, str(self.model), str(pairs)]
        command += ["--metric", metric, "--out", str(out), "--batch-size", *map(str, sizes or (1,))]
        if self.core is not None:
            command += ["--core", str(self.core)]
        command += ["--threads", str(self.threads)]
        threads = {"OMP_NUM_THREADS": str(self.threads), "MKL_NUM_THREADS": str(self.threads)}
        cache = {"PRISCIAN_CACHE": str(self.folder / "cache")}
        subprocess.run(command, check=True, env=os.environ | threads | cache)
        found: list[dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))
        return found


def build_tokenizer(texts: Sequence[str], folder: Path) -> None:
    """An uncased WordPiece of BERT's size that splits words about as often as BERT's own.

    Entries beyond those learned are never used. The file that names its class is written by hand,
    for Transformers 4 does not know the class that Transformers 5 writes.
    """
    sizes = range(400, 4000, 200)
    enough = (n for n in sizes if _pieces(_learn(texts, n), texts) <= TOKENS_A_WORD)
    learned = _learn(texts, next(enough, 4000))
    names = sorted(learned.get_vocab(), key=learned.token_to_id)
    names += [f"[unused{n}]" for n in range(VOCABULARY - len(names))]
    tokenizer = _dressed({name: n for n, name in enumerate(names)})
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": 512,
        **{f"{name[1:-1].lower()}_token": name for name in SPECIAL},
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")


def _learn(texts: Sequence[str], size: int) -> Any:
    from tokenizers import trainers

    tokenizer = _dressed(None)
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=list(SPECIAL), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def _dressed(vocabulary: dict[str, int] | None) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordPiece(vocab=vocabulary or {}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    if vocabulary:
        tokenizer.add_special_tokens(list(SPECIAL))
    return tokenizer


def _pieces(tokenizer: Any, texts: Sequence[str]) -> float:
    coded = tokenizer.encode_batch(list(texts[::20]), add_special_tokens=False)
    return sum(len(c.ids) for c in coded) / sum(len(set(c.word_ids)) for c in coded)


def build_model(shape: Shape, texts: Sequence[str], folder: Path) -> int:
    """A BERT with random weights, spread so that a wrong mask shows; its number of parameters."""
    import torch
    from transformers import BertConfig, BertForMaskedLM
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    torch.manual_seed(SEED)
    config = BertConfig(
        vocab_size=VOCABULARY,
        num_hidden_layers=shape.layers,
        hidden_size=shape.width,
        num_attention_heads=shape.heads,
        intermediate_size=4 * shape.width,
        initializer_range=0.05,
    )
    model = BertForMaskedLM(config)
    model.save_pretrained(folder)
    build_tokenizer(texts, folder)
    return sum(p.numel() for p in model.parameters())


def agreement(bench: Bench, pairs: Path) -> bool:
    """Print the largest difference of a token's log-probability, for each variant."""
    same = True
    for metric, theirs in METRICS.items():
        ours = bench.run("priscian", pairs, metric)[0]["tokens"]
        peers = bench.run("minicons", pairs, metric)[0]["tokens"]
        alike = [len(a) == len(b) for a, b in zip(ours, peers, strict=True)]
        if not all(alike):
            print(f"  {metric}: {alike.count(False)} sentences have other tokens  DISAGREES")
            same = False
            continue
        both = [(a, b) for x, y in zip(ours, peers, strict=True) for a, b in zip(x, y, strict=True)]
        worst = max(abs(a - b) for a, b in both)
        same &= worst <= SAME
        print(
            f"  {metric} and minicons' {theirs}: largest difference {worst:.1e} nats on "
            f"{len(both):,} tokens of {len(ours)} sentences {'' if worst <= SAME else ' DISAGREES'}"
        )
    return same


def speed(bench: Bench, shape: Shape, pairs: Path, count: int, asked: argparse.Namespace) -> bool:
    """Print pairs per second of each round, and the median ratio to minicons by batch size."""
    ratios: dict[int, list[float]] = {size: [] for size in asked.batch_sizes}
    disturbed = 0
    for turn in range(asked.rounds):
        took: dict[str, list[dict[str, Any]]] = {}
        for tool in ("priscian", "minicons") if turn % 2 == 0 else ("minicons", "priscian"):
            sizes = asked.batch_sizes if tool == "minicons" else (1,)
            took[tool] = bench.run(tool, pairs, asked.metric, *sizes)
        ours, theirs = took["priscian"][0], took["minicons"]
        for other in theirs:
            ratios[other["batch_size"]].append(other["seconds"] / ours["seconds"])
        waited = min(side["cpu"] / side["seconds"] for side in (ours, *theirs)) < IDLE
        disturbed += waited
        rates = ", ".join(f"{count / r['seconds']:.2f} in {r['batch_size']}s" for r in theirs)
        print(
            f"  round {turn + 1}: {count / ours['seconds']:.2f} pairs/s; minicons {rates}"
            f"{' !' if waited else ''}",
            flush=True,
        )
    medians = {size: statistics.median(found) for size, found in ratios.items()}
    settled = 2 * disturbed <= asked.rounds
    for size, ratio in sorted(medians.items(), key=lambda entry: entry[1]):
        verdict = "PASS, aim reached" if ratio >= shape.aim else "PASS"
        if ratio < shape.bar:
            verdict = "short of it"
        print(
            f"  median {ratio:.2f} × minicons in batches of {size}; asked {shape.bar} ×, "
            f"aimed at {shape.aim} ×: {verdict}"
        )
    if not settled:
        print(f"  no verdict: {disturbed} rounds (!) waited for other processes; run it alone")
    return settled and min(medians.values()) >= shape.bar


def main() -> int:
    """Agreement, then speed; exit with 1 if anything falls short."""
    asked = _arguments()
    if not asked.peer.is_file():
        print(f"no {asked.peer}: make bench-mlm builds it", file=sys.stderr)
        return 2
    given = [pair for path in asked.pairs for pair in read_pairs(path)]
    texts = [*sentences(generated_pairs(30)), *sentences(given)]
    good = True
    for name in ["small", "base"] if asked.shape == "both" else [asked.shape]:
        shape = SHAPES[name]
        with tempfile.TemporaryDirectory(prefix="priscian-pll-") as place:
            folder = Path(place)
            size = build_model(shape, texts, folder / name)
            each = asked.pairs_per_paradigm or shape.pairs
            pairs = take(given, each) if given else generated_pairs(each)
            for file, some in (("all", pairs), ("one", take(pairs, 1))):
                write_pairs(some, folder / f"{file}.jsonl")
            bench = Bench(folder / name, folder, asked.peer, asked.core, asked.threads)
            print(
                f"{name}: {shape.layers} layers, width {shape.width}, {size / 1e6:.0f}M "
                f"parameters, {len(pairs)} pairs, {asked.metric}, "
                f"threads of each side: {asked.threads}",
                flush=True,
            )
            good &= agreement(bench, folder / "one.jsonl")
            if asked.rounds:
                good &= speed(bench, shape, folder / "all.jsonl", len(pairs), asked)
    return 0 if good else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=[*SHAPES, "both"], default="both")
    parser.add_argument("--metric", choices=METRICS, default="word-l2r")
    parser.add_argument("--rounds", type=int, default=3, help="0 compares scores only")
    parser.add_argument(
        "--pairs", type=Path, nargs="+", default=(), help="files in BLiMP's schema; else ours"
    )
    parser.add_argument("--pairs-per-paradigm", type=int, default=None, metavar="N")
    parser.add_argument(
        "--batch-sizes", type=int, nargs="+", default=BATCH_SIZES, help="of minicons"
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="of each side")
    parser.add_argument("--core", type=int, default=None, help="the core of one thread")
    parser.add_argument("--peer", type=Path, default=PEER, help="Python that has minicons")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
