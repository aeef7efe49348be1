"""Run priscian with codes, names and orders of a study that come from a seed."""

import random
import secrets
import sys

from priscian.cli import main

draw = random.Random(" ".join(sys.argv))
secrets.choice = draw.choice
secrets.token_bytes = lambda count: draw.randbytes(count)
secrets.token_hex = lambda count: draw.randbytes(count).hex()
secrets.token_urlsafe = lambda count: draw.randbytes(count).hex()

main()
