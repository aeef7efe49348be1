"""Keys of recipes and sweeps had other names up to version 0.2; what was made with them goes on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from priscian.errors import PriscianError, PriscianWarning

pytest.importorskip("torch")

from priscian.sweeps.jobs import expand
from priscian.sweeps.sweep import read_sweep
from priscian.training.job import resolve_recipe, train
from priscian.training.loop import Moment
from priscian.training.prepare import _decided_by
from priscian.training.recipe import RENAMED, digest_of, write_recipe

FILES = {"corpus.files": ["x.txt"]}
SMALL = {
    "network.embedding": 8, "network.hidden": 8, "training.tokens": 1500,
    "training.batch_tokens": 200, "checkpoints.at": "none",
}  # fmt: skip


def in_old_words(text: str) -> str:
    """A recipe as version 0.2 has written it."""
    for names in RENAMED.values():
        for old, new in names.items():
            text = re.sub(rf"(?m)^{new} =", f"{old} =", text)
    return text


def test_old_keys_of_a_file_and_of_overrides_give_the_same_recipe(tmp_path: Path) -> None:
    new = {"training.learning_rate": 0.5, "training.epochs": 2, "training.tokens": "",
           "text.max_length": 9}  # fmt: skip
    old = {"training.rate": 0.5, "training.passes": 2, "training.tokens": "", "text.longest": 9}
    wanted = resolve_recipe("lstm", "tiny", FILES | new)
    with pytest.warns(PriscianWarning, match=r"overrides: \w+\.\w+ is now called \w+\."):
        assert resolve_recipe("lstm", "tiny", FILES | old) == wanted
    file = tmp_path / "mine.toml"
    file.write_text(in_old_words(write_recipe(wanted)))
    assert "longest = 9" in file.read_text()
    with pytest.warns(PriscianWarning, match=r"mine\.toml: \w+\.\w+ is now called \w+\.\w+$"):
        assert resolve_recipe("lstm", file) == wanted


def test_an_old_key_beside_its_new_name_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "r.toml"
    file.write_text('architecture = "lstm"\n[training]\nrate = 1\nlearning_rate = 1\n')
    with pytest.raises(PriscianError, match=r"training\.rate is the old name of .*delete one"):
        resolve_recipe("lstm", file, FILES)


@pytest.mark.parametrize(
    ("architecture", "whole", "text"),
    [
        ("lstm", "ab717a67dde7eb4c", "95ee1dd1cbf08c19"),
        ("gpt2", "15dec24defe21e24", "cb210f2fedb026ba"),
        ("rnng", "2defd12896261f43", "4841e56d160a29ba"),
    ],
)
def test_the_hashes_in_folders_of_version_02_still_hold(
    architecture: str, whole: str, text: str
) -> None:
    recipe = resolve_recipe(architecture, "tiny", FILES)
    assert (digest_of(recipe)[:16], _decided_by(recipe)[:16]) == (whole, text)


def test_a_training_of_version_02_is_resumed_without_a_warning(
    corpus: Path, tmp_path: Path
) -> None:
    def stop(moment: Moment) -> None:
        if moment.tokens > 700:
            raise KeyboardInterrupt

    whole, old = tmp_path / "whole", tmp_path / "old"
    train("lstm", whole, corpus=[corpus], recipe="tiny", overrides=SMALL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("priscian.training.loop.SAVE_EVERY", 0.0)
        with pytest.raises(KeyboardInterrupt):
            train("lstm", old, corpus=[corpus], recipe="tiny", overrides=SMALL, report=stop)
    saved = old / "recipe.toml"
    saved.write_text(in_old_words(saved.read_text()))
    before = saved.read_text()
    assert "rate = " in before
    train("lstm", old, resume=True)
    assert saved.read_text() == before
    weights = [folder / "model.safetensors" for folder in (whole, old)]
    assert weights[0].read_bytes() == weights[1].read_bytes()


def test_a_sweep_of_version_02_has_the_same_jobs(tmp_path: Path) -> None:
    text = "A b.\n" * 5
    (tmp_path / "text.txt").write_text(text)
    file = tmp_path / "sweep.toml"
    for epochs, max_length in (("passes", "longest"), ("epochs", "max_length")):
        file.write_text(
            f'sizes = ["1k"]\n{epochs} = 2\n[corpus]\nfiles = ["text.txt"]\n[models.lstm]\n'
            f'set = {{ "network.hidden" = 8 }}\n[models.gpt2]\n{epochs} = 2\n[models.5-gram]\n'
            f"[scoring]\n{max_length} = 30\n"
        )
        if epochs == "passes":
            with pytest.warns(PriscianWarning) as told:
                sweep = read_sweep(file)
            assert [str(warning.message).partition(": ")[2] for warning in told] == [
                "passes is now called epochs",
                "scoring.longest is now called scoring.max_length",
                "models.gpt2.passes is now called models.gpt2.epochs",
            ]
        else:
            sweep = read_sweep(file)
        jobs = expand(sweep, dict.fromkeys(sweep.corpus.files, "00ff"))
        assert [job.trained[:12] for job in jobs] == [
            "486a896da1b5", "780913b6ce64", "0ed157b8d97d",
        ]  # fmt: skip
        assert sweep.scoring.max_length == 30
