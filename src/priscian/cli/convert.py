"""`priscian convert`: converts published models without running anything in their files."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

from priscian.models.convert import Converted, convert

convert_app = App(
    name="priscian convert",
    help=(
        "Convert a published PyTorch model into a folder that can be scored. Such files are Python "
        "pickles, which can run code when they are loaded; Priscian reads them without running any "
        "of it."
    ),
    help_format="plaintext",
    version_flags=(),
    suppress_keyboard_interrupt=False,
)


@convert_app.command(name="gulordava")
def gulordava_command(file: Path, /, *, vocab: Path, out: Path, words: str = "ptb") -> None:
    """Convert an LSTM of PyTorch's word language model, such as Gulordava's, for lstm:OUT.

    The folder scores on NumPy alone. A text is read after a sentence boundary; OUT?bos=none reads
    it without one, as LM Zoo does, and OUT?eos=yes counts the end too, as BLiMP's LSTM scores do.

    Examples:
      priscian convert gulordava hidden650_batch128.pt --vocab vocab.txt --out gulordava
      priscian score 'gulordava?eos=yes' --on blimp:data --out runs/gulordava

    Parameters
    ----------
    file
        The file that torch.save has written: a whole module, or its state dictionary.
    vocab
        Text file with one word for each row of the embeddings, in their order.
    out
        A new folder.
    words
        How texts are split into words: ptb, or space for text that is already tokenized.
    """
    _say(convert("gulordava", file, out, vocab=vocab, words=words), "lstm")


@convert_app.command(name="transfo-xl")
def transfo_xl_command(
    file: Path,
    /,
    *,
    out: Path,
    vocab: Path | None = None,
    config: Path | None = None,
    words: str = "ptb",
) -> None:
    """Convert a Transformer-XL, such as transfo-xl-wt103, for txl:OUT.

    Give the folder with pytorch_model.bin, vocab.bin (or vocab.pkl) and config.json as Transformers
    4 has it, or the model.pt of the original program with --vocab. Scoring it needs PyTorch.

    Examples:
      priscian convert transfo-xl transfo-xl-wt103 --out txl-wt103
      priscian convert transfo-xl model.pt --vocab vocab.txt --out my-txl
      priscian score txl-wt103 --on blimp:data --out runs/txl

    Parameters
    ----------
    file
        The folder, or the file with the weights.
    out
        A new folder.
    vocab
        The pickled vocabulary, or a text file with one word per row; default: next to the weights.
    config
        Transformers' config.json; by default next to the weights.
    words
        How texts are split into words: ptb, or space for text that is already tokenized.
    """
    _say(convert("transfo-xl", file, out, vocab=vocab, config=config, words=words), "txl")


def _say(made: object, provider: str) -> None:
    assert isinstance(made, Converted)
    card = made.card
    print(
        f"{made.folder}: {card['parameters']:,} parameters, {card['vocabulary']:,} words; "
        f"use it as {made.folder} or {provider}:{made.folder}"
    )
