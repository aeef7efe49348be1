"""The command line: one module for each verb."""

from priscian.cli.app import main, run

__all__ = ["main", "run"]
