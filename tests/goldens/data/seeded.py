"""Run priscian with codes, lists and orders of a study that come from a seed."""

import random
import secrets
import sys

streams: dict[str, random.Random] = {}


def stream(name: str) -> random.Random:
    """A stream of its own for every kind of draw: threads draw in any order."""
    return streams.setdefault(name, random.Random(f"{sys.argv} {name}"))


random.SystemRandom = lambda: stream("system")
secrets.choice = lambda values: stream("choice").choice(values)
secrets.token_bytes = lambda count: stream(f"bytes {count}").randbytes(count)
secrets.token_hex = lambda count: stream(f"hex {count}").randbytes(count).hex()
secrets.token_urlsafe = lambda count: stream(f"urlsafe {count}").randbytes(count).hex()

from priscian.cli import main  # noqa: E402

main()
