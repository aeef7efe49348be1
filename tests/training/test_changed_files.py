"""A file that changes between two starts, or while it is read: no card mixes two versions."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from priscian.errors import DataError, PriscianError, TrainingError, UsageError

torch = pytest.importorskip("torch")

from tests.swapped_files import MOMENTS, Swap, swap_at_random, swap_everywhere  # noqa: E402

from priscian.training import job  # noqa: E402
from priscian.training.job import resolve_recipe  # noqa: E402
from priscian.training.prepare import prepare  # noqa: E402
from priscian.training.recipe import Recipe  # noqa: E402
from priscian.training.subsets import write_corpus  # noqa: E402

NOUNS = ("cat", "dog", "child", "teacher")
VERBS = ("sees", "likes", "finds", "paints")
TREE = "(S (NP (DT The) (NN {})) (VP (VBZ {}) (NP (DT the) (NN {}))) (. .))\n"
LENGTH = {"training.tokens": 300, "training.batch_tokens": 100, "checkpoints.at": "none"}
SIZES: dict[str, dict[str, Any]] = {
    "lstm": {"network.embedding": 4, "network.hidden": 4},
    "gpt2": {"network.width": 8, "network.layers": 1, "network.heads": 1},
    "rnng": {"network.hidden": 4},
}


def clauses(count: int) -> list[tuple[str, str, str]]:
    draw = random.Random(7)
    return [(draw.choice(NOUNS), draw.choice(VERBS), draw.choice(NOUNS)) for _ in range(count)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """`text.txt`, `trees.txt` with its trees, and `extra.txt`."""
    said = clauses(60)
    (tmp_path / "text.txt").write_text("".join(f"The {a} {v} the {b}.\n" for a, v, b in said))
    (tmp_path / "trees.txt").write_text("".join(TREE.format(*words) for words in said))
    (tmp_path / "extra.txt").write_text("The dog is here. It is a dog.\n" * 5)
    return tmp_path


@dataclass(frozen=True)
class Kind:
    """An architecture with all that it reads; of the file `changed` there are two versions."""

    architecture: str
    files: dict[str, tuple[str, ...]]
    changed: str
    options: dict[str, Any]
    words: tuple[bytes, bytes] = (b"dog", b"cow")

    def other(self, folder: Path) -> bytes:
        """Another version of the file that changes, just as long."""
        return (folder / self.changed).read_bytes().replace(*self.words)

    def recipe(self, folder: Path) -> Recipe:
        named = {
            f"corpus.{key}": [str(folder / name) for name in names]
            for key, names in self.files.items()
        }
        changes = {**LENGTH, **SIZES[self.architecture], **named, **self.options}
        return resolve_recipe(self.architecture, "tiny", changes)


TEXT = {"files": ("text.txt",)}
KINDS = {
    "lstm": Kind("lstm", TEXT, "text.txt", {}),
    "stream": Kind("lstm", TEXT, "text.txt", {"text.pack": "stream"}),
    "gpt2": Kind("gpt2", TEXT, "text.txt", {"text.tokenizer": "bpe:300"}),
    "extra": Kind("lstm", TEXT | {"extra": ("extra.txt",)}, "extra.txt", {}),
    "two files": Kind("lstm", {"files": ("extra.txt", "text.txt")}, "text.txt", {}),
    "trees": Kind("rnng", {"files": ("trees.txt",)}, "trees.txt", {}),
    "text of trees": Kind(
        "rnng",
        {"files": ("trees.txt",), "trees_of": ("text.txt",)},
        "trees.txt",
        {"text.min_count": 1},
        (b"(VP", b"(VX"),
    ),
    "held-out part": Kind("lstm", {"files": ("parts/train-200.txt",)}, "parts/dev.txt", {}),
}
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def ready(kind: Kind, folder: Path) -> Kind:
    if "parts" in kind.changed:
        write_corpus([folder / "text.txt"], ["200"], folder / "parts")
    return kind


def silent(line: str) -> None:
    """Say nothing."""


@pytest.mark.parametrize("name", [name for name in KINDS if name != "held-out part"])
def test_text_that_a_failed_start_has_prepared_is_not_used_for_an_edited_corpus(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = KINDS[name]
    recipe, out = kind.recipe(folder), folder / "model"

    def fail(*given: object) -> None:
        raise TrainingError("out of memory")

    with monkeypatch.context() as patch:
        patch.setattr(job, "build", fail)
        with pytest.raises(TrainingError):
            job.train_recipe(recipe, out)
    assert (out / "training" / "prepared.json").is_file()
    path = folder / kind.changed
    before = path.read_bytes()
    path.write_bytes(kind.other(folder))
    os.utime(path, ns=(0, 0))
    assert path.stat().st_size == len(before)
    assert path.read_bytes() != before
    card = job.train_recipe(recipe, out)
    whole = job.train_recipe(recipe, folder / "whole")
    assert {**card, "seconds": 0} == {**whole, "seconds": 0}
    for name in ("model.safetensors", "config.json"):
        assert (out / name).read_bytes() == (folder / "whole" / name).read_bytes()


def test_text_that_another_architecture_has_prepared_is_not_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dev part of GPT-2 has no long sentences, and that of others has."""
    long = "the dog sees the dog and " * 12
    with (folder / "text.txt").open("a") as file:
        file.write(f"{long}\n" * 60)

    def fail(*given: object) -> None:
        raise TrainingError("out of memory")

    text = {
        "corpus.files": [str(folder / "text.txt")],
        "text.tokenizer": "bpe:300",
        "text.max_length": 40,
    }
    with monkeypatch.context() as patch:
        patch.setattr(job, "build", fail)
        with pytest.raises(TrainingError):
            job.train_recipe(
                resolve_recipe("gpt2", "tiny", {**text, **SIZES["gpt2"]}), folder / "model"
            )
    made = resolve_recipe("lstm", "tiny", {**LENGTH, **SIZES["lstm"], **text})
    card = job.train_recipe(made, folder / "model")
    assert card["dev"]["sentences"] == prepare(made, silent).facts.dev.sentences
    assert card["dev"]["left_out"] == 0


