"""Checks of pairs and suites that need no model and no parser: `priscian check`."""

from __future__ import annotations

from priscian.datasets.lint.checks import Finding
from priscian.datasets.lint.linter import CHECKS, Checked, check_data, lint

__all__ = ["CHECKS", "Checked", "Finding", "check_data", "lint"]
