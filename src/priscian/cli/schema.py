"""`priscian schema`: JSON schemas of the files of a run folder."""

from __future__ import annotations

import json
from typing import Literal


def schema_command(file: Literal["run", "summary"], /) -> None:
    """Print the JSON schema of run.json or summary.json, for programs that read run folders.

    Examples:
      priscian schema run > run.schema.json
      priscian schema summary

    Parameters
    ----------
    file
        run, for run.json, or summary, for summary.json.
    """
    from priscian.runs import json_schema

    print(json.dumps(json_schema(file), indent=1, ensure_ascii=False))
