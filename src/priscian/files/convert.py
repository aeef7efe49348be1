"""Records as plain values, ready for JSON, and tables of a file as records.

What may be in a table is in the types of the record: numbers have their bounds there and texts
their choices, so that a key is declared once. A field may say how it is written,
`models: Annotated[tuple[Model, ...], by("name")]`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import Meta, Struct, inspect
from msgspec.structs import fields

from priscian.errors import (
    DataError,
    PriscianError,
    PriscianWarning,
    UnknownNameError,
    UsageError,
)
from priscian.files.reading import shown

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


def only(name: str) -> Meta:
    """A record, or an object of records, written as one field of it.

    >>> from typing import Annotated
    >>> from msgspec import defstruct
    >>> Model = defstruct("Model", [("name", str), ("score", float)])
    >>> Found = defstruct("Found", [("best", Annotated[Model, only("score")])])
    >>> plain(Found(Model("lstm", 0.5)))
    {'best': 0.5}
    """
    return Meta(extra={"only": name})


class _Field(NamedTuple):
    name: str
    key: str
    default: Any
    how: dict[str, Any]


def plain(value: Any) -> Any:
    """Records as dictionaries, tuples as lists.

    A class may name what is written instead of its fields, `SHOWN: ClassVar`: several attributes,
    properties too, or one that is a record; or properties after its fields, `ALSO: ClassVar`.

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
    chosen = getattr(type(value), "SHOWN", ())
    if isinstance(chosen, str):
        return plain(getattr(value, chosen))
    if chosen:
        return {name: plain(getattr(value, name)) for name in chosen}
    found: dict[str, Any] = {}
    for field in _fields(type(value)):
        part = getattr(value, field.name)
        if field.name in without or (
            value.__struct_config__.omit_defaults and part == field.default
        ):
            continue
        if part is None and field.how.get("inline"):
            continue
        if "only" in field.how and isinstance(part, Mapping):
            part = {key: getattr(one, field.how["only"]) for key, one in part.items()}
        elif "only" in field.how and part is not None:
            part = getattr(part, field.how["only"])
        names = field.how.get("by", ())
        shown = _object(part, field.how) if names else plain(part)
        if isinstance(shown, list) and field.how.get("inline"):
            return shown
        if field.how.get("inline"):
            found |= {field.how.get("prefix", "") + key: part for key, part in shown.items()}
        else:
            found[field.key] = shown
    for name in getattr(type(value), "ALSO", ()):
        found[name] = plain(getattr(value, name))
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


Record = TypeVar("Record")
Count = Annotated[int, Meta(ge=1, le=2**31 - 1)]
CountOrNone = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Share = Annotated[float, Meta(ge=0, lt=1)]
Finite = Annotated[float, Meta(ge=0, le=sys.float_info.max)]


def convert_table(
    kind: type[Record],
    values: Any,
    table: str,
    where: str,
    *,
    remedy: str = "correct the value",
    refusal: type[PriscianError] = DataError,
) -> Record:
    """A table as a record; `where` names the file, `refusal` is for numbers out of their range.

    >>> class Network(msgspec.Struct):
    ...     layers: Count = 2
    >>> convert_table(Network, {"layers": 4}, "network", "recipe.toml")
    Network(layers=4)
    >>> convert_table(Network, {"layers": 0}, "network", "recipe.toml")
    Traceback (most recent call last):
        ...
    priscian.errors.DataError: recipe.toml: network.layers = 0; it takes a number from 1 to ...
    """
    check_table(kind, values, table, where, remedy=remedy, refusal=refusal)
    try:
        return msgspec.convert(dict(values), kind)
    except msgspec.ValidationError as error:  # a key that must be there is not
        raise DataError(f"{where}: {error}; {remedy}") from None


