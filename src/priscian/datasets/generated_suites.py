"""Fresh suites from a seed, as item sets and as SyntaxGym's JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from priscian.datasets.syntaxgym import suite_from_json
from priscian.datasets.syntaxgym_write import suite_text
from priscian.lexicon import Lexicon
from priscian.records import ItemSet
from priscian.suites import (
    Suite,
    find,
    further_suites,
    generate_suite,
    load_suites,
    suites,
)

EXTRA = "further"


def choose_suites(only: Sequence[str] = (), file: Path | None = None) -> list[str]:
    """Names: those in `only`, else those of a user's file, else all that count for the SG score.

    `further` in `only` stands for all suites beyond the published ones.
    """
    own = load_suites(file) if file else []
    if only:
        asked = (further_suites() if name == EXTRA else [name] for name in only)
        return [find(name).name for name in dict.fromkeys(chain.from_iterable(asked))]
    return [suite.name for suite in own or suites().values() if own or not suite.further]


def generate_suite_set(
    name: str | Suite, n: int = 100, seed: int = 1, lexicon: Lexicon | None = None
) -> ItemSet:
    """A suite of `n` fresh items, equal to what `read_suite` reads from its file.

    Only `meta["file"]`, which error messages name, differs.

    >>> suite = generate_suite_set("number_prep", n=2)
    >>> [item.id for item in suite.items], suite.licence, suite.taxonomy
    (['number_prep/1', 'number_prep/2'], 'CC-BY-4.0', ('Agreement',))
    """
    suite = find(name) if isinstance(name, str) else name
    where = f"suite {suite.name} (seed {seed})"
    return suite_from_json(generate_suite(suite, n, seed, lexicon), where)


def encode_suite(suite: ItemSet) -> bytes:
    """The bytes of a suite's file."""
    return suite_text(suite).encode()
