"""Nested subsets as files: `train-1M.txt`, `dev.txt`, `test.txt` and a manifest with hashes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from priscian.errors import UsageError
from priscian.files import filling, is_free, write_json, write_text
from priscian.models.vocabulary import unk_class
from priscian.models.vocabulary.tokenise import Tokenisation, WordSplitter
from priscian.training.amounts import format_amount, parse_amount
from priscian.training.subsets import MANIFEST, Corpus, read_corpus


@dataclass(frozen=True, slots=True)
class PartFacts:
    """What a part of a corpus holds, counted in Penn Treebank tokens."""

    file: str
    sha256: str
    sentences: int
    tokens: int
    types: int
    known_types: int
    """Types that occur at least twice, which a vocabulary keeps."""
    unk_types: int
    """Classes that the other types fall into."""


def write_corpus(
    files: Sequence[str | Path],
    sizes: Sequence[str | int],
    out: str | Path,
    *,
    order_seed: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, PartFacts]:
    """Cut a corpus into nested sizes with shared dev and test parts; the facts of each part.

    One sentence a line. The smaller size is the beginning of the larger one.
    """
    folder = Path(out)
    if not is_free(folder):
        raise UsageError(f"{folder} exists and is not empty; name another `out=`")
    counts = sorted({parse_amount(size, "`sizes=`") for size in sizes})
    if not counts:
        raise UsageError("name at least one size: `sizes=1M,4M`")
    corpus = read_corpus([Path(file) for file in files], progress)
    parts = {f"train-{format_amount(n)}": corpus.subset(n, order_seed) for n in counts}
    parts |= {"dev": list(corpus.dev), "test": list(corpus.test)}
    with filling(folder, last=MANIFEST) as made:
        facts = {name: _write(made, name, sentences) for name, sentences in parts.items()}
        write_json(made / MANIFEST, _manifest(corpus, order_seed, facts))
    return facts


def _write(folder: Path, name: str, sentences: Sequence[str]) -> PartFacts:
    text = "".join(f"{sentence}\n" for sentence in sentences)
    write_text(folder / f"{name}.txt", text)
    splitter = WordSplitter(Tokenisation())
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(splitter.words(sentence))
    known = {word for word, count in counts.items() if count > 1}
    return PartFacts(
        file=f"{name}.txt",
        sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        sentences=len(sentences),
        tokens=counts.total(),
        types=len(counts),
        known_types=len(known),
        unk_types=len({unk_class(word, known) for word in counts.keys() - known}),
    )


def _manifest(corpus: Corpus, order_seed: int, facts: dict[str, PartFacts]) -> dict[str, object]:
    return {
        "files": [{"name": name, "sha256": mark} for name, mark in corpus.files],
        "order_seed": order_seed,
        "parts": {name: asdict(part) for name, part in facts.items()},
    }
