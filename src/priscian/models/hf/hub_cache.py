"""Weights in the local cache of the Hub: which are there, and removing them."""

from __future__ import annotations

import contextlib
from pathlib import Path

from priscian.models.fingerprint import WEIGHTS
from priscian.models.hf.locate import Place, hub_cache_folder


def cached_weights(place: Place) -> list[Path]:
    """Files with weights in the snapshot of a commit."""
    snapshot = _repository(place) / "snapshots" / place.commit
    return sorted({p for pattern in WEIGHTS for p in snapshot.glob(pattern) if p.is_file()})


def remove_weights(place: Place) -> int:
    """Remove the weights of a commit; configuration, tokenizer and shared files stay.

    Only links of this commit, and data that no other commit links to, are removed. Another commit
    of the same model may be downloaded at the same time.
    """
    freed = 0
    for file in cached_weights(place):
        data = file.resolve()
        size = data.stat().st_size
        file.unlink()
        others = (_repository(place) / "snapshots").glob(f"*/{file.name}")
        if all(other.resolve() != data for other in others):
            with contextlib.suppress(FileNotFoundError):  # it was not a link
                data.unlink()
            freed += size
    return freed


def _repository(place: Place) -> Path:
    return hub_cache_folder() / f"models--{place.source.replace('/', '--')}"
