"""Options of `rnng:` model strings; no torch is needed to read them."""

from __future__ import annotations

from dataclasses import dataclass

from priscian.errors import UsageError
from priscian.files import whole_number
from priscian.models.spec import ModelSpec

OPTIONS = frozenset({"name", "beam"})
LARGEST = 10_000


@dataclass(frozen=True, slots=True)
class Beam:
    """Sizes of the beam: successors, fast-tracked shifts, and hypotheses between words."""

    actions: int = 100
    fast: int = 5
    words: int = 10

    @classmethod
    def of(cls, spec: ModelSpec) -> Beam:
        """The beam that a model string asks for."""
        spec.check_options(OPTIONS)
        return cls.parse(spec.options["beam"]) if "beam" in spec.options else cls()

    @classmethod
    def parse(cls, text: str) -> Beam:
        """As the option `beam` has it: `100,5,10`."""
        parts = [part.strip() for part in text.split(",")]
        if len(parts) != 3 or not all(part.isascii() and part.isdecimal() for part in parts):
            raise UsageError(f"beam={text[:60]}: give three numbers, as beam=100,5,10")
        sizes = [size for part in parts if (size := whole_number(part, LARGEST)) is not None]
        if len(sizes) != 3:
            raise UsageError(
                f"beam={text[:60]}: a beam this large is too slow; give numbers up to {LARGEST:,}"
            )
        made = cls(*sizes)
        if not made.actions or not made.words:
            raise UsageError(f"beam={text}: a beam of 0 finds nothing; give numbers from 1")
        if made.words > made.actions:
            raise UsageError(
                f"beam={text}: no more than {made.actions} can shift a word; "
                f"give beam={made.words},{made.fast},{made.words}"
            )
        return made

    def __str__(self) -> str:
        return f"{self.actions},{self.fast},{self.words}"
