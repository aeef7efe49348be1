"""Which items two results share: the same set, the same item, the same sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field

from priscian.catalogue import FURTHER
from priscian.errors import RunError, UsageError, counted
from priscian.runs import Result

if TYPE_CHECKING:
    import polars

KEY = ["set", "item"]
SHOWN = 4


class Overlap(Struct, frozen=True):
    """How many items two results share, how many each has, and the sets that only one has."""

    shared: int = field(name="items")
    a: int = field(name="items_a")
    b: int = field(name="items_b")
    sets: int
    """Sets with at least one shared item."""
    missing: tuple[str, ...] = field(name="sets_without_shared_items")
    """Sets of either side without a shared item."""

    @property
    def complete(self) -> bool:
        """Whether both sides are about the same items."""
        return self.a == self.b == self.shared

    @property
    def words(self) -> str:
        """What is compared, in one line."""
        if self.complete:
            return f"the same {counted(self.shared, 'item')} in {counted(self.sets, 'set')}"
        left = f"; sets without a shared item: {_listed(self.missing)}" if self.missing else ""
        return (
            f"the {counted(self.shared, 'item')} in {counted(self.sets, 'set')} that both have "
            f"(of {self.a:,} and {self.b:,}){left}"
        )


class Matched(NamedTuple):
    """The shared items: set, item, credit_a, credit_b and, for pairs, deltas and texts."""

    rows: polars.DataFrame
    overlap: Overlap
    method: str


def match(a: Result, b: Result, method: str | None = None) -> Matched:
    """Join two results on their items; if they share none, an error gives the reason.

    Sets whose content has the same hash are joined by item alone, others by item and sentences.
    """
    import polars

    if (a.kind == "suites") != (b.kind == "suites"):
        raise UsageError(
            f"{a.model} on {a.data} is a result on {_kind(a)}, {b.model} on {b.data} on "
            f"{_kind(b)}; compare results on data of one kind"
        )
    chosen = "" if a.kind == "suites" else _shared_method(a, b, method)
    left, right = (_rows(s, chosen) for s in (a, b))
    same = [name for name, value in a.hashes.items() if b.hashes.get(name) == value]
    if not left["set"].is_in(same).all() or not right["set"].is_in(same).all():
        left, right = (_with_texts(f, s, same) for f, s in ((left, a), (right, b)))
    else:
        left, right = (f.with_columns(match=polars.lit("")) for f in (left, right))
    texts = [c for c in left.columns if c.startswith("text_")]
    joined = left.join(
        right.select(*KEY, "match", "credit", "delta"),
        on=[*KEY, "match"],
        how="inner",
        suffix="_b",
        maintain_order="left",
    ).select(
        *KEY,
        credit_a="credit",
        credit_b="credit_b",
        delta_a="delta",
        delta_b="delta_b",
        **{c: polars.col(c) for c in texts},
    )
    names = set(joined["set"])
    overlap = Overlap(
        len(joined), len(left), len(right), len(names),
        tuple(sorted((set(left["set"]) | set(right["set"])) - names)),
    )  # fmt: skip
    if not overlap.shared:
        both = sorted(set(left["set"]) & set(right["set"]))
        own, other = (_listed(tuple(sorted(set(side["set"])))) for side in (left, right))
        reason = f"one has the sets {own}, the other {other}"
        if both:
            verb = "is" if len(both) == 1 else "are"
            reason = f"{_listed(tuple(both))} {verb} in both, but with other sentences"
        raise RunError(
            f"{a.model} on {a.data} and {b.model} on {b.data} share no items: {reason}; "
            "score both models on the same data"
        )
    return Matched(joined, overlap, chosen)


def sentences_of(result: Result, items: polars.DataFrame) -> dict[tuple[str, str], dict[str, str]]:
    """The sentences of suites' items by condition, put together from their regions."""
    if result.regions is None or not len(items):
        return {}
    rows = (
        result.regions.join(items.select(KEY).unique().lazy(), on=KEY, how="semi")
        .sort("set", "item", "condition", "region", maintain_order=True)
        .group_by("set", "item", "condition", maintain_order=True)
        .agg("content")
        .collect()
    )
    found: dict[tuple[str, str], dict[str, str]] = {}
    for name, item, condition, contents in rows.iter_rows():
        text = " ".join(" ".join(contents).split())
        found.setdefault((name, item), {})[condition] = text
    return found


def _rows(result: Result, method: str) -> polars.DataFrame:
    import polars

    if result.kind == "suites":
        return (
            result.items.unique(KEY, keep="first", maintain_order=True)
            .select(*KEY, credit="item_correct", delta=polars.lit(None, polars.Float64))
            .collect()
        )
    texts = [c for c in result.items.collect_schema().names() if c.startswith("text_")]
    return (
        result.items.filter(polars.col("method") == method)
        .select(*KEY, *texts, credit="correct", delta="delta")
        .collect()
    )


def _with_texts(frame: polars.DataFrame, result: Result, same: list[str]) -> polars.DataFrame:
    """A column `match` of what else must be equal: the sentences, where the sets' hashes differ."""
    import polars

    if result.kind == "suites":
        # without spaces: before a full stop they depend on the model, not on the item
        found = {
            key: "\x1f".join(f"{c}={''.join(text.split())}" for c, text in conditions.items())
            for key, conditions in sentences_of(result, frame).items()
        }
        said = polars.Series([found.get(key, "") for key in frame.select(KEY).iter_rows()])
        keys = frame.with_columns(match=said)
    else:
        texts = sorted(c for c in frame.columns if c.startswith("text_"))
        keys = frame.with_columns(match=polars.concat_str(texts, separator="\x1f"))
    known = polars.col("set").is_in(same)
    return keys.with_columns(
        match=polars.when(known).then(polars.lit("")).otherwise(polars.col("match"))
    )


def _shared_method(a: Result, b: Result, method: str | None) -> str:
    both = [m for m in a.methods if m in b.methods]
    if method is None and both:
        return "full" if "full" in both else both[0]
    if method not in both:
        wanted = f"method {method!r} is" if method else "no method is"
        of = "; ".join(f"{s.model} has {', '.join(s.methods) or 'none'}" for s in (a, b))
        raise UsageError(f"{wanted} in both results: {of}")
    return method


def _kind(result: Result) -> str:
    return "suites" if result.kind == "suites" else "pairs"


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def groups_of(result: Result, names: list[str]) -> Mapping[str, list[str]]:
    """Sets by their narrowest class, in the order of their names."""
    found: dict[str, list[str]] = {}
    for name in names:
        group = result.narrowest(name)
        if group:
            found.setdefault(group, []).append(name)
    return found


def headline_sets(result: Result, names: list[str]) -> list[str]:
    """The sets that count for the headline score: not further suites, unless there are no others.

    >>> import priscian
    >>> run = priscian.score("builtin:ngram", "generated:7,3,wh_island,causative")
    >>> headline_sets(run.results[0], ["wh_island", "causative"])
    ['wh_island', 'causative']
    """
    return [name for name in names if result.narrowest(name) != FURTHER] or names
