"""`priscian schema`: JSON schemas of the files of a run folder and of a sweep."""

from __future__ import annotations

import json
from typing import Literal

from priscian.analysis.curves.table import curve_schema
from priscian.runs import json_schema


def schema_command(file: Literal["run", "summary", "curve"], /) -> None:
    """Print the JSON schema of run.json, summary.json or curve.json, for programs that read them.

    Examples:
      priscian schema run > run.schema.json
      priscian schema summary

    Parameters
    ----------
    file
        run, for run.json, summary, for summary.json, or curve, for the table of a sweep.
    """
    found = curve_schema() if file == "curve" else json_schema(file)
    print(json.dumps(found, indent=1, ensure_ascii=False))