@each_kind
def test_a_training_is_not_resumed_on_an_edited_corpus(kind: Kind, folder: Path) -> None:
    recipe, out = ready(kind, folder).recipe(folder), folder / "model"
    job.train_recipe(recipe, out)
    state = (out / "training" / "state.pt").read_bytes()
    path = folder / kind.changed
    path.write_bytes(kind.other(folder))
    if kind.changed == "parts/dev.txt":  # its text was prepared and is not read again
        weights = (out / "model.safetensors").read_bytes()
        job.train_recipe(recipe, out, resume=True)
        assert (out / "model.safetensors").read_bytes() == weights
        return
    with pytest.raises(
        UsageError, match=rf"{path.name} has changed since the training in .* began"
    ):
        job.train_recipe(recipe, out, resume=True)
    # what says which corpus it was may be gone
    (out / "training" / "prepared.json").unlink()
    with pytest.raises(UsageError, match=r"corpus of the training in .* has changed since"):
        job.train_recipe(recipe, out, resume=True)
    assert (out / "training" / "state.pt").read_bytes() == state


def test_prepared_files_that_do_not_belong_together_are_not_trained_on(folder: Path) -> None:
    kind = KINDS["lstm"]
    one, two = folder / "one", folder / "two"
    job.train_recipe(kind.recipe(folder), one)
    path = folder / "text.txt"
    text = path.read_bytes()
    path.write_bytes(kind.other(folder))
    job.train_recipe(kind.recipe(folder), two)
    path.write_bytes(text)
    for name in ("training/main.npz", "training/dev.npz", "vocabulary.json"):
        before = (one / name).read_bytes()
        (one / name).write_bytes((two / name).read_bytes())
        with pytest.raises(DataError, match=r"not those that were prepared together\); delete"):
            job.train_recipe(kind.recipe(folder), one, resume=True)
        (one / name).write_bytes(before)
    (one / "training" / "state.pt").write_bytes((two / "training" / "state.pt").read_bytes())
    with pytest.raises(UsageError, match=r"corpus of the training in .* has changed since"):
        job.train_recipe(kind.recipe(folder), one, resume=True)


@each_kind
def test_a_file_that_is_swapped_while_it_is_prepared_gives_one_version_or_an_error(
    kind: Kind, folder: Path
) -> None:
    recipe = ready(kind, folder).recipe(folder)
    path = folder / kind.changed
    data = kind.other(folder)
    if kind.changed == "parts/dev.txt":  # the other version is never the right one
        swap = Swap(path, data, in_place=False)
        for after in (False, True):
            with swap.at(1, after=after), pytest.raises(DataError, match="changed"):
                prepare(recipe, silent)
        return

    def make() -> tuple[str, str]:
        made = prepare(recipe, silent)
        return made.facts.digest, json.dumps([made.facts.files, made.facts.trees])

    outcomes, opened = swap_everywhere(path, data, make)
    assert "refused" in outcomes
    assert opened == 1, "a corpus is read once"


def test_a_corpus_that_is_swapped_at_any_opening_of_a_resumed_training_changes_nothing(
    folder: Path,
) -> None:
    recipe, out = KINDS["lstm"].recipe(folder), folder / "model"
    job.train_recipe(recipe, out)
    right = (out / "model.safetensors").read_bytes(), (out / "card.json").read_bytes()
    path = folder / "text.txt"
    swap = Swap(path, KINDS["lstm"].other(folder), in_place=False)
    for after in (False, True):
        with swap.at(1, after=after), pytest.raises(PriscianError, match="changed"):
            job.train_recipe(recipe, out, resume=True)
        assert (out / "model.safetensors").read_bytes() == right[0]
        assert (out / "card.json").read_bytes() == right[1]


@pytest.mark.slow
def test_a_corpus_that_is_swapped_at_200_random_moments_never_gives_a_mixed_card(
    folder: Path,
) -> None:
    path = folder / "text.txt"
    path.write_bytes(path.read_bytes() * 30)
    number = itertools.count()
    options = {"corpus.size": 100}
    recipe = Kind("lstm", TEXT, "text.txt", options).recipe(folder)

    def make() -> tuple[str, tuple[bytes, str]]:
        out = folder / f"model{next(number)}"
        card = job.train_recipe(recipe, out)
        weights, card["seconds"] = (out / "model.safetensors").read_bytes(), 0
        shutil.rmtree(out)
        return card["corpus"]["files"][0][1], (weights, json.dumps(card))

    found = swap_at_random(path, path.read_bytes().replace(b"dog", b"cow"), make, MOMENTS)
    print(dict(found))
    assert found["made"]
