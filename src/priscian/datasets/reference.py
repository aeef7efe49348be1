"""The names of BLiMP's 67 paradigms and their place in its taxonomy."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from priscian.files import read_tsv

DATA = Path(__file__).parent / "data"

REFERENCE = (
    "Warstadt et al. (2020). BLiMP: The Benchmark of Linguistic Minimal Pairs for English. "
    "TACL 8, 377–392. doi:10.1162/tacl_a_00321"
)


@cache
def blimp_taxonomy() -> dict[str, tuple[str, str]]:
    """Every UID with its field and phenomenon."""
    rows = read_tsv(DATA / "blimp_paradigms.tsv")
    return {row["uid"]: (row["field"], row["phenomenon"]) for _, row in rows}


@cache
def _by_lower_case() -> dict[str, str]:
    return {uid.lower(): uid for uid in blimp_taxonomy()}


def canonical_uid(uid: str) -> str:
    """BLiMP's spelling of a UID, ignoring case; other names are unchanged.

    >>> canonical_uid("complex_np_island")
    'complex_NP_island'
    """
    return _by_lower_case().get(uid.lower(), uid)
