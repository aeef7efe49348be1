"""Sweep files: what they decide, what is refused, and which jobs come out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from priscian.errors import PriscianError
from priscian.sweeps.folder import hash_files
from priscian.sweeps.jobs import expand
from priscian.sweeps.sweep import SHIPPED, read_sweep

Edit = Callable[[str, str], Path]
MODEL = "[models.5-gram]"


def names(path: Path, **files: list[Path]) -> list[str]:
    sweep = read_sweep(path, **files)
    return [job.name for job in expand(sweep, hash_files(sweep))]


def test_counts_are_the_same_with_every_seed(edited: Edit) -> None:
    path = edited("sizes =", "seeds = [1, 2]\nsizes =")
    assert names(path) == ["5-gram-1k-seed1", "5-gram-2k-seed1", "5-gram-4k-seed1"]


def test_an_independent_sample_for_every_seed_makes_other_counts(edited: Edit) -> None:
    edited('files = ["text.txt"]', 'files = ["text.txt"]\norder_seed = "seed"')
    path = edited('sizes = ["1k", "2k", "4k"]', 'seeds = [1, 2]\nsizes = ["1k"]')
    assert names(path) == ["5-gram-1k-seed1", "5-gram-1k-seed2"]


def test_a_model_may_have_its_own_sizes_seeds_passes_and_limits(edited: Edit) -> None:
    pytest.importorskip("torch")
    path = edited(
        "[models.5-gram]",
        '[models.lstm]\nsizes = ["2k"]\nseeds = [3]\nepochs = { 2k = 0.5 }\nlimit = 1\n'
        'test_sentences = 7\nset = { "network.hidden" = 8 }',
    )
    sweep = read_sweep(path)
    (job,) = expand(sweep, hash_files(sweep))
    assert (job.name, job.epochs, job.limit, job.test_sentences) == ("lstm-2k-seed3", 0.5, 1, 7)
    assert job.recipe.to_dict()["network"]["hidden"] == 8
    assert job.recipe.to_dict()["training"]["epochs"] == 0.5
    assert job.recipe.to_dict()["training"]["tokens"] == ""


def test_a_job_is_known_by_the_text_and_not_by_its_place_or_the_threads(
    edited: Edit, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    path = edited("[models.5-gram]", "[models.lstm]\nepochs = 1")
    other = tmp_path / "elsewhere.txt"
    other.write_text((tmp_path / "text.txt").read_text())
    here, there = read_sweep(path), read_sweep(path, corpus=[other])
    jobs = expand(here, hash_files(here))
    moved = expand(there, hash_files(there), threads=2)
    assert [job.trained for job in jobs] == [job.trained for job in moved]
    other.write_text((tmp_path / "text.txt").read_text() + "One more line of text.\n")
    changed = expand(there, hash_files(there))
    assert {job.trained for job in jobs}.isdisjoint(job.trained for job in changed)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("sizes =", "size =", "did you mean sizes"),
        ("on =", "onn =", "did you mean on"),
        ("[models.5-gram]", "[models.5-gram]\nlimits = 3", "did you mean limit"),
        ("[models.5-gram]", "[models.lstmm]", "did you mean lstm"),
        ("[models.5-gram]", "[models.lstm]", "no epochs for lstm at 1k; write epochs = 6"),
        ("[models.5-gram]", "[models.lstm]\nepochs = { 1k = 2 }", "no epochs for lstm at 2k"),
        ("[models.5-gram]", "[models.rnng]\nepochs = 1", "trained on trees; parse the corpus"),
        ("[models.5-gram]", "", "no models; add a table such as [models.lstm]"),
        ('["1k", "2k", "4k"]', '["1q"]', "write 250000, 250k or 0.25M"),
        ('["1k", "2k", "4k"]', '"1k"', "see docs/curves.md"),
        ('files = ["text.txt"]', "", "name text files in [corpus] files, or `corpus=`"),
        ('files = ["text.txt"]', 'files = ["text.txt"]\norder_seed = "x"', 'a number, or "seed"'),
        ("test_sentences = 20", "test_sentences = -1", "from 0"),
        ("test_sentences = 20", 'tie = "coin"', "coin"),
        ("sizes = [", "sizes = [[", "not valid TOML"),
        (MODEL, f"{MODEL}\nlimit = -1", "models.5-gram.limit = -1; it takes a number from 0"),
        (
            MODEL,
            f"{MODEL}\ntest_sentences = -1",
            "models.5-gram.test_sentences = -1; it takes a number",
        ),
        (MODEL, f"{MODEL}\norder = 4", "[models.5-gram] is of order 5, not 4; delete order"),
        (
            MODEL,
            "[models.ngram]\norder = 9",
            "models.ngram.order = 9; it takes a number from 0 to 6",
        ),
        (MODEL, f"{MODEL}\nepochs = 3", "epochs of [models.5-gram] has no effect on n-gram models"),
        (
            MODEL,
            "[models.lstm]\nmin_count = 3",
            "min_count of [models.lstm] has no effect on lstm; del",
        ),
        (MODEL, f"{MODEL}\nmin_count = 0", "min_count = 0; it takes a number from 1"),
        (MODEL, f'{MODEL}\noptions = "beam=1,1,1"', "ngram: has no option 'beam'"),
        (MODEL, f'{MODEL}\noptions = "order=0"', "order must be a whole number from 1"),
        (MODEL, f'{MODEL}\noptions = "case=upper"', "case must be"),
        (MODEL, f'{MODEL}\noptions = "eos"', "must be name=value"),
        (MODEL, '[models.lstm]\noptions = "bos=yes"', "options of lstm: bos must be auto or none"),
        (MODEL, '[models.lstm]\noptions = "bos=none"', "give it test_sentences = 0"),
        (MODEL, '[models.gpt2]\noptions = "eos=yes"', "has no option 'eos'"),
        (
            f'files = ["text.txt"]\n\n{MODEL}',
            'files = ["text.txt"]\ntrees = ["trees.txt"]\n\n[models.rnng]\noptions = "beam=0,1,1"',
            "options of rnng: beam=0,1,1: a beam of 0 finds nothing",
        ),
        (MODEL, '[models."a/b"]\narchitecture = "5-gram"', "use letters, digits, - _ and ."),
        (MODEL, '[models."a b"]\narchitecture = "5-gram"', "use letters, digits, - _ and ."),
    ],
)
def test_a_mistake_is_one_line_with_a_remedy(edited: Edit, old: str, new: str, said: str) -> None:
    path = edited(old, new)
    with pytest.raises(PriscianError) as caught:
        read_sweep(path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["corpus.size", "training.tokens", "training.seed"])
def test_what_the_sweep_decides_cannot_be_set_beside_it(edited: Edit, key: str) -> None:
    pytest.importorskip("torch")
    path = edited("[models.5-gram]", f'[models.lstm]\nepochs = 1\nset = {{ "{key}" = "1M" }}')
    with pytest.raises(PriscianError, match=rf"{key} is decided by the sweep"):
        names(path)


def test_keys_of_a_recipe_need_no_quotation_marks(edited: Edit) -> None:
    plain = edited("[models.5-gram]", "[models.lstm]\nepochs = 1\nset = { network.hidden = 16 }")
    assert read_sweep(plain).models["lstm"].set == {"network.hidden": 16}


def test_a_model_of_another_precision_is_another_job(edited: Edit) -> None:
    pytest.importorskip("torch")
    old, found = "[models.5-gram]", []
    for key in ("network.layers = 4", 'machine.precision = "bfloat16"', "machine.threads = 2"):
        new = f"[models.gpt2]\nepochs = 1\nset = {{ {key} }}"
        sweep = read_sweep(edited(old, new))
        found.append(expand(sweep, hash_files(sweep))[0].trained)
        old = new
    assert found[0] == found[2] != found[1]  # tiny has four layers


def test_sizes_that_look_alike_are_told_apart(edited: Edit) -> None:
    path = edited('["1k", "2k", "4k"]', '["12345678k", "12345679k"]')
    assert names(path) == ["5-gram-12345678k-seed1", "5-gram-12345679k-seed1"]
    assert names(edited('["12345678k", "12345679k"]', '["1k", "0.001M"]')) == ["5-gram-1k-seed1"]


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_sweeps_need_only_a_corpus(name: str, text: Path) -> None:
    pytest.importorskip("torch")
    trees = [text.parent / "trees.txt"]
    found = names(Path(name), corpus=[text], trees=trees)
    assert len(found) == {"reference": 14, "tiny": 9}[name]


@pytest.mark.parametrize("name", SHIPPED)
def test_ties_count_half_as_guessing_does(name: str, counts: Path) -> None:
    trees = [counts.parent / "trees.txt"]
    assert read_sweep(name, corpus=[counts.parent / "text.txt"], trees=trees).scoring.tie == "half"
    assert read_sweep(counts).scoring.tie == "half"


def test_a_missing_sweep_names_the_shipped_ones(tmp_path: Path) -> None:
    with pytest.raises(PriscianError, match="give a TOML file or reference, tiny"):
        read_sweep(tmp_path / "none.toml")
