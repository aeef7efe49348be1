"""Do the three tools give the same scores for the same sentences? One process, no timing.

They differ by design: lm-eval puts a space before each sentence; minicons by default uses no BOS
and leaves out the first token. Priscian is run in the same ways, so that no difference remains.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from materials import read_pairs, sentences
from tools import load_lm_eval, load_minicons, load_priscian, quiet, set_cores


def differences(model: str, texts: Sequence[str], batch_size: int) -> dict[str, float]:
    """Largest difference of a sentence's log-probability from ours, for each peer."""
    ours = load_priscian(model)
    plain = ours(texts, 0).scores
    spaced = ours([f" {text}" for text in texts], 0).scores
    bare = load_priscian(model, bos="none")(texts, 0).scores
    return {
        "lm-eval, a space before": _largest(load_lm_eval(model)(texts, batch_size).scores, spaced),
        "minicons, no BOS": _largest(load_minicons(model)(texts, batch_size).scores, bare),
        "minicons, with BOS": _largest(
            load_minicons(model, bos=True)(texts, batch_size).scores, plain
        ),
    }


def _largest(theirs: Sequence[float], ours: Sequence[float]) -> float:
    return max(abs(a - b) for a, b in zip(theirs, ours, strict=True))


def main() -> None:
    """Compare on a file of pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    set_cores(asked.cores)
    quiet()
    texts = list(sentences(read_pairs(asked.pairs)))
    found = differences(str(asked.model), texts, asked.batch_size)
    asked.out.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
