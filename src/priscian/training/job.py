"""A whole training: corpus, vocabulary, network, loop, and the folder that a model is read from."""

from __future__ import annotations

import hashlib
import json
import math
import struct
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from priscian.errors import DataError, UsageError, counted
from priscian.files import is_free, read_json, replacing, replacing_folder, write_json, write_text
from priscian.files.lock import lock_file
from priscian.models.vocabulary import Vocabulary, load_vocabulary
from priscian.training.amounts import parse_amount
from priscian.training.architectures import TREES, build
from priscian.training.checks import check_device
from priscian.training.parsed_text import ParsedText
from priscian.training.recipe import SAVED, Recipe, is_same, write_recipe
from priscian.training.rows import Encoded
from priscian.training.schedule import checkpoint_counts
from priscian.training.sources import Learnt, PlainText, Source
from priscian.training.subsets import Corpus, hash_text, read_corpus
from priscian.training.tree_source import EncodedTrees, TreeText

if TYPE_CHECKING:
    from priscian.training.loop import Moment
    from priscian.training.machine import Machine

Say = Callable[[str], None]
MISSING = -1
"""The size of a file that is not there."""
MADE = (
    "training/prepared.json", "training/extra.npz",
    "vocabulary.json", "tokenizer.json", "tokenizer_config.json",
)  # fmt: skip
"""Files of the preparation that the next one may not write again."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Vocabulary and encoded text, and what the card says about them."""

    vocabulary: Vocabulary
    main: Encoded
    extra: Encoded | None
    dev: Encoded
    test: Encoded
    facts: Mapping[str, Any]

    @property
    def learnt(self) -> Mapping[str, Any]:
        """Keys of the network's shape that the corpus decides."""
        found: Mapping[str, Any] = self.facts.get("network", {})
        return {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in found.items()
        }


def source_of(recipe: Recipe) -> Source:
    """How the corpus of a recipe is read."""
    if _needs_trees(recipe):
        if recipe.corpus.trees_of:
            return ParsedText(recipe.text, recipe.network, recipe.corpus.files)
        return TreeText(recipe.text, recipe.network)
    if recipe.corpus.trees_of:
        raise UsageError(
            f"corpus.trees_of is for grammars; leave it out to train {recipe.architecture}"
        )
    return PlainText(recipe.text, limited=recipe.architecture == "gpt2")


def prepare(recipe: Recipe, say: Say) -> Prepared:
    """Read and encode the corpus."""
    source = source_of(recipe)
    say("reading the corpus")
    files = [Path(name) for name in recipe.corpus.trees_of or recipe.corpus.files]
    others = [Path(name) for name in recipe.corpus.extra]
    corpus = read_corpus(files, source=source, mixed_in=others)
    size = None if recipe.corpus.size == "all" else parse_amount(recipe.corpus.size, "size")
    sentences = corpus.subset(size, recipe.corpus.order_seed)
    extra = source.read(others)
    say(f"{len(sentences) + len(extra):,} sentences; learning the vocabulary")
    learn_on = sentences
    if recipe.text.vocabulary == "shared":
        learn_on = corpus.subset(None, recipe.corpus.order_seed)
    learnt = source.learn([*learn_on, *extra])
    say(f"{learnt.vocabulary.size:,} tokens in the vocabulary; encoding")
    sizes = _file_sizes(recipe)
    marks: dict[str, Any] = {"mark": _mark(recipe.to_dict(), sizes), "sizes": sizes}
    marks["extra"] = {
        "files": [[file.name, hash_text(file)] for file in others],
        "sentences": len(extra),
        "words": sum(map(source.count, extra)),
    }
    ready = _encode(learnt, corpus, sentences, extra, marks)
    if ready.main.left_out:
        say(
            f"{counted(ready.main.left_out, 'sentence')} left out of training, of more than "
            f"{recipe.text.longest} tokens{' or without a fitting tree' * _needs_trees(recipe)}; "
            "raise text.longest to train on longer ones"
        )
    return ready


