"""`python -m priscian`, which `accelerate launch -m` and `torchrun -m` start."""

from __future__ import annotations

from priscian.cli import main

if __name__ == "__main__":
    main()
