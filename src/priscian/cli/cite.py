"""`priscian cite`: BibTeX of everything a run is based on."""

from __future__ import annotations

from pathlib import Path

from priscian.runs import keys_of, load_run, references
from priscian.runs.choose import expand_folders


def cite_command(run: Path | None = None) -> None:
    """Print BibTeX for a run, or for Priscian itself.

    Parameters
    ----------
    run
        A run folder, or the folder of a sweep.
    """
    folders = [] if run is None else [Path(str(folder)) for folder in expand_folders([run])]
    cited = [key for folder in folders for key in keys_of(load_run(folder).info)]
    keys = list(dict.fromkeys(cited)) or ["priscian"]
    known = references()
    print("\n\n".join(known[key] for key in keys))
