"""`priscian cite`: BibTeX of everything a run is based on."""

from __future__ import annotations

from pathlib import Path


def cite_command(run: Path | None = None) -> None:
    """Print BibTeX for a run, or for Priscian itself.

    Parameters
    ----------
    run
        A run folder.
    """
    from priscian.runs import keys_of, load_run, references

    keys = ["priscian"] if run is None else keys_of(load_run(run).info)
    known = references()
    print("\n\n".join(known[key] for key in keys))
