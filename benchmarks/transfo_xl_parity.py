"""Converted Transformer-XL models against Transformers 4, whose last versions still have it.

Random weights are saved by Transformers in an environment of its own (`.venv-bench-mlm`), converted
by Priscian and scored by both: `python benchmarks/transfo_xl_parity.py [--peer PYTHON]`. Exits
with 1 where states or log-probabilities differ by more than 1e-5.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
PEER = ROOT / ".venv-bench-mlm" / "bin" / "python"
BAR = 1e-5
WORDS = 120
SHAPES: dict[str, dict[str, object]] = {
    "as wt103: bands, projections, biases by layer": {
        "cutoffs": [40, 70, 100], "div_val": 2, "tie_projs": [False, True, True, True],
        "untie_r": True, "same_length": True, "mem_len": 20, "clamp_len": 12, "d_head": 8,
    },
    "equal widths, shared biases, no clamping": {
        "cutoffs": [40, 70, 100], "div_val": 1, "tie_projs": [False, False, False, False],
        "untie_r": False, "same_length": False, "mem_len": 9, "clamp_len": -1, "d_head": 8,
    },
    "heads narrower than the width, no memory": {
        "cutoffs": [40, 70, 100], "div_val": 3, "tie_projs": [False, True, True, True],
        "untie_r": True, "same_length": False, "mem_len": 0, "clamp_len": 5, "d_head": 5,
    },
}  # fmt: skip


def make(folder: Path, facts: dict[str, object]) -> None:
    """In Transformers 4: a random model, and what it says of some rows."""
    import torch
    from transformers import TransfoXLConfig, TransfoXLLMHeadModel

    plain = torch.Tensor.type_as

    def type_as(self: torch.Tensor, other: object = None, *, dtype: object = None) -> torch.Tensor:
        return plain(self, other) if dtype is None else self.to(dtype)

    torch.Tensor.type_as = type_as  # 4.57 calls it with a name that torch does not have
    torch.manual_seed(1)
    config = TransfoXLConfig(
        vocab_size=WORDS, d_model=32, d_embed=32, n_head=4, d_inner=64, n_layer=3, dropout=0.0,
        dropatt=0.0, sample_softmax=-1, **facts,
    )  # fmt: skip
    model = TransfoXLLMHeadModel(config).eval()
    with torch.no_grad():
        for name, value in model.named_parameters():
            if value.dim() > 1 or "bias" in name:
                value.normal_(std=0.3)
    rows = torch.randint(1, WORDS, (4, 16))
    rows[:, 0] = 0
    with torch.inference_mode():
        states = model.transformer(rows).last_hidden_state
        # log-probabilities of all words; its losses by token come in another order than the tokens
        scores = model(rows).prediction_scores
        logps = scores[:, :-1].gather(2, rows[:, 1:, None])[..., 0]
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), folder / "pytorch_model.bin",
               _use_new_zipfile_serialization=False)  # fmt: skip
    words = ["<eos>", "<unk>", *(f"w{n}" for n in range(2, WORDS))]
    torch.save({"idx2sym": words}, folder / "vocab.bin", _use_new_zipfile_serialization=False)
    (folder / "config.json").write_text(json.dumps(config.to_dict(), default=str))
    np.savez(folder / "said.npz", rows=rows, states=states, logps=logps)


def compare(folder: Path, out: Path) -> tuple[float, float]:
    """The largest differences of states and of log-probabilities."""
    import torch

    from priscian.models.convert import convert
    from priscian.models.txl import TransformerXlModel

    convert("transfo-xl", folder, out)
    model = TransformerXlModel(out)
    said = np.load(folder / "said.npz")
    rows = torch.from_numpy(said["rows"])
    with torch.inference_mode():
        states, _ = model.network.read(rows)
    logps = np.array(model.logprobs([row[1:] for row in rows.tolist()]))
    return (
        float(np.abs(states.numpy() - said["states"]).max()),
        float(np.abs(said["logps"] - logps).max()),
    )


def main() -> None:
    """Every shape; exit 1 beyond the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", type=Path, default=PEER)
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.make is not None:
        make(asked.make, json.loads(sys.stdin.read()))
        return
    if not asked.peer.is_file():
        sys.exit(f"{asked.peer} is missing; make it: make .venv-bench-mlm/.done")
    worst = 0.0
    for name, facts in SHAPES.items():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "in"
            subprocess.run(
                [asked.peer, "-W", "ignore", __file__, "--make", folder],
                input=json.dumps(facts), text=True, check=True, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            states, logps = compare(folder, Path(place) / "out")
        worst = max(worst, states, logps)
        print(f"{name}: states differ by {states:.1e}, log-probabilities by {logps:.1e}")
    print(f"largest difference {worst:.1e}; bar {BAR:.0e}")
    sys.exit(worst > BAR)


if __name__ == "__main__":
    main()
