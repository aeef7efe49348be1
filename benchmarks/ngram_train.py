"""Estimate 5-grams with Priscian and KenLM's lmplz: wall time, processor time, memory, ratio.

    python benchmarks/ngram_train.py --corpus books.txt.xz wiki.txt.xz --lmplz build/bin/lmplz
    python benchmarks/ngram_train.py --corpus books.txt --sizes 1 3 10 --arpa

Both read the same text, with spaces between words and one sentence per line, and write their usual
file: ARPA there, .pngm here; --arpa times our ARPA too. Without --lmplz only ours is run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from priscian.training.corpora import read_blocks


@dataclass(frozen=True, slots=True)
class Measured:
    """The resources that a command used."""

    wall: float
    processor: float
    memory: float  # megabytes at most

    def __str__(self) -> str:
        return f"{self.wall:7.1f} s wall {self.processor:7.1f} s cpu {self.memory:7,.0f} MB"


def take_words(corpus: Sequence[Path], words: int, out: Path) -> int:
    """The first lines of a corpus, with about that many words."""
    taken = 0
    with out.open("wb") as file:
        for _, _, block in read_blocks(corpus):
            for line in block.splitlines(keepends=True):
                file.write(line)
                taken += len(line.split())
                if taken >= words:
                    return taken
    return taken


def run(command: Sequence[str], source: Path | None = None, target: Path | None = None) -> Measured:
    """Run a command to its end and measure it alone."""
    began = time.perf_counter()
    with (
        (source or Path(os.devnull)).open("rb") as stdin,
        (target or Path(os.devnull)).open("wb") as stdout,
    ):
        child = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"failed: {' '.join(command)}")
    wall = time.perf_counter() - began
    return Measured(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def train(text: Path, folder: Path, arguments: argparse.Namespace, arpa: bool) -> Measured:
    """`priscian train ngram` in a process of its own."""
    main = "from priscian.cli import main; main()"
    command = [sys.executable, "-c", main, "train", "ngram", "--tokens", "--quiet"]
    command += ["--corpus", str(text), "--order", str(arguments.order)]
    command += ["--out", str(folder / "ours.pngm"), "--memory", arguments.memory]
    command += ["--scratch", str(folder)]
    if arpa:
        command += ["--arpa", str(folder / "ours.arpa")]
    return run(command)


def main() -> None:
    """Measure every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--corpus", nargs="+", type=Path, required=True)
    parser.add_argument("--lmplz", type=Path)
    parser.add_argument("--sizes", nargs="+", type=float, default=[1, 3, 10], help="million words")
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--memory", default="2G")
    parser.add_argument("--lmplz-memory", default="4G")
    parser.add_argument("--arpa", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = folder / "text"
        for size in arguments.sizes:
            words = take_words(arguments.corpus, int(size * 1e6), text)
            ours = train(text, folder, arguments, False)
            print(f"{words:>11,} words  priscian {ours}  {words / ours.wall:10,.0f} words/s")
            if arguments.arpa:
                print(f"{'':17}  + ARPA   {train(text, folder, arguments, True)}")
            if arguments.lmplz:
                peer = run(
                    [
                        str(arguments.lmplz),
                        *("-o", str(arguments.order), "-S", arguments.lmplz_memory),
                        *("-T", str(folder / "lmplz")),
                    ],
                    text,
                    folder / "peer.arpa",
                )
                print(f"{'':17}  lmplz    {peer}")
                print(
                    f"{'':17}  ratio    {ours.wall / peer.wall:.2f} wall, "
                    f"{ours.processor / peer.processor:.2f} cpu, "
                    f"{ours.memory / peer.memory:.2f} memory"
                )
                (folder / "peer.arpa").unlink()
            sys.stdout.flush()


if __name__ == "__main__":
    main()
