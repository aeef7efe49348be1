"""The weights of a tuned encoder: put back only where they are all there and all of one shape."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
from priscian.errors import ModelError
from priscian.models.classifier.encoder import load_encoder
from priscian.models.classifier.tuned import TunedEncoder
from priscian.models.safetensors_file import write_safetensors

TEXTS = ["The old nurse has admired us!", "Go."]


def tuned(folder: Path) -> TunedEncoder:
    return TunedEncoder(load_encoder(f"mlm:{folder}"), "mean", lora=False)


def test_weights_of_another_shape_are_refused_not_stretched(
    masked: Callable[..., Path], tmp_path: Path
) -> None:
    net, file = tuned(masked()), tmp_path / "model.safetensors"
    weights = net.trained()
    write_safetensors(file, weights)
    net.restore(file)
    wanted = net.logits(TEXTS)
    other = tuned(masked())
    assert not np.allclose(other.logits(TEXTS), wanted)  # the head is drawn anew
    other.restore(file)
    assert np.array_equal(other.logits(TEXTS), wanted)
    for name in ("head.weight", "head.bias"):
        for wrong in (np.ones(1, np.float32), np.ones((1, 2), np.float32)):
            write_safetensors(file, weights | {name: wrong})
            with pytest.raises(ModelError, match=rf"{name} is missing or of another shape"):
                other.restore(file)
        write_safetensors(file, {n: w for n, w in weights.items() if n != name})
        with pytest.raises(ModelError, match=rf"{name} is missing or of another shape"):
            other.restore(file)
    write_safetensors(file, weights | {"head.bias": np.full(2, np.nan, np.float32)})
    with pytest.raises(ModelError, match="a weight is not a number"):
        other.restore(file)
