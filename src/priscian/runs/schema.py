"""JSON schemas of `run.json` and `summary.json`, for other programs that read run folders."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

import msgspec

from priscian.errors import UnknownNameError
from priscian.runs.facts import RunInfo
from priscian.runs.kinds.registry import kinds

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FILES = ("run", "summary")


def json_schema(file: str) -> dict[str, Any]:
    """The schema of `run` or `summary`; a summary is one of the kinds of data.

    >>> json_schema("run")["$ref"]
    '#/$defs/RunInfo'
    """
    if file not in FILES:
        raise UnknownNameError("schema", file, FILES)
    wanted: Any = RunInfo
    if file == "summary":
        wanted = reduce(or_, (kind.summary for kind in kinds().values()))
    return {"$schema": DIALECT, "title": f"{file}.json", **msgspec.json.schema(wanted)}
