"""A study served by a process of its own, as in real life."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from priscian.judge.simulate import wait_for

ENDLESS = resource.RLIM_INFINITY


@dataclass(slots=True)
class Process:
    """`priscian judge serve` on a port of its own; may be killed and started again."""

    folder: Path
    port: int
    database: str = ""
    options: tuple[str, ...] = ()
    running: subprocess.Popen[str] | None = field(default=None)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        code = "import sys; from priscian.cli import main; main()"
        words = ["judge", "serve", str(self.folder), "--port", str(self.port)]
        words += ["--database", self.database] if self.database else []
        words += self.options
        with (self.folder / "log.txt").open("a") as log:
            self.running = subprocess.Popen(
                [sys.executable, "-c", code, *words],
                stdout=log,
                stderr=log,
                text=True,
                env=os.environ,
            )
        wait_for(self.url, 60)

    def kill(self) -> None:
        """As a power cut does it."""
        assert self.running is not None
        self.running.send_signal(signal.SIGKILL)
        self.running.wait()

    def memory(self) -> float:
        """Resident megabytes."""
        assert self.running is not None
        text = Path(f"/proc/{self.running.pid}/status").read_text()
        line = next(x for x in text.splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1024

    def processor_seconds(self) -> float:
        """Processor time so far, of the program and of the kernel on its behalf."""
        assert self.running is not None
        text = Path(f"/proc/{self.running.pid}/stat").read_text()
        user, system = text.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def waited(self) -> float:
        """Seconds in which the program could have run but other programs had the processor."""
        assert self.running is not None
        threads = Path(f"/proc/{self.running.pid}/task").glob("*/schedstat")
        return sum(int(t.read_text().split()[1]) for t in threads) / 1e9

    def fill_disk(self) -> None:
        """No file of the server may grow any more, as on a full disk."""
        assert self.running is not None
        log = self.folder / "judge.sqlite-wal"
        resource.prlimit(self.running.pid, resource.RLIMIT_FSIZE, (log.stat().st_size, ENDLESS))

    def free_disk(self) -> None:
        """There is space again."""
        assert self.running is not None
        resource.prlimit(self.running.pid, resource.RLIMIT_FSIZE, (ENDLESS, ENDLESS))

    def stop(self) -> None:
        if self.running is not None and self.running.poll() is None:
            self.running.terminate()
            try:
                self.running.wait(15)
            except subprocess.TimeoutExpired:
                self.running.kill()
                self.running.wait()
            time.sleep(0)


def free_port() -> int:
    import socket

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
