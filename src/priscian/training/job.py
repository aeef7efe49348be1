"""A whole training: corpus, vocabulary, network, loop, and the folder that a model is read from."""

from __future__ import annotations

import hashlib
import json
import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from priscian.errors import DataError, UsageError
from priscian.files import read_json, replacing, write_json, write_text
from priscian.models.vocabulary import BpeVocabulary, Vocabulary, WordVocabulary, load_vocabulary
from priscian.training.amounts import parse_amount
from priscian.training.architectures import build
from priscian.training.corpora import read_sentences
from priscian.training.recipe import Recipe, write_recipe
from priscian.training.rows import Encoded, encode
from priscian.training.schedule import checkpoint_counts
from priscian.training.subsets import Corpus, read_corpus

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Vocabulary and encoded text, and what the card says about them."""

    vocabulary: Vocabulary
    main: Encoded
    extra: Encoded | None
    dev: Encoded
    test: Encoded
    facts: Mapping[str, Any]


def prepare(recipe: Recipe, folder: Path, say: Say) -> Prepared:
    """Read and encode the corpus, or read what an earlier start of the same training made."""
    place = folder / "training"
    mark = _mark(recipe)
    if (place / "prepared.json").is_file():
        facts = read_json(place / "prepared.json", dict[str, Any])
        if facts.get("mark") != mark:
            raise UsageError(
                f"the corpus of the training in {folder} has changed since; name a new --out"
            )
        parts = {name: _load(place / f"{name}.npz") for name in ("main", "extra", "dev", "test")}
        main, dev, test = parts["main"], parts["dev"], parts["test"]
        assert main is not None
        assert dev is not None
        assert test is not None
        return Prepared(load_vocabulary(folder), main, parts["extra"], dev, test, facts)
    say("reading the corpus")
    corpus = read_corpus([Path(name) for name in recipe.corpus.files])
    size = None if recipe.corpus.size == "all" else parse_amount(recipe.corpus.size, "size")
    sentences = corpus.subset(size, recipe.corpus.order_seed)
    extra = list(read_sentences([Path(name) for name in recipe.corpus.extra], split=True))
    say(f"{len(sentences) + len(extra):,} sentences; learning the vocabulary")
    learn_on = sentences
    if recipe.text.vocabulary == "shared":
        learn_on = corpus.subset(None, recipe.corpus.order_seed)
    vocabulary = _learn(recipe, [*learn_on, *extra])
    say(f"{vocabulary.size:,} tokens in the vocabulary; encoding")
    ready = _encode(recipe, vocabulary, corpus, sentences, extra, mark)
    vocabulary.save(folder)
    for name in ("main", "extra", "dev", "test"):
        _store(place / f"{name}.npz", getattr(ready, name))
    write_json(place / "prepared.json", ready.facts)
    return ready


def _learn(recipe: Recipe, sentences: Sequence[str]) -> Vocabulary:
    words, _, size = recipe.text.words.partition(":")
    if words == "bpe":
        return BpeVocabulary.learn(sentences, parse_amount(size or "8192", "text.words"))
    if words == "ptb":
        text = recipe.text
        return WordVocabulary.learn(
            sentences, least=text.least, most=text.most or None, classes=text.classes
        )
    raise UsageError(f"text.words = {recipe.text.words!r}; it takes ptb or bpe:N")


def _encode(
    recipe: Recipe,
    vocabulary: Vocabulary,
    corpus: Corpus,
    sentences: Sequence[str],
    extra: Sequence[str],
    mark: str,
) -> Prepared:
    longest = recipe.text.longest
    main = encode(vocabulary, sentences, longest)
    others = encode(vocabulary, extra, longest, "extra text") if extra else None
    held: dict[str, Encoded] = {}
    facts: dict[str, Any] = {
        "mark": mark,
        "files": [list(file) for file in corpus.files],
        "sentences": len(sentences),
        "words": vocabulary.count_words(sentences),
        "left_out": main.left_out,
        "vocabulary": vocabulary.size,
    }
    for name, part in (("dev", corpus.dev), ("test", corpus.test)):
        kept = [s for s in part if 0 < len(vocabulary.encode(s).ids) <= longest]
        held[name] = encode(vocabulary, part, longest, f"{name} part")
        facts[name] = {
            "sentences": len(kept),
            "words": vocabulary.count_words(kept),
            "unknown": sum(vocabulary.unknown(s) for s in kept),
            "left_out": held[name].left_out,
        }
    return Prepared(vocabulary, main, others, held["dev"], held["test"], facts)


def _mark(recipe: Recipe) -> str:
    """What the prepared text depends on: the recipe's tables, names and sizes of the files."""
    tables = recipe.to_dict()
    files = [*recipe.corpus.files, *recipe.corpus.extra]
    sizes = [Path(name).stat().st_size if Path(name).is_file() else -1 for name in files]
    facts = json.dumps([tables["corpus"], tables["text"], sizes], sort_keys=True)
    return hashlib.sha256(facts.encode()).hexdigest()


