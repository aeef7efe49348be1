"""Hidden states of texts, kept on disk: float16 files beside the score store.

A file holds some texts of one encoder and one view: their hashes and their vectors, and after them
a hash of it all, which files of older versions lack. It is written whole or not at all and never
changed, so any number of processes may read and add.
"""

from __future__ import annotations

import hashlib
import io
import tokenize
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from priscian.errors import PriscianWarning
from priscian.files import regular, write_bytes
from priscian.models.classifier.encoder import (
    Encoder,
    Floats32,
    View,
    encoder_key,
    encoder_spec,
    load_encoder,
    refuse_other,
)
from priscian.models.fingerprint import cache_folder
from priscian.models.spec import ModelKey, ModelSpec
from priscian.records import Text
from priscian.threads import cores, threads_kept
from priscian.workers import can_fork, run_batches

SHARD = 512
"""Texts whose states are computed and written together."""
LARGEST = float(np.finfo(np.float16).max)
HASH = SEAL = 16
REMEDY = "what was computed is kept: run it again, on one core if need be (taskset -c 0)"

Progress = Callable[[int, int], None]  # texts done, texts in all


class StateCache:
    """States by encoder key, view and text."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or cache_folder() / "states"

    def place(self, key: ModelKey, view: View) -> Path:
        """The folder of one encoder and one view."""
        return self.folder / key.digest / str(view)

    def read(
        self, key: ModelKey, view: View, texts: Sequence[str]
    ) -> dict[str, npt.NDArray[np.float16]]:
        """The vectors that are on disk."""
        wanted = {Text(text).hash: text for text in texts}
        found: dict[str, npt.NDArray[np.float16]] = {}
        for file in sorted(self.place(key, view).glob("*.npy")):
            rows = _open(file)
            if rows is None:
                continue
            hashes = np.ascontiguousarray(rows["text"]).tobytes()
            for at in range(len(rows)):
                text = wanted.get(hashes[at * HASH : (at + 1) * HASH])
                if text is not None:
                    found[text] = rows["state"][at]
        return found

    def write(self, key: ModelKey, view: View, texts: Sequence[str], states: Floats32) -> None:
        """Keep the vectors of some texts, all or none of them."""
        kind = np.dtype([("text", f"V{HASH}"), ("state", "<f2", (states.shape[1],))])
        rows = np.empty(len(texts), kind)
        hashes = b"".join(Text(text).hash for text in texts)
        rows["text"] = np.frombuffer(hashes, f"V{HASH}")
        rows["state"] = to_half(states)
        name = hashlib.blake2b(hashes, digest_size=8).hexdigest()
        with io.BytesIO() as made:
            np.save(made, rows, allow_pickle=False)
            data = made.getvalue()
        write_bytes(self.place(key, view) / f"{name}.npy", data + _seal(data))


def _seal(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=SEAL).digest()


def to_half(states: Floats32) -> npt.NDArray[np.float16]:
    """Rounded to float16; what is too large for it becomes its largest number."""
    return np.clip(states, -LARGEST, LARGEST).astype(np.float16)


def pooled_states(
    model: str | ModelSpec | Encoder,
    texts: Sequence[str],
    views: Sequence[View] | None = None,
    *,
    cache: StateCache | None = None,
    progress: Progress = lambda done, total: None,
    digest: str = "",
) -> dict[View, Floats32]:
    """For each view, by default all of them, one vector per text: (texts, width).

    Where a digest is given, only by the encoder with this key.

    Vectors that are on disk are read; the encoder is loaded only if some are missing. All of them
    are rounded to float16. Texts that are computed together are padded to one length, which can
    change a state in the last digit of float16: that of a text depends, as far as that, on which
    texts were missing with it.
    """
    cache = cache or StateCache()
    encoder = model if isinstance(model, Encoder) else None
    spec = model.spec if isinstance(model, Encoder) else encoder_spec(model)
    if views is None:
        encoder = encoder or load_encoder(spec)
        views = encoder.views()
    key = encoder.key if encoder else encoder_key(spec)
    refuse_other(spec, key, digest)
    distinct = list(dict.fromkeys(texts))
    known = {view: cache.read(key, view, distinct) for view in views}
    missing = [text for text in distinct if any(text not in known[view] for view in views)]
    progress(len(distinct) - len(missing), len(distinct))
    if missing:
        encoder = encoder or load_encoder(spec, key.digest)
        # texts of one length are computed together without padding, the longest first
        missing.sort(key=len, reverse=True)
        done = len(distinct) - len(missing)
        for part, found in _compute(encoder, missing, views):
            encoder.check_files()
            for view, states in found.items():
                cache.write(key, view, part, states)
                known[view] |= dict(zip(part, to_half(states), strict=True))
            done += len(part)
            progress(done, len(distinct))
    return {
        view: np.array([known[view][text] for text in texts], np.float32).reshape(len(texts), -1)
        for view in views
    }


def _compute(
    encoder: Encoder, texts: Sequence[str], views: Sequence[View]
) -> Iterator[tuple[Sequence[str], dict[View, Floats32]]]:
    """The states of a shard of texts at a time, as they come; on CPUs one process for each core."""
    import torch

    shards = [texts[at : at + SHARD] for at in range(0, len(texts), SHARD)]
    forked = can_fork() and encoder.device == "cpu"
    workers = min(cores(), len(shards)) if forked else 1
    with threads_kept():
        if workers > 1:
            torch.set_num_threads(1)  # a forked process that starts threads of its own would hang
        for number, found in run_batches(
            lambda n: encoder.pooled(shards[n], views), range(len(shards)), workers, REMEDY
        ):
            yield shards[number], found


def _open(file: Path) -> npt.NDArray[np.void] | None:
    """The rows of a file; a damaged file is left out, with a warning."""
    try:
        data = regular(file).read_bytes()
        body = data[:-SEAL] if data[-SEAL:] == _seal(data[:-SEAL]) else data
        with io.BytesIO(body) as stream:
            rows: npt.NDArray[np.void] = np.load(stream, allow_pickle=False)
            rest = len(body) - stream.tell()
        if rest:
            reason = "its contents are not those that were written"
        elif (
            rows.ndim == 1
            and rows.dtype.names == ("text", "state")
            and rows.dtype["text"].itemsize == HASH
            and rows.dtype["state"].base == np.float16
        ):
            return rows
        else:
            reason = "it holds something else"
    except (OSError, ValueError, TypeError, EOFError, MemoryError, OverflowError, SyntaxError,
            tokenize.TokenError) as error:  # fmt: skip
        reason = next(iter(str(error).splitlines()), type(error).__name__)
    warnings.warn(
        f"hidden states in {file} cannot be read ({reason}); they are computed again; delete the "
        "file",
        PriscianWarning,
        stacklevel=3,
    )
    return None
