"""Models that others have published, turned into folders of ours; nothing in their files is run."""

from __future__ import annotations

from pathlib import Path

from priscian.errors import UnknownNameError, UsageError
from priscian.models.convert.folder import Converted
from priscian.models.convert.gulordava import convert_gulordava
from priscian.models.convert.transfo_xl import convert_transfo_xl

__all__ = ["KINDS", "Converted", "convert", "convert_gulordava", "convert_transfo_xl"]

KINDS = ("gulordava", "transfo-xl")


def convert(
    kind: str,
    file: str | Path,
    out: str | Path,
    *,
    vocab: str | Path | None = None,
    config: str | Path | None = None,
    words: str = "ptb",
) -> Converted:
    """Turn a model that others have published into a folder that every other function reads.

    >>> import priscian
    >>> priscian.convert("gulordava", "hidden650_batch128.pt", "gulordava",
    ...                  vocab="vocab.txt")                                  # doctest: +SKIP
    >>> priscian.score("gulordava?eos=yes", "blimp:data")                    # doctest: +SKIP

    kind
        `gulordava`: a pickled LSTM of PyTorch's word language model; `transfo-xl`: Transformer-XL
        as Transformers 4 or the original program saved it.
    file
        The pickled file; it is read, never run. For `transfo-xl` also the folder that it is in.
    out
        A new folder, which then is a model: `lstm:OUT`, `txl:OUT` or just `OUT`.
    vocab
        Its words, one for each row of its weights: a text file, or `vocab.bin` or `vocab.pkl`.
    config
        `config.json` of a Transformer-XL, where it is not beside the file.
    words
        How texts are cut into words: `ptb`, or `space` for texts that are cut already.
    """
    if kind not in KINDS:
        raise UnknownNameError("kind of conversion", kind, KINDS)
    path, target = Path(file), Path(out)
    if kind == "transfo-xl":
        listed, facts = (None if p is None else Path(p) for p in (vocab, config))
        return convert_transfo_xl(path, target, listed, facts, words)
    if vocab is None:
        raise UsageError("the words of the model are missing; name them: `vocab=vocab.txt`")
    return convert_gulordava(path, Path(vocab), target, words)
