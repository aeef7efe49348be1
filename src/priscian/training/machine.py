"""Where a training runs: threads, device, precision, and several processes through accelerate.

Several processes are started by `accelerate launch` or `torchrun`. Each reads its share of a step:
some of its batches of sentences, or some columns of every batch of a running text. Gradients are
averaged, so the result equals one process that reads it all.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from priscian.errors import TrainingError, UsageError
from priscian.models.cpu import find_problem, keep_memory, products_kept, use_exact_products
from priscian.threads import threads_kept
from priscian.training.recipe import MachinePart

Batch = npt.NDArray[np.int64]


@contextlib.contextmanager
def settings_kept() -> Iterator[None]:
    """Torch's threads, products and treatment of tiny numbers are afterwards as they were found."""
    try:
        with threads_kept(), products_kept():
            yield
    finally:
        torch.set_flush_denormal(False)


@contextlib.contextmanager
def memory_needed() -> Iterator[None]:
    """Torch has errors of its own for memory that it does not get."""
    try:
        yield
    except RuntimeError as error:
        if not isinstance(error, torch.OutOfMemoryError) and "allocate memory" not in str(error):
            raise
        raise TrainingError(
            "out of memory; lower training.batch_tokens, or the sizes in network; the last saved "
            "state is kept"
        ) from None


class Machine:
    """One process, or one of several."""

    def __init__(self, part: MachinePart, accumulate: int, *, by_columns: bool = False) -> None:
        if part.device != "auto":
            try:
                torch.empty(0, device=part.device)
            except (RuntimeError, AssertionError, NotImplementedError):  # torch has no one name
                raise UsageError(
                    f"machine.device = {part.device!r}, which torch does not find on this machine; "
                    "set it to auto or cpu"
                ) from None
        keep_memory()  # a step frees and takes the same tens of megabytes as the one before
        torch.set_num_threads(part.threads)
        torch.set_flush_denormal(True)  # tiny numbers would cost several times the whole step
        self.part = part
        self.world = int(os.environ.get("WORLD_SIZE", "1"))
        self._accelerator: Any = None
        if self.world > 1:
            # Imported later, its functions would keep a reference to the process group.
            import_module("torch.distributed.nn.functional")
            from accelerate import Accelerator
            from accelerate.utils import DistributedDataParallelKwargs

            # a batch without rare words leaves a band of the softmax untouched
            unused = DistributedDataParallelKwargs(find_unused_parameters=True)
            # left alone, accelerate takes every process for the only one where there is no GPU
            on_cpu = part.device == "cpu" or not torch.cuda.is_available()
            self._accelerator = Accelerator(cpu=on_cpu, kwargs_handlers=[unused])
            if self._accelerator.num_processes != self.world:
                raise UsageError(
                    f"{self.world} processes were started, but accelerate knows "
                    f"{self._accelerator.num_processes}; start them with torchrun or accelerate "
                    "launch"
                )
        self.rank = int(self._accelerator.process_index) if self._accelerator else 0
        self.by_columns = by_columns
        if accumulate % self.world and not by_columns:
            raise UsageError(
                f"training.accumulate = {accumulate} does not divide among {self.world} processes; "
                f"set it to a multiple of {self.world}"
            )
        self.device = part.device
        if self._accelerator is not None:
            self.device = str(self._accelerator.device)
        elif part.device == "auto":
            self.device = "cuda" if torch.cuda.is_available() else "cpu"
        if self.device == "cpu":
            use_exact_products()
        self.products = torch.get_float32_matmul_precision()
        problem = ""
        if part.precision == "bfloat16" and self.device == "cpu":
            problem = find_problem(part.precision)  # on some CPUs it would end this process
        if problem:
            raise UsageError(
                f"machine.precision = bfloat16 does not work on this CPU ({problem}); use float32"
            )

    def wrap(self, network: nn.Module) -> nn.Module:
        """The network as the loop calls it."""
        if self.part.compile:
            network = torch.compile(network)  # type: ignore[assignment]
        if self._accelerator is None:
            return network
        return self._accelerator.prepare_model(network)  # type: ignore[no-any-return]

    def share(self, batches: Sequence[Batch]) -> list[tuple[Batch, float]]:
        """What this process reads of a step, and the weight of each loss in the mean of all.

        Never empty: every process must join the gradient exchange, so padding has weight 0.
        """
        whole = self.world / len(batches)
        if self.by_columns:
            own = [b[self.rank :: self.world] for b in batches]
            parts = [whole * len(mine) / len(b) for mine, b in zip(own, batches, strict=True)]
            own = [mine if len(mine) else b[:1] for mine, b in zip(own, batches, strict=True)]
            return list(zip(own, parts, strict=True))
        return [(b, whole) for b in batches[self.rank :: self.world]] or [(batches[-1], 0.0)]

    def agree(self, value: bool) -> bool:
        """What the first process says."""
        if self._accelerator is None:
            return value
        from accelerate.utils import broadcast_object_list

        return bool(broadcast_object_list([value])[0])

    def gather(self, value: Any) -> list[Any]:
        """A value of every process."""
        if self._accelerator is None:
            return [value]
        from accelerate.utils import gather_object

        return list(gather_object([value]))

    def step_of(self, network: nn.Module, *, last: bool) -> AbstractContextManager[Any]:
        """Around one batch: precision, and no exchange of gradients before the last batch."""
        stack = contextlib.ExitStack()
        if self.part.precision == "bfloat16":
            stack.enter_context(torch.autocast(self.device.split(":")[0], dtype=torch.bfloat16))
        if self._accelerator is not None and not last:
            stack.enter_context(self._accelerator.no_sync(network))
        return stack

    def backward(self, loss: torch.Tensor) -> None:
        """Gradients of a loss."""
        if self._accelerator is None:
            loss.backward()  # type: ignore[no-untyped-call]
        else:
            self._accelerator.backward(loss)

    def mean(self, value: float) -> float:
        """The mean of a number over processes."""
        if self._accelerator is None:
            return value
        found = torch.tensor([value], device=self.device)
        return float(self._accelerator.reduce(found, "mean")[0])

    def wait(self) -> None:
        """Until all processes are here."""
        if self._accelerator is None:
            return
        try:
            self._accelerator.wait_for_everyone()
        except RuntimeError:  # a connection that was closed
            raise TrainingError("another process has ended; its message says why") from None

    def leave(self) -> None:
        """Leave the process group. No reference to the wrapped network may remain.

        The group ends, and gloo's threads with it, when its last user is gone. A thread that is
        still there when Python ends may ask for it to free a tensor, and is aborted.
        """
        if self._accelerator is not None:
            self.wait()
            self._accelerator.free_memory()
            gc.collect()
            torch.distributed.destroy_process_group()
