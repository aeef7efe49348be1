"""Serve a study, show its first pages, let simulated people take part, and stop the server."""

import contextlib
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

PRISCIAN = [sys.executable, "-m", "priscian", "judge"]
SEEDED = [sys.executable, "seeded.py", "judge"]


def main(study: str, people: int) -> None:
    """One at a time, so that the lists are given out in the same order every time."""
    server = subprocess.Popen(
        [*SEEDED, "serve", study, "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    said = ""
    while not (found := re.search(r"http://127\.0\.0\.1:\d+", said)):
        line = server.stdout.readline()
        assert line, said
        said += line
    for _ in range(600):  # earlier versions show the address a moment before they listen at it
        with contextlib.suppress(urllib.error.URLError), urllib.request.urlopen(found[0]):
            break
        time.sleep(0.1)
    for page in ("/", "/admin"):
        with urllib.request.urlopen(found[0] + page) as answer:
            print(answer.read().decode())
    for seed in range(1, people + 1):
        simulate = [*PRISCIAN, "simulate", study, "--url", found[0], "--raters", "1"]
        subprocess.run([*simulate, "--seed", str(seed)], check=True)
    server.send_signal(signal.SIGINT)
    rest, _ = server.communicate()
    print(f"{said}{rest}server: exit {server.returncode}")


main(sys.argv[1], int(sys.argv[2]))
