"""`priscian train`: n-gram and neural models from plain text, classifiers from labels."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from priscian.cli.train_classifier import CHOICE, classifier_command
from priscian.cli.train_network import train_command
from priscian.files import refuse_replacing
from priscian.models.folder import ARCHITECTURES

train_app = App(
    name="priscian train",
    help="Train a model on your own text, or a classifier on labelled sentences.",
    help_format="plaintext",
    version_flags=(),
    suppress_keyboard_interrupt=False,
)
for _name in ARCHITECTURES:
    train_app.command(train_command(_name), name=_name)
train_app.command(classifier_command, name="classifier")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class NgramWords:
    """What counts as a word.

    Parameters
    ----------
    vocabulary
        Keep the most frequent N words; the others count as <unk>.
    min_count
        Keep words that occur at least N times; the others count as <unk>.
    tokens
        The text is already tokenized: split at spaces, one sentence per line.
    lines
        Every line is one sentence; by default lines are paragraphs, which are split into sentences.
    case
        keep or lower.
    unk
        kenlm: <unk> is a word of count 0. srilm: it gets all the probability that unigrams leave.
    """

    vocabulary: int | None = None
    min_count: int = 1
    tokens: Annotated[bool, Parameter(negative="")] = False
    lines: Annotated[bool, Parameter(negative="")] = False
    case: str = "keep"
    unk: Annotated[Literal["kenlm", "srilm"], CHOICE] = "kenlm"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Limits:
    """How large the model and its estimation may get.

    Parameters
    ----------
    memory
        Most memory to use: 2G, 500M.
    prune
        For each order, leave out n-grams that occur at most this often: 0 0 1. The last value
        applies to all longer n-grams.
    quantised
        Store probabilities and back-offs in eight bits each: a smaller file.
    scratch
        Folder for temporary files; the system's by default.
    """

    memory: str = "2G"
    prune: Annotated[list[int] | None, Parameter(consume_multiple=True, negative="")] = None
    quantised: Annotated[bool, Parameter(negative="")] = False
    scratch: Path | None = None


@train_app.command(name="ngram")
def train_ngram_command(
    *,
    corpus: Annotated[list[Path], Parameter(consume_multiple=True, negative="")],
    out: Path,
    order: int = 5,
    arpa: Path | None = None,
    words: NgramWords = NgramWords(),
    limits: Limits = Limits(),
    quiet: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Estimate an n-gram model with interpolated modified Kneser–Ney smoothing.

    The corpus is read once and sorted bucket by bucket; what does not fit in --memory goes to
    temporary files. In other verbs the model is then ngram:OUT.

    Examples:
      priscian train ngram --corpus books.txt more.txt.xz --order 5 --out books.pngm
      priscian train ngram --corpus tokens.txt --tokens --prune 0 0 1 --out t.pngm --arpa t.arpa.gz
      priscian train ngram --corpus books.txt --order 1 --out unigrams.pngm

    Parameters
    ----------
    corpus
        Text files, plain, .gz or .xz.
    out
        The model file to write, .pngm.
    order
        The longest n-gram, 1 to 6.
    arpa
        Write an ARPA file too; gzip if it ends in .gz.
    quiet
        No progress bar, no output.
    """
    from priscian.cli.screen import Progress
    from priscian.models.ngram.arpa import write_arpa
    from priscian.models.ngram.trie_file import open_trie, quantise, save_trie
    from priscian.models.vocabulary.tokenise import Tokenisation
    from priscian.training.ngram.estimate import NgramSettings, read_memory, train_ngram

    settings = NgramSettings(
        order=order,
        prune=tuple(limits.prune or (0,)),
        unk=words.unk,
        vocabulary=words.vocabulary,
        min_count=words.min_count,
        tokenisation=Tokenisation.of("space" if words.tokens else "ptb", words.case),
        split_sentences=not (words.tokens or words.lines),
        memory=read_memory(limits.memory),
        scratch=limits.scratch,
    )
    if arpa is not None:
        refuse_replacing(arpa, [*corpus, out], "the file", "arpa")
    began = time.perf_counter()
    with Progress(quiet) as progress:
        trained = train_ngram(corpus, out, settings, progress)
        seconds = time.perf_counter() - began
        if limits.quantised:
            trie, facts = open_trie(out)
            save_trie(quantise(trie), facts | {"quantised": 8}, out)
        if arpa is not None:
            write_arpa(open_trie(out)[0], arpa, lambda done, all_: progress("ARPA", done, all_))
    if quiet:
        return
    print(
        f"{trained.words:,} words in {trained.sentences:,} sentences, "
        f"vocabulary {trained.vocabulary:,}; {seconds:.1f} s"
        + (", arrays on disk" if trained.spilled else "")
    )
    for n, (count, discounts) in enumerate(zip(trained.ngrams, trained.discounts, strict=True), 1):
        shown = " ".join(f"{d:.4f}" for d in discounts.amounts)
        note = "" if discounts.estimated else " (fall-back values: too few counts to estimate)"
        print(f"{n}-grams {count:>12,}  discounts {shown}{note}")
    size = trained.path.stat().st_size / 1e6
    print(f"{trained.path}: {size:.1f} MB; use it as ngram:{trained.path}")
