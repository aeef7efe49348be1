"""Fresh pairs or suites from a seed: as item sets, as rows, or as files with a manifest."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from priscian import __version__
from priscian.catalogue import LICENCE, reference
from priscian.datasets.blimp import blimp_rows, encode_blimp
from priscian.datasets.official import official_paths
from priscian.datasets.pairs import CONTRASTS, Method, usual_spelling
from priscian.datasets.registry import Dataset, Partial, as_dataset, data_format, read_dataset
from priscian.datasets.syntaxgym import read_suites, suite_from_json
from priscian.datasets.syntaxgym_write import suite_text
from priscian.errors import (
    DataError,
    GrammarError,
    PriscianWarning,
    UnknownNameError,
    UsageError,
)
from priscian.files import (
    Row,
    check_folder,
    filling,
    inside,
    is_free,
    name_files,
    shown,
    whole_number,
    write_bytes,
    write_json,
)
from priscian.lexicon import Lexicon, load_lexicon
from priscian.paradigms import Paradigm, generate_items, load_paradigms, paradigms
from priscian.paradigms import find as find_paradigm
from priscian.records import ItemSet
from priscian.suites import Suite, further_suites, generate_suite, load_suites, suites
from priscian.suites import find as find_suite
from priscian.workers import run_batches

MANIFEST = "manifest.json"
IN_MEMORY = 100  # pairs per paradigm or items per suite of a data string without a number
EXTRA = "further"
SEED, ITEMS = 1, 100  # of our own suites where nothing else is said
METHODS: dict[str | None, Method | None] = {"one": "one_prefix", "two": "two_prefix", None: None}

Watch = Callable[[str, int, int], None]  # what is done, sets made, sets in all


def choose_paradigms(only: Sequence[str] = (), file: Path | None = None) -> list[str]:
    """UIDs: those named in `only`, else those of a user's file, else BLiMP's 67."""
    own = load_paradigms(file) if file else []
    if only:
        return [find_paradigm(uid).uid for uid in dict.fromkeys(only)]
    return [p.uid for p in own or paradigms().values() if own or not p.extra]


def generate_set(
    uid: str | Paradigm, n: int = 1000, seed: int = 0, lexicon: Lexicon | None = None
) -> ItemSet:
    """`n` fresh pairs of a paradigm, equal in every field to those that `read_blimp` reads.

    >>> pairs = generate_set("adjunct_island", n=2, seed=7)
    >>> [item.id for item in pairs.items], pairs.licence, pairs.taxonomy
    (['adjunct_island/0', 'adjunct_island/1'], 'CC-BY-4.0', ('syntax', 'island_effects'))
    """
    paradigm = find_paradigm(uid) if isinstance(uid, str) else uid
    return ItemSet(
        name=paradigm.uid,
        items=tuple(generate_items(paradigm, n, seed, lexicon)),
        contrasts=CONTRASTS[METHODS[paradigm.prefix]],
        taxonomy=(
            usual_spelling("field", paradigm.field),
            usual_spelling("linguistics_term", paradigm.phenomenon),
        ),
        licence=LICENCE,
        reference=reference(seed),
    )


def generate_rows(
    uid: str | Paradigm, n: int = 1000, seed: int = 0, lexicon: Lexicon | None = None
) -> Iterator[Row]:
    """Rows in BLiMP's schema, as the files have them."""
    return blimp_rows(generate_set(uid, n, seed, lexicon))


def choose_suites(only: Sequence[str] = (), file: Path | None = None) -> list[str]:
    """Names: those in `only`, else those of a user's file, else all that count for the SG score.

    `further` in `only` stands for all suites beyond the published ones.
    """
    own = load_suites(file) if file else []
    if only:
        asked = (further_suites() if name == EXTRA else [name] for name in only)
        return [find_suite(name).name for name in dict.fromkeys(chain.from_iterable(asked))]
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
    suite = find_suite(name) if isinstance(name, str) else name
    where = f"suite {suite.name} (seed {seed})"
    return suite_from_json(generate_suite(suite, n, seed, lexicon), where)


def encode_suite(suite: ItemSet) -> bytes:
    """The bytes of a suite's file."""
    return suite_text(suite).encode()


@dataclass(frozen=True, slots=True)
class Maker:
    """How one kind of data is selected, generated and written."""

    noun: str
    unit: str
    suffix: str
    n: int
    format: str
    choose: Callable[[Sequence[str], Path | None], list[str]]
    make: Callable[[str, int, int], ItemSet]
    encode: Callable[[ItemSet], bytes]