def _store(path: Path, data: Encoded | None) -> None:
    if data is not None:
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.savez(file, ids=data.ids, starts=data.starts, left_out=np.array(data.left_out))


def _load(path: Path) -> Encoded | None:
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
            return Encoded(saved["ids"], saved["starts"], int(saved["left_out"]))
    except (OSError, EOFError, ValueError, KeyError, TypeError, RuntimeError, zipfile.BadZipFile,
            zlib.error, struct.error) as error:  # fmt: skip
        raise DataError(
            f"{path} is damaged ({str(error)[:120]}); delete {path.parent / 'prepared.json'}, "
            "and it is made again"
        ) from None


def train(
    recipe: Recipe,
    out: Path,
    *,
    resume: bool = False,
    say: Say = lambda line: None,
    report: Callable[[Any], None] = lambda moment: None,
) -> dict[str, Any]:
    """Train a model into a folder; its card. Torch's settings are left as they were found."""
    import torch

    threads = torch.get_num_threads()
    try:
        return _train(recipe, out, resume, say, report)
    finally:
        torch.set_num_threads(threads)
        torch.set_flush_denormal(False)


def _train(
    recipe: Recipe, out: Path, resume: bool, say: Say, report: Callable[[Any], None]
) -> dict[str, Any]:
    import torch

    from priscian.training.loop import Data, Loop, Moment
    from priscian.training.machine import Machine
    from priscian.training.save import Log, export

    _check_folder(recipe, out, resume)
    machine = Machine(recipe.machine, recipe.training.accumulate)
    if machine.rank == 0:
        ready = prepare(recipe, out, say)
    machine.wait()
    if machine.rank:
        ready = prepare(recipe, out, say)
    write_text(out / "recipe.toml", write_recipe(recipe))
    torch.manual_seed(recipe.training.seed)
    network = build(recipe.architecture, ready.vocabulary.size, recipe.network)
    loop = Loop(
        network, recipe, Data(ready.main, ready.extra, ready.dev), out / "training", machine
    )
    if loop.resume():
        say(f"resumed after {loop.progress.tokens:,} tokens")
    log = Log(out, loop, ready)

    def keep(count: int) -> None:
        if machine.rank == 0:
            with loop.best_weights():
                export(out / f"tokens-{count}", network, ready.vocabulary)
                log.checkpoint(count)

    counts = checkpoint_counts(recipe.checkpoints.at, loop.total)

    def watch(moment: Moment) -> None:
        log.step(moment)
        report(moment)

    loop.run(counts, keep, watch)
    if machine.rank:
        return {}
    with loop.best_weights():
        export(out, network, ready.vocabulary)
        return log.finish()


def _check_folder(recipe: Recipe, out: Path, resume: bool) -> None:
    saved = out / "recipe.toml"
    if not saved.is_file():
        if out.is_dir() and any(out.iterdir()) and not (out / "training").is_dir():
            raise UsageError(f"{out} is not empty and holds no training; name a new --out")
        return
    if saved.read_text("utf-8") != write_recipe(recipe):
        raise UsageError(
            f"{out} holds a training with another recipe; name a new --out, "
            "or give the very same recipe and --resume"
        )
    if not resume:
        raise UsageError(f"{out} holds a training with this recipe; go on with --resume")


def perplexity_per_word(nats_per_token: float, data: Encoded, facts: Mapping[str, Any]) -> float:
    """exp(nats of words and sentence ends / (words + sentences))."""
    return math.exp(nats_per_token * data.tokens / (facts["words"] + facts["sentences"]))
