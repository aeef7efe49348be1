"""`priscian surprisal`: how unexpected each token or word of a text is."""

from __future__ import annotations

import json
import math
import re
import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from priscian.errors import DataError, UsageError
from priscian.records import Sentence, Span, Text, TokenScores

BIT = math.log(2)


def surprisal_command(
    model: str,
    *texts: str,
    words: Annotated[bool, Parameter(negative="")] = False,
    boundary: str = "plain",
    file: Path | None = None,
    context: str = "",
    tsv: Annotated[bool, Parameter(negative="")] = False,
    json_: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """Show the surprisal of every token, or word, of some texts, in bits.

    On a terminal the bits are coloured; elsewhere, or with --tsv, a table for reading-time work is
    written: text number, word number, word, start, end, length, surprisal.

    Examples:
      priscian surprisal smollm2 "The keys to the cabinet is here."
      priscian surprisal hf:gpt2 --words --file stories.txt > surprisal.tsv

    Parameters
    ----------
    model
        A model string: smollm2, hf:gpt2, mlm:bert-base-cased, a folder.
    texts
        Texts to score.
    words
        Sum the pieces of each word (between white space), from character offsets.
    boundary
        With --words: plain sums, or corrected, so that a word's probability has its own end in it
        and not the leading space of its first piece (causal models of hf:).
    file
        Texts from a file, one a line.
    context
        Text that goes before each text and is not scored.
    tsv
        A table even on a terminal.
    json_
        JSON lines instead.
    """
    from priscian.cli.screen import is_terminal
    from priscian.metrics.boundary import correct_boundaries, find_boundary
    from priscian.scoring import ScoreStore, score_texts

    lines = [*texts, *(_lines(file) if file else [])]
    if not lines:
        raise UsageError("give a text in quotes, or --file FILE with one text a line")
    if not all(line.strip() for line in lines):
        raise UsageError(f"text {[bool(t.strip()) for t in lines].index(False) + 1} is empty")
    corrected = find_boundary(boundary) == "corrected"
    if corrected and not words:
        raise UsageError("--boundary corrected is about whole words; add --words")
    asked = [Text(line, context) for line in lines]
    with ScoreStore.default() as store:
        scored = score_texts(model, asked, store, boundary=asked if corrected else ()).scores
    if corrected:
        scored = {
            t: correct_boundaries(s, Sentence(t.text, (), t.context)) for t, s in scored.items()
        }
    rows = [pieces(text, scored[text], words) for text in asked]
    if json_:
        how = {"boundary": boundary} if corrected else {}
        for text, row in zip(asked, rows, strict=True):
            print(json.dumps({"text": text.text, **how, "pieces": row}, ensure_ascii=False))
    elif tsv or not is_terminal():
        _print_tsv(rows)
    else:
        _print_colour(asked, rows)


def pieces(text: Text, scores: TokenScores, words: bool) -> list[dict[str, Any]]:
    """Tokens or words with offsets and bits; None where the model could not score a piece."""
    if not words:
        return [
            _piece(text.text, start, end, None if math.isnan(p) else -p / BIT)
            for start, end, p in zip(scores.starts, scores.ends, scores.logps, strict=True)
        ]
    from priscian.metrics import surprisal, tokens_in

    spans = [Span(str(i), *m.span()) for i, m in enumerate(re.finditer(r"\S+", text.text))]
    sentence = Sentence(text.text, tuple(spans), text.context)
    found = []
    for span in spans:
        inside = tokens_in(scores, sentence, span.name)
        known = any(not math.isnan(scores.logps[i]) for i in inside)
        bits = surprisal(scores, sentence, span.name) / BIT if known else None
        found.append(_piece(text.text, span.start, span.end, bits))
    return found


def _piece(text: str, start: int, end: int, bits: float | None) -> dict[str, Any]:
    shown = text[start:end]
    return {
        "word": shown,
        "start": start,
        "end": end,
        "length": len(shown.strip()),
        "surprisal": None if bits is None else round(bits, 6) + 0.0,
    }


def _lines(file: Path) -> list[str]:
    try:
        lines = file.read_text("utf-8-sig").splitlines()
    except FileNotFoundError:
        raise DataError(f"no file {file}") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{file} is not UTF-8 (byte {error.start}); convert it first") from None
    return [line for line in lines if line.strip()]


def _print_tsv(rows: list[list[dict[str, Any]]]) -> None:
    out = sys.stdout
    out.write("text\tindex\tword\tstart\tend\tlength\tsurprisal\n")
    for number, row in enumerate(rows, 1):
        for index, piece in enumerate(row, 1):
            bits = piece["surprisal"]
            word = re.sub(r"[\t\r\n]", " ", piece["word"])
            cells = (number, index, word, piece["start"], piece["end"], piece["length"])
            shown = "" if bits is None else f"{bits:.6f}"
            out.write("\t".join(map(str, cells)) + f"\t{shown}\n")


def _print_colour(asked: list[Text], rows: list[list[dict[str, Any]]]) -> None:
    from rich.text import Text as Rich

    from priscian.cli.screen import out, shade

    console = out()
    for text, row in zip(asked, rows, strict=True):
        line = Rich()
        total = 0.0
        for piece in row:
            bits = piece["surprisal"]
            word = piece["word"].strip() or "␣"
            line.append(f"{word} ", style="grey50" if bits is None else shade(bits))
            line.append("–  " if bits is None else f"{bits:.1f}  ", style="dim")
            total += bits or 0.0
        line.append(f"= {total:.1f} bits", style="bold")
        if text.context:
            console.print(Rich(f"after {text.context!r}", style="dim"))
        console.print(line)
