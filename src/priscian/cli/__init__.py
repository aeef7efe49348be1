"""The command line: one module a verb."""

from priscian.cli.app import main, run

__all__ = ["main", "run"]