MAKERS = {
    "blimp": Maker("paradigm", "pair", ".jsonl", 1000, "generated",
                   choose_paradigms, generate_set, encode_blimp),
    "sg": Maker("suite", "item", ".json", 100, "generated-sg",
                choose_suites, generate_suite_set, encode_suite),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Generated:
    """What was generated, in memory or as files; `failed` says why a paradigm or suite is missing.

    `sets` holds the item sets that are in memory; `dataset()` gives them in either case.
    """

    what: str
    seed: int
    n: int
    names: tuple[str, ...]
    sets: tuple[ItemSet, ...] = field(default=(), repr=False)
    folder: Path | None = None
    files: tuple[Path, ...] = field(default=(), repr=False)
    failed: Mapping[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many pairs or items there are."""
        return self.n * len(self.names)

    def dataset(self) -> Dataset:
        """The data set, as `priscian.score` takes it; read from the folder if it was written."""
        if self.folder is not None:
            return read_dataset(f"{self.what}:{self.folder}")
        maker = MAKERS[self.what]
        all_of_ours = list(self.names) == maker.choose((), None)
        names = "" if all_of_ours else "," + ",".join(self.names)
        return as_dataset(maker.format, f"{self.seed},{self.n}{names}", self.sets)


def generate(
    what: str = "blimp",
    *,
    seed: int,
    n: int | None = None,
    only: Sequence[str] = (),
    file: Path | str | None = None,
    out: Path | str | None = None,
    jobs: int = 1,
    watch: Watch = lambda what, done, total: None,
) -> Generated:
    """Fresh minimal pairs (`blimp`) or suites (`sg`) from a seed.

    >>> import priscian
    >>> made = priscian.generate("blimp", seed=7, n=2, only=["adjunct_island"])
    >>> made.count, made.sets[0].items[0].id
    (2, 'adjunct_island/0')
    >>> priscian.generate("blimp", seed=7, out="data/seed7", jobs=4)             # doctest: +SKIP
    >>> priscian.generate("sg", seed=7, n=50, only=["npz_ambig"]).dataset()      # doctest: +SKIP

    The same seed and version give the same pairs on any machine, in memory and in files, and each
    paradigm has a stream of its own: `only` gives the same pairs as a full run.

    - `n`: pairs per paradigm (1000 by default) or items per suite (100).
    - `only`: UIDs or names of suites; by default all of ours but the further suites, which must be
      named (`further`: all of them).
    - `file`: a Python file with paradigms or suites of your own, used instead of ours.
    - `out`: a new or empty folder for one file per paradigm or suite and a manifest; without it
      the sets stay in memory.
    - `jobs`: processes to use. `watch` is called as `watch(what, done, total)`.

    A paradigm or suite that fails is reported in a warning and in `failed`; the others are kept.
    """
    maker = find_maker(what)
    n = maker.n if n is None else n
    if n < 1:
        raise UsageError(f"n={n} asks for no {maker.unit}s; give 1 or more")
    if jobs < 1:
        raise UsageError(f"jobs takes a whole number from 1, not {jobs}")
    names = maker.choose(only, Path(file) if file is not None else None)
    load_lexicon()  # a malformed row is one error before any work, not one for each set
    place = None if out is None else Path(out)
    if place is not None:
        if not is_free(place):
            raise DataError(f"{place} exists and is not empty; choose a new folder")
        check_folder(place)
    stems = name_files({name: name for name in names}, taken=[Path(MANIFEST).stem])
    files = {name: f"{stem}{maker.suffix}" for name, stem in stems.items()}
    made: dict[str, _Made] = {}
    with nullcontext() if place is None else filling(place, MANIFEST) as folder:
        for one in _make_all(maker, names, (n, seed), jobs, bool(folder)):
            made[one.name] = one if folder is None else one.save(inside(folder, files[one.name]))
            watch("generating", len(made), len(names))
        failed = {name: made[name].error for name in names if made[name].error}
        kept = {name: made[name] for name in names if name not in failed}
        if folder is not None:
            listed = {files[name]: one for name, one in kept.items()}
            write_json(folder / MANIFEST, _manifest(maker, n, seed, listed))
    for error in failed.values():
        warnings.warn(error, PriscianWarning, stacklevel=2)
    sets = tuple(one.itemset for one in kept.values() if one.itemset)
    paths = tuple(inside(place, files[name]) for name in kept) if place else ()
    return Generated(what, seed, n, tuple(kept), sets, place, paths, failed)


def find_maker(what: str) -> Maker:
    """The maker with that name."""
    if what not in MAKERS:
        raise UnknownNameError("thing to generate", what, MAKERS)
    return MAKERS[what]


@data_format(
    "generated",
    "fresh pairs of our 67 paradigms: generated:SEED, …:SEED,N or …:SEED,N,UID,UID",
    needs_path=False,
)
def _read_pairs(target: str) -> Partial:
    return _read("blimp", target)


@data_format(
    "generated-sg",
    "fresh suites of ours: generated-sg:SEED, …:SEED,N or …:SEED,N,NAME,NAME",
    levels=("circuit",),
    needs_path=False,
    kind="suites",
)
def _read_suites(target: str) -> Partial:
    return _read("sg", target)


def _read(what: str, target: str) -> Partial:
    sets, refused = read_generated(what, target)
    if not sets:
        raise DataError(refused[0])
    return Partial(sets, refused)


def read_generated(what: str, target: str) -> tuple[list[ItemSet], list[str]]:
    """The sets of `generated:SEED,N,UID,…`, and one line for each that could not be made."""
    maker = MAKERS[what]
    first, _, rest = target.partition(",")
    second, _, only = rest.partition(",")
    seed, n = whole_number(first), whole_number(second or str(IN_MEMORY))
    if seed is None or not n:
        form = f"{maker.format}:SEED"
        raise UsageError(
            f"{shown(f'{maker.format}:{target}')} should be {form}, {form},N or {form},N,NAME,…"
        )
    names = maker.choose([name for name in only.split(",") if name], None)
    made = list(_make_all(maker, names, (n, seed), 1, False))
    return [one.itemset for one in made if one.itemset], [one.error for one in made if one.error]


@dataclass(frozen=True, slots=True)
class _Made:
    """One set, or its file's bytes, or what went wrong with it."""

    name: str
    itemset: ItemSet | None = None
    data: bytes = b""
    sha256: str = ""
    error: str = ""

    def save(self, file: Path) -> _Made:
        """Write the bytes, and free their memory."""
        if self.error:
            return self
        write_bytes(file, self.data)
        return replace(self, data=b"")


def _make_all(
    maker: Maker, names: Sequence[str], size: tuple[int, int], jobs: int, encode: bool
) -> Iterator[_Made]:
    """Each set as it is ready."""
    jobs = min(jobs, len(names))
    remedy = "run again with one job and a new folder"
    for _, made in run_batches(
        lambda i: _make(maker, names[i], size, encode), range(len(names)), jobs, remedy
    ):
        yield made


def _make(maker: Maker, name: str, size: tuple[int, int], encode: bool) -> _Made:
    try:
        itemset = maker.make(name, *size)
        if not encode:
            return _Made(name, replace(itemset, meta=dict(itemset.meta)))  # a dict can be pickled
        data = maker.encode(itemset)
    except (GrammarError, DataError) as error:
        return _Made(name, error=str(error))
    return _Made(name, data=data, sha256=hashlib.sha256(data).hexdigest())


def _manifest(maker: Maker, n: int, seed: int, files: Mapping[str, _Made]) -> dict[str, Any]:
    hashes = "".join(f"{name}={files[name].sha256}\n" for name in sorted(files))
    return {
        "name": f"Priscian {'minimal pairs' if maker.unit == 'pair' else 'suites'}",
        "licence": LICENCE,
        "reference": reference(seed),
        "generator": f"priscian {__version__}",
        "seed": seed,
        f"{maker.unit}s_per_{maker.noun}": n,
        "sha256": hashlib.sha256(hashes.encode()).hexdigest(),
        "files": {
            name: {f"{maker.unit}s": n, "sha256": files[name].sha256} for name in sorted(files)
        },
    }


# ---------------------------------------------------------------- sg and syntaxgym


@data_format(
    "sg",
    "suites of syntactic generalization: ours, or SyntaxGym's JSON or CSV as sg:PATH",
    levels=("circuit",),
    needs_path=False,
    kind="suites",
)
def _read_sg(target: str, limit: int | None) -> Partial:
    return Partial(*read_sg(target, min(limit or ITEMS, ITEMS)))


@data_format(
    "syntaxgym",
    "the 34 suites of Hu et al. (2020): syntaxgym alone fetches the official files",
    levels=("circuit",),
    needs_path=False,
    kind="suites",
)
def _read_official(target: str) -> Partial:
    (path,) = official_paths("syntaxgym", target)
    return Partial(*read_sg(path))


def read_sg(target: str, n: int = ITEMS) -> tuple[list[ItemSet], list[str]]:
    """Suites of a file or folder; without one, our own from seed 1, `n` items each.

    The second list has a line for each suite that could not be read.
    """
    sets, refused = read_suites(target) if target else read_generated("sg", f"{SEED},{n}")
    if not sets:
        for line in refused[1:]:
            warnings.warn(line, PriscianWarning, stacklevel=2)
        raise DataError(refused[0])
    return sets, refused


def own_suite(name: str, seed: int = SEED, n: int = ITEMS) -> ItemSet:
    """One suite of our own."""
    return generate_suite_set(name, n, seed)
