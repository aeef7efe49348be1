"""The training of a parser: treebank, vocabulary, network, loop, and the folder it is read from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from priscian.errors import UsageError
from priscian.files import read_json, write_json
from priscian.models.builtin import MODELS
from priscian.models.networks.span_parser import SpanParser, SpanParserShape
from priscian.models.parser import Parser, ParserWords
from priscian.models.plstm import read_model
from priscian.training.folder import TrainingFolder
from priscian.training.loop import Data, Loop, Moment
from priscian.training.machine import Machine, memory_needed, settings_kept
from priscian.training.parser.evaluation import score_parser
from priscian.training.parser.lesson import Lesson, copy_language_model, encode_numbers
from priscian.training.parser.treebank import Example, Treebank, ranked, read_treebank
from priscian.training.recipe import Recipe, write_recipe
from priscian.training.save import LogLine, StepLog, export

LANGUAGE_MODEL = "lstm"
"""The built-in model whose table and layers the parser begins with."""
TREEBANK = "treebank.json"
MEASURED = 8
"""How often the dev part is parsed in a training."""


def train_parser(
    recipe: Recipe,
    out: Path,
    *,
    resume: bool = False,
    say: Callable[[str], None] = lambda line: None,
    report: Callable[[Moment], None] = lambda moment: None,
) -> dict[str, Any]:
    """Train a parser into a folder; its card. Torch's settings are left as they were found."""
    with settings_kept(), memory_needed():
        return _train(recipe, out, resume, say, report)


def _train(
    recipe: Recipe,
    out: Path,
    resume: bool,
    say: Callable[[str], None],
    report: Callable[[Moment], None],
) -> dict[str, Any]:
    folder = TrainingFolder(out)
    folder.check(recipe, resume=resume)
    machine = Machine(recipe.machine, recipe.training.grad_accumulation)
    if machine.world > 1 or machine.device != "cpu":
        raise UsageError('a parser trains in one process on the CPU; set machine.device = "cpu"')
    say("reading the treebank")
    treebank = read_treebank([Path(name) for name in recipe.corpus.files], recipe.text.max_length)
    _check_files(treebank, out)
    say(f"{len(treebank.train):,} trees; the language model reads their sentences")
    torch.manual_seed(recipe.training.seed)
    network, words = build(recipe, treebank.train)
    numbers = encode_numbers(treebank.train)
    lesson = Lesson(network, words, treebank.train)
    data = Data(numbers, None, encode_numbers(treebank.dev), treebank.digest)
    loop = Loop(lesson, recipe, data, out / "training", machine)
    with folder.opened(recipe, resume=resume):
        _check_files(treebank, out)  # another training may have come and gone since
        return _run(loop, network, words, treebank, out, say, report)


def _run(
    loop: Loop,
    network: SpanParser,
    words: ParserWords,
    treebank: Treebank,
    out: Path,
    say: Callable[[str], None],
    report: Callable[[Moment], None],
) -> dict[str, Any]:
    folder = TrainingFolder(out)
    if not folder.has_begun():
        folder.begin(write_recipe(loop.recipe))  # only now: what cannot be built leaves none behind
    write_json(out / "training" / TREEBANK, [list(mark) for mark in treebank.files])
    if loop.resume():
        say(f"resumed after {loop.progress.tokens:,} words")
    log = StepLog(out, loop)
    parser = Parser(network, words)

    def measure(count: int) -> None:
        found = score_parser(parser, treebank.dev)
        log.add(LogLine(tokens=loop.progress.tokens, dev_f1=round(found.f1, 2)))
        say(f"dev F1 {found.f1:.2f} after {loop.progress.tokens:,} words")

    def watch(moment: Moment) -> None:
        log.step(moment)
        report(moment)

    loop.run([loop.total * n // MEASURED for n in range(1, MEASURED)], measure, watch)
    export(out, network, words)  # type: ignore[arg-type]
    card = _card(loop, treebank, words)
    for name in ("dev", "test"):
        card[name] = score_parser(parser, getattr(treebank, name)).as_dict()
    write_json(out / "card.json", card)
    return card


def build(recipe: Recipe, examples: Sequence[Example]) -> tuple[SpanParser, ParserWords]:
    """A network with fresh weights, and the words, labels and tags of a treebank."""
    stored = read_model(MODELS[LANGUAGE_MODEL].path)
    words = ParserWords.learn(
        (example.words for example in examples), stored.pieces, least=recipe.text.min_count
    )
    units = stored.weights["lstm.weight_hh_l0"].shape[1]
    shape = SpanParserShape(
        labels=ranked(Counter(label for e in examples for label in e.spans.values())),
        tags=ranked(Counter(tag for e in examples for tag in e.tags)),
        piece_width=stored.weights["lstm.weight_ih_l0"].shape[1],
        reader_units=units,
        reader_layers=sum(name.startswith("lstm.weight_hh") for name in stored.weights),
        **words.sizes,
        **recipe.network,
    )
    network = SpanParser(shape)
    copy_language_model(network, stored.weights)
    return network, words


def _check_files(treebank: Treebank, out: Path) -> None:
    """Refuse to go on with another treebank than the training began with."""
    path = out / "training" / TREEBANK
    marks = [list(mark) for mark in treebank.files]
    if path.is_file() and read_json(path, list[list[str]]) != marks:
        raise UsageError(
            f"the treebank of the training in {out} has changed since; name a new `out=`"
        )


def _card(loop: Loop, treebank: Treebank, words: ParserWords) -> dict[str, Any]:
    recipe, progress = loop.recipe, loop.progress
    held = [example.words for example in treebank.test]
    return {
        "architecture": recipe.architecture,
        "parameters": sum(p.numel() for p in loop.network.parameters()),
        "trained_parameters": sum(p.numel() for p in loop.network.parameters() if p.requires_grad),
        "language_model": f"builtin:{LANGUAGE_MODEL}",
        "words_seen": progress.tokens,
        "steps": progress.step,
        "seconds": round(progress.seconds),
        "threads": recipe.machine.threads,
        "seed": recipe.training.seed,
        "treebank": {
            "files": [list(mark) for mark in treebank.files],
            "trees": len(treebank.train),
            "words": sum(len(example.words) for example in treebank.train),
            "left_out": treebank.left_out,
        },
        "vocabulary": len(words.words),
        "unknown_in_test": sum(not words.knows(word) for sentence in held for word in sentence),
    }
