"""The plan of a run: how texts are batched and by how many workers, fixed once and saved."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from priscian.errors import RunError
from priscian.scoring.batches import Shared
from priscian.scoring.shard import Shard

CPU_BATCH = 512
MASKED_BATCH = 2048
"""A masked row scores one token: this many rows give the output layer enough work."""
DEVICE_BATCH = 8192
ROW = 128


@dataclass(frozen=True, slots=True)
class Options:
    """How to compute; none of it changes a score by more than 1e-4."""

    batch_tokens: int | None = None
    """Tokens in a batch, or auto (default)."""
    workers: int | None = None
    """Processes on the CPU, or actors of Ray, or auto (default)."""
    way: str | None = None
    threads: int | None = None
    """Threads of each process on the CPU, or auto (default). Last digits may depend on it."""
    shard: Shard | None = None
    """Compute one part of the run, such as 3/8, into --out; priscian merge joins the parts."""
    executor: str | None = None
    """auto (this machine, default), ray (this machine, under Ray) or ray:ADDRESS (a cluster)."""


DEFAULTS = Options()


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides which texts are computed together.

    A resumed run reads its plan back, so it redoes whole batches and ends with the same bits.
    """

    way: str  # tree, cache, rows, single, masked, simple
    batch_tokens: int
    row_tokens: int
    workers: int
    threads: int
    error: float  # largest difference from plain scoring in the self-check
    pending: str  # which of the texts were still to be scored, as a packed bitmap
    digest: str = ""  # of the batches, to detect a plan that no longer fits
    inputs: str = ""  # digest of what the model reads; the same wherever the plan is followed

    def with_batches(self, groups: Sequence[Sequence[int]]) -> Plan:
        """The plan with the digest of its batches."""
        return replace(self, digest=digest_of(groups))


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """The plan of the run that is resumed, if any, and a function that saves the plan in use.

    `shared` has what the models of the run share.
    """

    plan: Plan | None = None
    save: Callable[[Plan], None] = lambda plan: None
    shared: Shared | None = None


NOT_SAVED = SavedPlan()


def digest_of(groups: Sequence[Sequence[int]]) -> str:
    """A short hash of the division into batches."""
    payload = json.dumps([list(g) for g in groups], separators=(",", ":"))
    return hashlib.sha256(payload.encode()).hexdigest()[:16]


def digest_inputs(rows: Iterable[Sequence[int]]) -> str:
    """A short hash of the token ids of every text."""
    found = hashlib.sha256()
    for ids in rows:
        found.update(array("q", (len(ids), *ids)))
    return found.hexdigest()[:16]


def pack_bits(bits: Sequence[bool]) -> str:
    """A list of booleans as a short string."""
    number = bytes(
        sum(1 << k for k, bit in enumerate(bits[at : at + 8]) if bit)
        for at in range(0, len(bits), 8)
    )
    return base64.b64encode(zlib.compress(number)).decode()


def unpack_bits(text: str, count: int) -> list[bool]:
    """The reverse of `pack_bits`."""
    data = zlib.decompress(base64.b64decode(text))
    if len(data) != (count + 7) // 8:
        raise RunError("the saved plan is for another number of texts; start a new run folder")
    return [bool(data[i // 8] >> (i % 8) & 1) for i in range(count)]