def _keep(ready: Prepared, folder: Path) -> None:
    """Write what was prepared, for a training that is resumed and for other processes."""
    place = folder / "training"
    if not _has_begun(folder):
        for name in MADE:  # of an earlier start that failed, with another recipe
            (folder / name).unlink(missing_ok=True)
    ready.vocabulary.save(folder)
    for name in ("main", "extra", "dev", "test"):
        _store(place / f"{name}.npz", getattr(ready, name))
    write_json(place / "prepared.json", ready.facts)


def _needs_trees(recipe: Recipe) -> bool:
    return recipe.architecture in TREES


def _encode(
    learnt: Learnt,
    corpus: Corpus,
    sentences: Sequence[str],
    extra: Sequence[str],
    marks: Mapping[str, Any],
) -> Prepared:
    source = corpus.source
    main = source.encode(learnt, sentences)
    others = source.encode(learnt, extra, "extra text") if extra else None
    held: dict[str, Encoded] = {}
    facts: dict[str, Any] = {
        **marks,
        "files": [list(file) for file in corpus.files],
        "sentences": len(sentences),
        "words": sum(map(source.count, sentences)),
        "left_out": main.left_out,
        "vocabulary": learnt.vocabulary.size,
        "network": dict(learnt.network),
    }
    for name, part in (("dev", corpus.dev), ("test", corpus.test)):
        held[name] = source.encode(learnt, part, f"{name} part")
        facts[name] = source.facts(learnt, part) | {"left_out": held[name].left_out}
    return Prepared(learnt.vocabulary, main, others, held["dev"], held["test"], facts)


def _read_prepared(recipe: Recipe, folder: Path) -> Prepared | None:
    """What an earlier start made; None if there is nothing, or of a training that never began."""
    place = folder / "training"
    if not (place / "prepared.json").is_file():
        return None
    facts = read_json(place / "prepared.json", dict[str, Any])
    if _is_changed(recipe, folder, facts):
        if not _has_begun(folder):
            return None
        raise UsageError(
            f"the corpus of the training in {folder} has changed since; name a new --out"
        )
    parts = {name: _load(place / f"{name}.npz") for name in ("main", "extra", "dev", "test")}
    main, extra, dev, test = parts.values()
    if main is None or dev is None or test is None or (recipe.corpus.extra and extra is None):
        return None
    return Prepared(load_vocabulary(folder), main, extra, dev, test, facts)


def _has_begun(folder: Path) -> bool:
    """Whether a folder holds more of a training than its prepared text."""
    return (folder / SAVED).is_file() or (folder / "training" / "state.pt").is_file()


def _is_changed(recipe: Recipe, folder: Path, facts: Mapping[str, Any]) -> bool:
    """Whether prepared text is of another corpus; a file that is missing has not changed."""
    saved = folder / SAVED
    # the saved recipe is the same as this one, but its amounts may be written otherwise
    tables = tomllib.loads(saved.read_text("utf-8")) if saved.is_file() else recipe.to_dict()
    sizes = _file_sizes(recipe)
    if MISSING in sizes and saved.is_file():
        before = facts.get("sizes")
        if not isinstance(before, list) or len(before) != len(sizes):
            return False  # prepared before sizes were kept; the recipe is the same
        sizes = [old if now == MISSING else now for old, now in zip(before, sizes, strict=True)]
    return bool(facts.get("mark") != _mark(tables, sizes))


def _file_sizes(recipe: Recipe) -> list[int]:
    files = [*recipe.corpus.files, *recipe.corpus.extra, *recipe.corpus.trees_of]
    return [Path(name).stat().st_size if Path(name).is_file() else MISSING for name in files]


def _mark(tables: Mapping[str, Any], sizes: Sequence[int]) -> str:
    """What the prepared text depends on: the recipe's tables, names and sizes of the files."""
    limits = [tables["network"].get(key) for key in ("most_open", "most_opening")]  # of trees
    parts = [tables["corpus"], tables["text"], sizes, *([limits] if any(limits) else [])]
    facts = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(facts.encode()).hexdigest()


def _store(path: Path, data: Encoded | None) -> None:
    if data is not None:
        with replacing(path) as temporary, temporary.open("wb") as file:
            arrays: dict[str, Any] = {name: getattr(data, name) for name in _fields(data)}
            np.savez(file, **arrays)


def _fields(data: Encoded | type[Encoded]) -> list[str]:
    return [field.name for field in fields(data)]


