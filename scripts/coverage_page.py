"""Write docs/coverage.md from the map of our tests to a textbook's topics."""

from __future__ import annotations

from pathlib import Path

from priscian.datasets.coverage import coverage_page
from priscian.files import write_text

PAGE = Path(__file__).resolve().parents[1] / "docs" / "coverage.md"

if __name__ == "__main__":
    write_text(PAGE, coverage_page())
