"""Workers as actors of Ray, one for each device."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Sequence
from typing import Any

from priscian.errors import UsageError, WorkerError, install
from priscian.files import whole_number
from priscian.models import is_object
from priscian.scoring.cluster import Gone
from priscian.scoring.plan import Work
from priscian.threads import cores

ABSENT = f"`executor=ray` needs Ray: {install('ray')}"
NICENESS = "RAY_worker_niceness"
NAMED = ("", "auto", "local")
"""Addresses that Ray finds itself."""
KNOCK = 10.0
"""Seconds to wait until something listens at an address."""
STORE = 128 * 2**20
"""Bytes of memory that Ray shares between processes, where we start it."""


class RayCluster:
    """Actors that Ray restarts when they die; what they had to do is up to the driver."""

    def __init__(self, ray: Any, work: Work, size: int) -> None:
        self._ray = ray
        self.size = size
        self._payload = ray.put((work.task, work.plan, os.getcwd()))
        threads = str(work.plan.threads)
        needs = {"num_cpus": work.plan.threads} if work.device == "cpu" else {"num_gpus": 1}
        actor = ray.remote(_actor_class()).options(
            max_restarts=-1,
            max_task_retries=0,
            # before torch is loaded, since it reads this once
            runtime_env={"env_vars": {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}},
            **needs,
        )
        self._actors = [actor.remote() for _ in range(size)]

    def greet(self, worker: int) -> Any:
        """Ask for the version of Priscian."""
        return self._actors[worker].greet.remote()

    def prepare(self, worker: int) -> Any:
        """Ask to load the model."""
        return self._actors[worker].prepare.remote(self._payload)

    def compute(self, worker: int, number: int) -> Any:
        """Ask for a batch."""
        return self._actors[worker].compute.remote(number)

    def wait(self, tickets: Sequence[Any], seconds: float) -> list[Any]:
        """The answered tickets, in their order."""
        if not tickets:
            time.sleep(seconds)
            return []
        self._ray.wait(list(tickets), num_returns=1, timeout=seconds, fetch_local=False)
        done, _ = self._ray.wait(list(tickets), num_returns=len(tickets), timeout=0)
        return list(done)

    def answer(self, ticket: Any) -> Any:
        """The answer of an actor."""
        errors = self._ray.exceptions
        try:
            return self._ray.get(ticket)
        except errors.RayTaskError as error:  # raised by our own code: the actor lives
            cause = getattr(error, "cause", None) or error
            if isinstance(cause, Exception) and type(cause).__module__ == "priscian.errors":
                raise cause from None
            raise WorkerError(f"{type(cause).__name__}: {cause}") from None
        except errors.RayError as error:
            raise Gone(_first_line(error)) from None

    def close(self) -> None:
        """End the actors; Ray itself stays, so that the next model starts faster."""
        for actor in self._actors:
            self._ray.kill(actor, no_restart=True)
        self._actors = []


def connect(address: str, work: Work) -> RayCluster:
    """Actors for some work: on the cluster at an address, or on this machine."""
    try:
        import ray
    except ImportError:
        raise UsageError(ABSENT) from None
    if is_object(work.task.spec):
        raise UsageError(
            f"{work.task.spec.label} is an object of this process, which workers cannot load; "
            "register its class (docs/plugins.md), or leave out `executor=`"
        )
    wanted = work.task.options.workers
    if not ray.is_initialized():
        _start(ray, address, max(cores(), (wanted or 1) * work.plan.threads))
    size = wanted or _devices(ray, work)
    return RayCluster(ray, work, max(1, min(size, len(work.batches))))


def check_address(address: str) -> None:
    """Refuse an address where nothing listens; Ray itself would try for minutes."""
    if address in NAMED:
        return
    host, _, digits = address.removeprefix("ray://").rpartition(":")
    port = whole_number(digits, 65535)
    if not host or not port:
        raise UsageError(f"`executor=ray:{address}`: write ray:HOST:PORT, such as ray:head:6379")
    try:
        socket.create_connection((host.strip("[]"), port), KNOCK).close()
    except (OSError, OverflowError) as error:
        raise WorkerError(
            f"no Ray cluster at {address} ({error}); check the address and that `ray status` "
            "answers there"
        ) from None


def _start(ray: Any, address: str, cpus: int) -> None:
    address = address or os.environ.get("RAY_ADDRESS", "")
    check_address(address)
    local = {"num_cpus": cpus, "object_store_memory": STORE, "include_dashboard": False}
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anyone
    os.environ.setdefault(NICENESS, "0")  # as fast as workers that are forked
    try:
        ray.init(
            address=address or "local",
            logging_level=logging.ERROR,
            log_to_driver=False,
            **({} if address else local),
        )
    except (ConnectionError, RuntimeError, ValueError, OSError, TimeoutError) as error:
        where = f"the Ray cluster at {address}" if address else "Ray on this machine"
        raise WorkerError(
            f"cannot reach or start {where}: {_first_line(error)}; check the address "
            "(`executor=ray:HOST:6379`) and that `ray status` answers there"
        ) from None


def _devices(ray: Any, work: Work) -> int:
    """How many workers the cluster has room for."""
    there = ray.cluster_resources()
    if work.device == "cpu":
        return int(there.get("CPU", 1) // work.plan.threads)
    return int(there.get("GPU", 1))


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__


def _actor_class() -> type:
    """The actor, sent by value, so that a machine with another Priscian can still say so."""

    class Actor:
        def greet(self) -> str:
            try:
                import priscian
            except ImportError:
                return ""
            return priscian.__version__

        def prepare(self, payload: Any) -> Any:
            from priscian.scoring.cluster import BatchWorker

            self.worker = BatchWorker(*payload)
            return self.worker.ready()

        def compute(self, number: int) -> bytes:
            return self.worker.compute(number)

    return Actor
