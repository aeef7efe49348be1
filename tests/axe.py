"""axe-core finds what makes a page hard to use; it is not part of this project."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

VERSION = "4.14.0"
FOLDER = Path(os.environ.get("PRISCIAN_AXE", "~/.cache/priscian/axe/package")).expanduser()
REMEDY = "install npm and run make test again, or set PRISCIAN_AXE to the folder of axe.min.js"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice")


def axe_source() -> str:
    """The script; the test is skipped where it is missing."""
    file = FOLDER / "axe.min.js"
    if not file.is_file():
        pytest.skip(f"no axe-core: {REMEDY}")
    return file.read_text("utf-8")


def violations(page: Any, within: str = "html") -> list[str]:
    """What axe-core finds on a page, or in a part of it; it is put in from outside its policy."""
    session = page.context.new_cdp_session(page)
    session.send("Page.setBypassCSP", {"enabled": True})
    page.evaluate(axe_source() + "; 0")
    found = page.evaluate(
        "([within, rules]) => axe.run(within, {runOnly: {type: 'tag', values: rules}})",
        [within, list(RULES)],
    )
    return [
        f"{v['id']}: {v['help']}: {[n['html'][:120] for n in v['nodes']]}"
        for v in found["violations"]
    ]