def _load(path: Path) -> Encoded | None:
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
            kind = EncodedTrees if "labels" in saved else Encoded
            found = [saved[name] for name in _fields(kind)]
            return kind(*found[:2], *map(int, found[2:]))
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
    from priscian.training.machine import memory_needed, settings_kept  # needs torch

    with settings_kept(), memory_needed():
        return _train(recipe, out, resume, say, report)


def _train(
    recipe: Recipe, out: Path, resume: bool, say: Say, report: Callable[[Any], None]
) -> dict[str, Any]:
    from priscian.training.machine import Machine

    check_folder(recipe, out, resume)
    check_device(recipe.machine.device)
    by_columns = recipe.text.pack == "stream"
    machine = Machine(recipe.machine, recipe.training.accumulate, by_columns=by_columns)
    known = _read_prepared(recipe, out) if machine.rank == 0 else None
    ready = known or (prepare(recipe, say) if machine.rank == 0 else None)
    with one_training(recipe, out, resume) if machine.rank == 0 else nullcontext():
        if ready is not None and known is None:
            _keep(ready, out)
        machine.wait()
        ready = ready or _read_prepared(recipe, out)  # what the first process has written
        assert ready is not None
        card = _run(recipe, ready, machine, out, say, report)
    machine.leave()
    return card


def _run(
    recipe: Recipe,
    ready: Prepared,
    machine: Machine,
    out: Path,
    say: Say,
    report: Callable[[Any], None],
) -> dict[str, Any]:
    import torch

    from priscian.training.loop import Data, Loop
    from priscian.training.save import Log, export

    torch.manual_seed(recipe.training.seed)
    network = build(recipe.architecture, ready.vocabulary.size, recipe.network, ready.learnt)
    loop = Loop(
        network, recipe, Data(ready.main, ready.extra, ready.dev), out / "training", machine
    )
    if machine.rank == 0 and not (out / SAVED).is_file():
        # only now: what cannot be built leaves no recipe behind
        write_text(out / SAVED, write_recipe(recipe))
    if loop.resume() and machine.rank == 0:
        say(f"resumed after {loop.progress.tokens:,} tokens")
    log = Log(out, loop, ready)

    def keep(count: int) -> None:
        if machine.rank == 0:
            with loop.best_weights(), replacing_folder(out / f"tokens-{count}") as made:
                export(made, loop.network, ready.vocabulary)
                log.checkpoint(count, made)

    def watch(moment: Moment) -> None:
        log.step(moment)
        if machine.rank == 0:
            report(moment)

    loop.run(checkpoint_counts(recipe.checkpoints.at, loop.total), keep, watch)
    if machine.rank:
        return {}
    with loop.final_weights():
        export(out, loop.network, ready.vocabulary)
        return log.finish()


@contextmanager
def one_training(recipe: Recipe, out: Path, resume: bool) -> Iterator[None]:
    """Inside, no other process trains in this folder."""
    lock = lock_file(
        out / "training" / "lock",
        f"another training is writing to {out}; wait until it has ended, or name a new --out",
    )
    try:
        check_folder(recipe, out, resume)  # another training may have come and gone since
        yield
    finally:
        lock.release()


def check_folder(recipe: Recipe, out: Path, resume: bool) -> None:
    """Refuse a folder that holds something else, or a training that is not to be resumed."""
    saved = out / SAVED
    if out.is_file():
        raise UsageError(f"{out} is a file; name a folder with --out")
    if not saved.is_file():
        if out.is_dir() and not is_free(out) and not (out / "training").is_dir():
            raise UsageError(f"{out} is not empty and holds no training; name a new --out")
        return
    if not is_same(saved.read_text("utf-8"), recipe):
        raise UsageError(
            f"{out} holds a training with another recipe; name a new --out, "
            "or give the very same recipe and --resume"
        )
    if not resume:
        raise UsageError(f"{out} holds a training with this recipe; go on with --resume")


def perplexity_per_word(nats_per_token: float, data: Encoded, facts: Mapping[str, Any]) -> float:
    """exp(nats of words and sentence ends / (words + sentences))."""
    return math.exp(nats_per_token * data.tokens / (facts["words"] + facts["sentences"]))
