"""Build the built-in 5-gram: `builtin:ngram`.

    python scripts/build_builtin_ngram.py --corpora FOLDER

Books in the public domain and everyday sentences, never the share-alike wiki. One paragraph of the
books in 100 and one everyday sentence in 100 are held out. Nothing is drawn at random: the same
corpora give the same file. What docs/models/builtin-ngram.md says of it is printed.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from priscian.models import open_model
from priscian.models.builtin import FOLDER
from priscian.models.ngram.trie_file import pack_model
from priscian.models.vocabulary.tokenise import Tokenisation
from priscian.runs.surprisal.perplexity import measure_perplexity
from priscian.training.corpora import read_blocks, split_sentences
from priscian.training.ngram.estimate import NgramSettings, train_ngram

TARGET = FOLDER / "ngram.pngm"
HELD_OUT = 100
ORDER = 5
MIN_COUNT = 5
PRUNE = (0, 1, 1, 3, 4)
EXCLUDED = {"books.txt.xz": ((3635, 4674), (177898, 178368)), "everyday.txt.xz": ()}
"""Lines of books under Creative Commons licences that forbid derivatives (PG8086, PG58344)."""
TERMS = "paragraph 1.F.3"
"""Part of a paragraph of the distributor's terms at the end of some books."""
LIMIT = 8_000_000
"""Largest size of the compressed file, in bytes."""
_MARKUP = re.compile(r"[_*\"“”]+")


def read_lines(corpora: Path, name: str) -> Iterator[str]:
    """Lines of a corpus that may be used."""
    number = 0
    for _, _, block in read_blocks([corpora / name]):
        for line in block.decode().split("\n")[:-1]:
            number += 1
            excluded = any(first <= number <= last for first, last in EXCLUDED[name])
            if not excluded and TERMS not in line:
                yield line


def write_sentences(corpora: Path, train: Path, held_out: Path) -> dict[str, int]:
    """Write sentences, one per line, without quotation marks and emphasis marks."""
    counts = {"train": 0, "held out": 0}
    with train.open("w") as kept, held_out.open("w") as held:
        for name in EXCLUDED:
            for number, line in enumerate(read_lines(corpora, name)):
                where = "held out" if number % HELD_OUT == HELD_OUT - 1 else "train"
                for sentence in split_sentences(line):
                    bare = " ".join(_MARKUP.sub(" ", sentence).split())
                    if bare:
                        print(bare, file=held if where == "held out" else kept)
                        counts[where] += 1
    return counts


def main() -> None:
    """Train, prune, quantise, pack, measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=TARGET)
    parser.add_argument("--prune", nargs="+", type=int, default=list(PRUNE))
    parser.add_argument("--min-count", type=int, default=MIN_COUNT)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text, held, full = folder / "train.txt", folder / "held.txt", folder / "full.pngm"
        counts = write_sentences(arguments.corpora, text, held)
        print(f"sentences: {counts['train']:,} to train on, {counts['held out']:,} held out")
        settings = NgramSettings(
            order=ORDER,
            prune=tuple(arguments.prune),
            min_count=arguments.min_count,
            tokenisation=Tokenisation("ptb", "lower"),
            split_sentences=False,
        )
        trained = train_ngram([text], full, settings)
        print(f"{trained.words:,} words; n-grams {', '.join(f'{n:,}' for n in trained.ngrams)}")
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        pack_model(
            full, arguments.out, {"corpus": {"files": list(EXCLUDED), "words": trained.words}}
        )
        size = arguments.out.stat().st_size
        print(f"{arguments.out.name}: {size:,} bytes")
        for label, path in (("before quantisation", full), ("as packed", arguments.out)):
            with held.open() as lines:
                found = measure_perplexity(open_model(f"ngram:{path}"), map(str.strip, lines))
            assert found.unknown is not None
            print(
                f"held-out perplexity {label}: {found.per_token:.1f} with <unk>, "
                f"{found.without_unknown:.1f} without; {found.tokens:,} words, "
                f"{found.unknown / found.tokens:.2%} unknown"
            )
        if size > LIMIT:
            raise SystemExit(f"{size:,} bytes are more than {LIMIT:,}; prune more")


if __name__ == "__main__":
    main()
