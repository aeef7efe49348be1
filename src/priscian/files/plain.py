"""Records as plain values, ready for JSON: a field is a key.

A field may say how it is written, `models: Annotated[tuple[Model, ...], by("name")]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple, get_args

from msgspec import Meta, Struct
from msgspec.structs import fields

HIDDEN = Meta(extra={"hidden": True})
"""A field that JSON does not have."""
INLINE = Meta(extra={"inline": True})
"""A field whose own keys stand in its place, none for None; a list is then the whole record."""


def by(*names: str, keep: bool = False, many: bool = False) -> Meta:
    """Records as an object: their fields of these names are its keys, one inside the other.

    `keep`: the records have these fields too. `many`: several records may have the same keys. None
    is left out.
    """
    return Meta(extra={"by": names, "keep": keep, "many": many})


def prefixed(prefix: str) -> Meta:
    """A field whose own keys stand in its place, with something before them."""
    return Meta(extra={"inline": True, "prefix": prefix})


class _Field(NamedTuple):
    name: str
    key: str
    default: Any
    how: dict[str, Any]


def plain(value: Any) -> Any:
    """Records as dictionaries, tuples as lists.

    >>> from typing import Annotated
    >>> from msgspec import defstruct
    >>> Model = defstruct("Model", [("name", str), ("score", float)])
    >>> Found = defstruct("Found", [("models", Annotated[list[Model], by("name")])])
    >>> plain(Found([Model("lstm", 0.5)]))
    {'models': {'lstm': {'score': 0.5}}}
    """
    if isinstance(value, Struct):
        return _record(value)
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def _record(value: Struct, without: Iterable[str] = ()) -> Any:
    found: dict[str, Any] = {}
    for field in _fields(type(value)):
        part = getattr(value, field.name)
        if field.name in without or (
            value.__struct_config__.omit_defaults and part == field.default
        ):
            continue
        if part is None and field.how.get("inline"):
            continue
        names = field.how.get("by", ())
        shown = _object(part, field.how) if names else plain(part)
        if isinstance(shown, list) and field.how.get("inline"):
            return shown
        if field.how.get("inline"):
            found |= {field.how.get("prefix", "") + key: part for key, part in shown.items()}
        else:
            found[field.key] = shown
    return found


@cache
def _fields(kind: type[Struct]) -> tuple[_Field, ...]:
    """The fields that are written."""
    found = []
    for field in fields(kind):
        how: dict[str, Any] = {}
        for meta in get_args(field.type)[1:]:
            if isinstance(meta, Meta):
                how |= meta.extra or {}
        if not how.get("hidden"):
            found.append(_Field(field.name, field.encode_name, field.default, how))
    return tuple(found)


def _object(records: Iterable[Struct | None], how: Mapping[str, Any]) -> dict[str, Any]:
    *outer, last = how["by"]
    found: dict[str, Any] = {}
    for record in records:
        if record is None:
            continue
        inner = found
        for name in outer:
            inner = inner.setdefault(getattr(record, name), {})
        key, made = getattr(record, last), _record(record, () if how["keep"] else how["by"])
        if how["many"]:
            inner.setdefault(key, []).append(made)
        else:
            inner[key] = made
    return found
