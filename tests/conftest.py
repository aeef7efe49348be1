"""Tiny real models, built on the spot, and a cache folder of their own for every test."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

# Two workers share two cores; threads that wait cost minutes.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["POLARS_MAX_THREADS"] = "1"

import pytest
from hypothesis import HealthCheck, settings

from priscian.models.hf.locate import MINILM, SMOLLM2, weights_folder
from tests.browser import chromium, kept, visit, wide
from tests.tiny import TEXTS, build_causal, build_masked

__all__ = ["chromium", "kept", "visit", "wide"]  # fixtures

# The same examples on every machine, however slow; `make slow` looks for new ones.
settings.register_profile(
    "suite",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
    database=None,
)
settings.register_profile("search", settings.get_profile("suite"), derandomize=False)
settings.load_profile("suite")

WEIGHTS = weights_folder()  # of the user, before each test gets a cache of its own
SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """New folders; to number thousands of them, `mktemp` would read the whole list each time."""
    home = tmp_path_factory.mktemp("caches")
    return (home / str(number) for number in count())


@pytest.fixture(autouse=True)
def cache(caches: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees or leaves anything in the user's own cache."""
    folder = next(caches)
    folder.mkdir()
    monkeypatch.setenv("PRISCIAN_CACHE", str(folder))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return folder


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans use one core, and no test leaves more threads to the next: they would spin and wait."""
    monkeypatch.setattr("priscian.scoring.plan.cores", lambda: 1)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
        sys.modules["torch"].set_float32_matmul_precision("highest")


@pytest.fixture(scope="session", autouse=True)
def read_once() -> Iterator[None]:
    """The embedded n-gram model is unpacked once per process, which takes most of a second."""
    from priscian.models.builtin import MODELS
    from priscian.models.ngram import trie_file

    plain, embedded = trie_file.open_trie, MODELS["ngram"].path
    once = functools.cache(plain)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trie_file, "open_trie", lambda p: once(p) if p == embedded else plain(p))
        yield


@pytest.fixture
def smollm2(cache: Path) -> str:
    """The model string of a real model, where its weights are at hand."""
    if not (WEIGHTS / SMOLLM2.folder.name / "source.json").is_file():
        pytest.skip("needs the weights of smollm2: priscian models get smollm2")
    (cache / "weights").symlink_to(WEIGHTS)
    return "smollm2"


@pytest.fixture
def minilm(cache: Path) -> str:
    """The model string of a real encoder, where its weights are at hand."""
    if not (WEIGHTS / MINILM.folder.name / "source.json").is_file():
        pytest.skip("needs the weights of minilm: priscian models get minilm")
    (cache / "weights").symlink_to(WEIGHTS)
    return "minilm"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference data beside the repository, where there is any."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared, which is not here")
    return SHARED


@pytest.fixture
def catalogues(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paradigms and suites that a test registers are gone afterwards."""
    from priscian.paradigms import paradigms
    from priscian.paradigms.registry import CATALOGUE as PARADIGMS
    from priscian.suites import suites
    from priscian.suites.registry import CATALOGUE as SUITES

    monkeypatch.setattr(PARADIGMS, "entries", paradigms())
    monkeypatch.setattr(SUITES, "entries", suites())
    for catalogue in (PARADIGMS, SUITES):
        monkeypatch.setattr(catalogue, "files", {})


@pytest.fixture(scope="session")
def causal(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """`causal("gpt2")` is the folder of a tiny random model of that architecture."""
    made: dict[tuple[Any, ...], Path] = {}

    def folder(kind: str, **options: Any) -> Path:
        name = (kind, *sorted(options.items()))
        if name not in made:
            made[name] = build_causal(kind, tmp_path_factory.mktemp(kind), **options)
        return made[name]

    return folder


@pytest.fixture(scope="session")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """`masked(cased=True)` is the folder of a tiny random BERT."""
    made: dict[bool, Path] = {}

    def folder(cased: bool = True) -> Path:
        if cased not in made:
            made[cased] = build_masked(tmp_path_factory.mktemp("bert"), cased)
        return made[cased]

    return folder


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """Sentences with shared beginnings, of many lengths, with accents and odd spaces."""
    return list(TEXTS)


@pytest.fixture
def in_folder(tmp_path: Path) -> Iterator[Path]:
    """The test runs with an empty folder as its working directory."""
    before = Path.cwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)
