"""The training of a parser: treebank, vocabulary, network, loop, and the folder it is read from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from priscian.errors import UsageError
from priscian.files import plain, read_json, write_json
from priscian.models.builtin import MODELS
from priscian.models.lstm import Softmax
from priscian.models.networks.span_parser import SpanParser, SpanParserShape, all_spans
from priscian.models.parser import Parser, ParserWords, batches, best_spans
from priscian.models.plstm import read_model
from priscian.training.job import TrainingFolder
from priscian.training.loop import Data, Loop, Moment
from priscian.training.machine import Machine, memory_needed, settings_kept
from priscian.training.parser.treebank import Example, Treebank, ranked, read_treebank, score_parser
from priscian.training.recipe import Recipe, write_recipe
from priscian.training.rows import Encoded
from priscian.training.save import LogLine, StepLog, export
from priscian.workers import Say

NO_LABEL = -1
LANGUAGE_MODEL = "lstm"
"""The built-in model whose table and layers the parser begins with."""
TREEBANK = "treebank.json"
MEASURED = 8
"""How often the dev part is parsed in a training."""


def encode_numbers(examples: Sequence[Example]) -> Encoded:
    """Sentences as rows of their own number, one for each word and one more."""
    lengths = np.array([len(example.words) + 1 for example in examples])
    numbers = np.repeat(np.arange(len(examples), dtype=np.int32), lengths)
    return Encoded(numbers, np.concatenate([[0], np.cumsum(lengths)]))


class Lesson(nn.Module):
    """A parser and its treebank, as the training loop calls them."""

    def __init__(self, parser: SpanParser, words: ParserWords, examples: Sequence[Example]) -> None:
        super().__init__()
        self.parser = parser
        self._words, self._examples = words, examples
        self._labels = {label: number for number, label in enumerate(parser.shape.labels)}
        self._tags = {tag: number for number, tag in enumerate(parser.shape.tags)}
        self._read: list[Tensor] | None = None
        """The language model's states of every sentence, which never change: read once."""
        if parser.shape.read_along:
            found: dict[int, Tensor] = {}
            # always in the same batches, so that a resumed training has the same bits
            for batch in batches([example.words for example in examples]):
                states = parser.read_along(words.batch([examples[n].words for n in batch]))
                found.update(zip(batch, states.half().unbind(0), strict=True))
            self._read = [found[number] for number in range(len(examples))]

    def forward(self, rows: Tensor, memory: None = None) -> tuple[Tensor, None]:
        """Loss for each word of the sentences whose numbers the rows have: (batch, …) → ().

        Hinge loss: the best tree, where every wrong label counts one more than it scores, against
        the treebank's tree. Only spans in which the two differ have a gradient.
        """
        numbers = rows[:, 0].tolist()
        examples = [self._examples[number] for number in numbers]
        parser = self.parser
        read = None if self._read is None else torch.stack([self._read[n] for n in numbers]).float()
        states = parser.states(self._words.batch([example.words for example in examples]), read)
        gaps = parser.gap_vectors(states)
        gold = self.gold_labels(examples)  # (batch, gaps, gaps)
        guess, cost = self.worst_tree(gaps, gold)
        words = gold.shape[0] * (gold.shape[1] - 1)
        loss = gaps.new_tensor(cost)
        for labels, sign in ((guess, 1), (gold, -1)):
            where = np.nonzero((labels != NO_LABEL) & (guess != gold))
            if len(where[0]):
                spans = torch.from_numpy(np.stack([*where, labels[where]], 1))
                loss = loss + sign * parser.labelled_scores(gaps, spans).sum()
        tags = torch.tensor([self._tags[tag] for example in examples for tag in example.tags])
        tagging = functional.cross_entropy(parser.tag_scores(states).flatten(0, 1), tags)
        return loss / words + parser.shape.tagging * tagging, None

    def gold_labels(self, examples: Sequence[Example]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Labels of the treebank's spans; -1 elsewhere: (batch, gaps, gaps)."""
        gaps = len(examples[0].words) + 1
        gold = np.full((len(examples), gaps, gaps), NO_LABEL, np.int64)
        for row, example in enumerate(examples):
            for (begin, end), label in example.spans.items():
                gold[row, begin, end] = self._labels[label]
        return gold

    @torch.no_grad()
    def worst_tree(
        self, gaps: Tensor, gold: np.ndarray[Any, np.dtype[np.int64]]
    ) -> tuple[np.ndarray[Any, np.dtype[np.int64]], float]:
        """The tree that is best when wrong labels count one more; how many are wrong."""
        words = gold.shape[1] - 1
        begins, ends = all_spans(words)
        scores = self.parser.span_scores(gaps, begins, ends) + 1
        places = (slice(None), begins.numpy(), ends.numpy())
        right = torch.from_numpy(gold[places])  # (batch, spans)
        labelled = right != NO_LABEL
        scores.scatter_add_(2, right.clamp(min=0)[:, :, None], -labelled[:, :, None].float())
        best, labels = scores.max(2)
        empty = labelled.float()  # to leave out a label is wrong as well
        empty[:, words - 1] = -torch.inf  # but a sentence has one
        chosen = torch.where(best > empty, labels, NO_LABEL)
        chart = np.zeros(gold.shape, np.float32)
        chart[places] = torch.maximum(best, empty).numpy()
        guess = np.full(gold.shape, NO_LABEL, np.int64)
        guess[places] = chosen.numpy()
        used = best_spans(chart)
        cost = float(np.count_nonzero(used & (guess != gold)))
        return np.where(used, guess, NO_LABEL), cost


def copy_language_model(parser: SpanParser, weights: Mapping[str, Any]) -> None:
    """Table of pieces and layers of an LSTM language model of ours."""
    table = Softmax(weights).embed(np.arange(parser.shape.pieces))
    with torch.no_grad():
        parser.pieces.copy_(torch.from_numpy(table))
    if parser.shape.read_along:
        prefix = "lstm."
        layers = {
            name.removeprefix(prefix): torch.from_numpy(value)
            for name, value in weights.items()
            if name.startswith(prefix)
        }
        parser.reader.load_state_dict(layers)


def train_parser(
    recipe: Recipe,
    out: Path,
    *,
    resume: bool = False,
    say: Say = lambda line: None,
    report: Callable[[Moment], None] = lambda moment: None,
) -> dict[str, Any]:
    """Train a parser into a folder; its card. Torch's settings are left as they were found."""
    folder = TrainingFolder(out)
    with settings_kept(), memory_needed():
        folder.check(recipe, resume=resume)
        machine = Machine(recipe.machine, recipe.training.grad_accumulation)
        if machine.world > 1 or machine.device != "cpu":
            raise UsageError(
                'a parser trains in one process on the CPU; set machine.device = "cpu"'
            )
        say("reading the treebank")
        files = [Path(name) for name in recipe.corpus.files]
        treebank = read_treebank(files, recipe.text.max_length)
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
            if not folder.has_begun():  # only now: what cannot be built leaves none behind
                folder.begin(write_recipe(recipe))
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
            held = [example.words for example in treebank.test]
            weights = list(loop.network.parameters())
            scored = {
                "dev": score_parser(parser, treebank.dev),
                "test": score_parser(parser, treebank.test),
            }
            card = {
                "architecture": recipe.architecture,
                "parameters": sum(p.numel() for p in weights),
                "trained_parameters": sum(p.numel() for p in weights if p.requires_grad),
                "language_model": f"builtin:{LANGUAGE_MODEL}",
                "words_seen": loop.progress.tokens,
                "steps": loop.progress.step,
                "seconds": round(loop.progress.seconds),
                "threads": recipe.machine.threads,
                "seed": recipe.training.seed,
                "treebank": {
                    "files": [list(mark) for mark in treebank.files],
                    "trees": len(treebank.train),
                    "words": sum(len(example.words) for example in treebank.train),
                    "left_out": treebank.left_out,
                },
                "vocabulary": len(words.words),
                "unknown_in_test": sum(not words.knows(w) for sentence in held for w in sentence),
                **{part: found.shares() | plain(found) for part, found in scored.items()},
            }
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
