"""The JSON schemas of `run.json` and `summary.json` describe the files that runs write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from priscian.errors import UnknownNameError
from priscian.runs import json_schema, load_run
from priscian.runs.facts import plain

STORED = Path(__file__).parent / "data" / "v2"
TYPES = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
    "boolean": bool, "null": type(None),
}  # fmt: skip
SAYS_NOTHING = {"$schema", "title", "description", "default", "$defs", "discriminator"}


def problems(value: Any, schema: Any, root: Any, path: str = "$") -> list[str]:
    """Where a value breaks a schema; an unknown keyword is an error of this test."""
    if "$ref" in schema:
        return problems(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, path)
    found: list[str] = []
    for key, rule in schema.items():
        if key in SAYS_NOTHING:
            continue
        if key == "anyOf":
            if all(problems(value, option, root, path) for option in rule):
                found.append(f"{path}: none of the options fits")
        elif key == "type":
            if not isinstance(value, TYPES[rule]) or (rule != "boolean" and value is True):
                found.append(f"{path}: {value!r} is not of type {rule}")
                return found
        elif key in ("enum", "const"):
            if value not in (rule if key == "enum" else [rule]):
                found.append(f"{path}: {value!r} is not {rule}")
        elif key == "required":
            found += [f"{path}: no {name}" for name in rule if name not in value]
        elif key == "properties":
            for name, part in value.items():
                if name in rule:
                    found += problems(part, rule[name], root, f"{path}.{name}")
        elif key == "additionalProperties":
            if isinstance(rule, dict):
                for name, part in value.items():
                    found += problems(part, rule, root, f"{path}.{name}")
        elif key in ("minItems", "maxItems"):
            if (len(value) < rule) if key == "minItems" else (len(value) > rule):
                found.append(f"{path}: {len(value)} items, {key} is {rule}")
        elif key == "prefixItems":
            for number, (part, one) in enumerate(zip(value, rule, strict=False)):
                found += problems(part, one, root, f"{path}[{number}]")
        elif key == "items":
            for number, part in enumerate(value if rule is not False else ()):
                found += problems(part, rule, root, f"{path}[{number}]")
        else:
            raise AssertionError(f"this test does not know the keyword {key!r}")
    return found


def as_json(found: Any) -> Any:
    return json.loads(json.dumps(found))


def test_run_json_of_a_real_run_fits() -> None:
    schema, info = json_schema("run"), as_json(plain(load_run(STORED).info))
    assert problems(info, schema, schema) == []
    assert problems(info | {"created": 5}, schema, schema) == ["$.created: 5 is not of type string"]
    del info["request"]["models"]
    assert problems(info, schema, schema) == ["$.request: no models"]


def test_summaries_of_every_kind_fit() -> None:
    schema = json_schema("summary")
    results = load_run(STORED).results
    assert {r.kind for r in results} == {"pairs", "suites", "graded", "labels"}
    for result in results:
        summary = as_json(result.summary.to_dict())
        assert problems(summary, schema, schema) == []
        assert problems(summary | {"kind": "poems"}, schema, schema)
        assert problems(summary | {"model": None}, schema, schema)


def test_there_are_two() -> None:
    with pytest.raises(UnknownNameError, match="no schema 'runs'; did you mean run"):
        json_schema("runs")
