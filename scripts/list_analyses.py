"""Write the names of all analyses into `priscian/analyse.py`, where type checkers read them.

    python -m scripts.list_analyses [--check]

Nothing else needs the list: an analysis is found by its decorator. `--check` only says whether it
is complete.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from priscian.analysis.registry import list_analyses

FILE = Path(__file__).resolve().parents[1] / "src" / "priscian" / "analyse.py"
BLOCK = re.compile(r"(?<=^if TYPE_CHECKING:  # for type checkers; written by scripts/)"
                   r"(list_analyses.py\n)(?:    .+\n)+", re.MULTILINE)  # fmt: skip


def written(text: str) -> str:
    """The text of `analyse.py` with a line for each analysis."""
    names = {name.replace("-", "_"): entry.module for name, entry in list_analyses().items()}
    lines = (f"    from priscian.analysis.{module} import {name} as {name}\n"
             for name, module in sorted(names.items(), key=lambda pair: pair[1]))  # fmt: skip
    return BLOCK.sub(lambda found: found[1] + "".join(lines), text)


def main() -> int:
    text = FILE.read_text("utf-8")
    complete = written(text) == text
    if not complete and "--check" not in sys.argv:
        FILE.write_text(written(text), "utf-8")
    return 0 if complete or "--check" not in sys.argv else 1


if __name__ == "__main__":
    sys.exit(main())