def check_table(
    kind: type,
    values: Any,
    table: str,
    where: str,
    *,
    remedy: str = "correct the value",
    refusal: type[PriscianError] = DataError,
    reserved: Collection[str] = (),
) -> None:
    """Refuse a table with a key or a value that a record cannot have, in tables below it too.

    `reserved` has fields of the record that are not keys of the table. The table at the top of a
    file has no name.
    """
    if not isinstance(values, Mapping):
        raise DataError(f"{where}: [{table}] must be a table of keys and values")
    hints = get_type_hints(kind, include_extras=True)
    known = [name for name in hints if name not in reserved]
    for name, value in values.items():
        if name not in known:
            place = f"[{table}] of {where}" if table else where
            raise UnknownNameError(f"key in {place}", name, known)
        path = f"{table}.{name}" if table else name
        below = get_args(hints[name])[0] if get_origin(hints[name]) is tuple else hints[name]
        if isinstance(below, type) and issubclass(below, msgspec.Struct):
            for one in value if isinstance(value, list) else [value]:
                check_table(below, one, path, where, remedy=remedy, refusal=refusal)
            continue
        try:
            msgspec.convert(value, hints[name])
        except msgspec.ValidationError as error:
            if choices := _choices(hints[name], value):
                raise UnknownNameError(f"{path} in {where}", value, choices) from None
            bounds = _bounds(inspect.type_info(hints[name]), value)
            if bounds:
                said = f"{path} = {shown(value)}; it takes {bounds}"
                raise refusal(f"{where}: {said}") from None
            reason, _, place = str(error).partition(" - at `$")
            place = f"`$.{name}{place.rstrip('`')}`"
            at = f"{where}, [{table}]" if table else where
            raise DataError(f"{at}: {reason} - at {place}; {remedy}") from None


def check_parameters(record: object) -> None:
    """Refuse a record of parameters with a value that its types do not allow."""
    for name, hint in get_type_hints(type(record), include_extras=True).items():
        value = getattr(record, name)
        try:
            msgspec.convert(value, hint)
        except msgspec.ValidationError as error:
            if choices := _choices(hint, value):
                raise UnknownNameError(name, value, choices) from None
            reason = _bounds(inspect.type_info(hint), value)
            reason = f"it takes {reason}" if reason else str(error)
            raise UsageError(f"`{name}={shown(value)}`: {reason}") from None


def renamed_keys(
    values: Mapping[str, Any], names: Mapping[str, str], table: str, where: str, *, warn: bool
) -> dict[str, Any]:
    """A table with the present names of its keys, from `names` by their old ones."""
    found = {}
    for key, value in values.items():
        name = names.get(key, key)
        if name != key:
            old, new = (f"{table}.{each}" if table else each for each in (key, name))
            if name in values:
                raise DataError(f"{where}: {old} is the old name of {new}; delete one of them")
            if warn:
                said = f"{where}: {old} is now called {new}"
                warnings.warn(said, PriscianWarning, stacklevel=3)
        found[name] = value
    return found


def _choices(hint: Any, value: Any) -> tuple[str, ...]:
    """Which texts are taken, where another text was given; else nothing."""
    if isinstance(value, str):
        for kind in (hint, *get_args(hint)):
            if get_origin(kind) is Literal:
                return tuple(str(choice) for choice in get_args(kind) if choice != "")
    return ()


def _bounds(kind: inspect.Type, value: Any) -> str:
    """Which numbers are taken, where numbers were given that are not; else nothing."""
    for member in kind.types if isinstance(kind, inspect.UnionType) else (kind,):
        given = [value]
        if isinstance(member, inspect.TupleType) and isinstance(value, list | tuple):
            member, given = member.item_types[0], list(value)
        fitting = int if isinstance(member, inspect.IntType) else int | float
        if isinstance(member, inspect.IntType | inspect.FloatType) and all(
            isinstance(each, fitting) and not isinstance(each, bool) for each in given
        ):
            low = f"from {member.ge:,}" if member.gt is None else f"greater than {member.gt:,}"
            high = "" if member.lt is None else f" to below {member.lt:,}"
            if member.le is not None and member.le != sys.float_info.max:
                high = f" to {member.le:,}"
            return f"a number {low}{high}"
    return ""
