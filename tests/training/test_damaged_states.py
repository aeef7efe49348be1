"""A training whose kept files were damaged says so in one line, and nothing is taken from them."""

from __future__ import annotations

import random
import re
import resource
import shutil
from pathlib import Path
from typing import Any

import pytest

from priscian.errors import PriscianError, PriscianWarning, TrainingError, UsageError

torch = pytest.importorskip("torch")

from priscian.cli.app import run  # noqa: E402
from priscian.training import machine  # noqa: E402
from priscian.training.job import train  # noqa: E402

OPTIONS: dict[str, Any] = {
    "network.embedding": 8,
    "network.hidden": 8,
    "text.tokenizer": "ptb",
    "training.tokens": 400,
    "training.batch_tokens": 200,
    "checkpoints.at": "none",
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A corpus, and the folder of a small training on it."""
    folder = tmp_path_factory.mktemp("trained")
    draw = random.Random(1)
    words = ("cat", "dog", "river", "sees", "likes")
    lines = (" ".join(draw.choices(words, k=5)) for _ in range(300))
    (folder / "text.txt").write_text("".join(f"{line}.\n" for line in lines))
    out = folder / "model"
    train("lstm", out, corpus=[folder / "text.txt"], recipe="tiny", overrides=OPTIONS)
    return folder / "text.txt", out


def damaged(whole: bytes) -> list[bytes]:
    """Cut off, emptied, and with bits flipped here and there."""
    draw = random.Random(2)
    found = [b"", b"PK", whole[: len(whole) // 2], whole[:-40], b"\x80\x02." + whole]
    for _ in range(10):
        changed = bytearray(whole)
        for at in draw.sample(range(len(whole)), 50):
            changed[at] ^= draw.randrange(1, 256)
        found.append(bytes(changed))
    return found


@pytest.mark.parametrize("name", ["training/state.pt", "training/main.npz"])
def test_a_damaged_file_is_one_line_and_no_weight_is_taken_from_it(
    trained: tuple[Path, Path], name: str
) -> None:
    corpus, out = trained
    whole = (out / name).read_bytes()
    try:
        for data in damaged(whole):
            (out / name).write_bytes(data)
            with pytest.raises(PriscianError) as caught:
                train("lstm", out, corpus=[corpus], recipe="tiny", overrides=OPTIONS, resume=True)
            assert Path(name).name in str(caught.value)
            assert "\n" not in str(caught.value)
    finally:
        (out / name).write_bytes(whole)


def test_a_state_of_other_products_goes_on_with_a_warning(
    trained: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, whole = trained
    out = Path(shutil.copytree(whole, tmp_path / "model"))
    state = torch.load(out / "training" / "state.pt", weights_only=True)
    other = {"medium": "highest", "highest": "medium"}[state["products"]]
    monkeypatch.setattr(
        machine, "use_exact_products", lambda: torch.set_float32_matmul_precision(other)
    )
    with pytest.warns(PriscianWarning, match="goes on, with other last bits"):
        train("lstm", out, corpus=[corpus], recipe="tiny", overrides=OPTIONS, resume=True)


def test_a_network_too_large_for_memory_is_one_line(
    trained: tuple[Path, Path], tmp_path: Path
) -> None:
    corpus, _ = trained
    large = OPTIONS | {"network.embedding": 60_000, "network.hidden": 60_000}
    limit = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, limit[1]))
    try:
        with pytest.raises(TrainingError, match=r"out of memory; lower training\.batch_tokens"):
            train("lstm", tmp_path / "m", corpus=[corpus], recipe="tiny", overrides=large)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limit)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "[" * 100_000])
def test_a_damaged_note_of_what_was_prepared_is_one_line(
    trained: tuple[Path, Path], text: str
) -> None:
    corpus, out = trained
    path = out / "training" / "prepared.json"
    whole = path.read_bytes()
    try:
        path.write_text(text)
        with pytest.raises(PriscianError):
            train("lstm", out, corpus=[corpus], recipe="tiny", overrides=OPTIONS, resume=True)
    finally:
        path.write_bytes(whole)


DAMAGE = {
    "training/prepared.json": [
        (r'"dev": \{[^}]*\},', ""),
        (r'"words": \d+', '"words": "many"'),
        (r'"words": \d+', '"words": -1'),
        (r'"words": (\d+)', r'"words": 1\1'),
        ('"vocabulary"', '"network": 7, "vocabulary"'),
        (r'"vocabulary": \d+', f'"vocabulary": {"9" * 5000}'),
    ],
    "log.jsonl": [
        ("^", "\udcff\n"),
        ("^", "[1]\n"),
        ("^", "{}\n"),
        ('"tokens"', '"took"'),
        (r'"tokens": \d+', '"tokens": "x"'),
        (r'"tokens": \d+', '"tokens": 0'),
        (r'"loss": [\d.]+', '"loss": null, "dev_perplexity": -1'),
        (r'"loss": [\d.]+', f'"loss": {"9" * 5000}'),
    ],
    "recipe.toml": [
        (r"tokens = 400", f"tokens = {'9' * 5000}"),
        (r"tokens = 400", f'tokens = "{"9" * 5000}"'),
        (r"tokens = 400", "tokens = 1e999"),
        (r"seed = 1", f"seed = {'9' * 5000}"),
        ("^", "# \udcff\n"),
        (r"\[corpus\]", "[corpse]"),
        (r'"ptb"', "[[[]]]"),
        (r"tokens = 400", "tokens = 800"),
    ],
}


@pytest.mark.parametrize("own", [True, False], ids=["its recipe", "named"])
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [(name, *change) for name, changes in DAMAGE.items() for change in changes],
    ids=[f"{name} {n}" for name, changes in DAMAGE.items() for n in range(len(changes))],
)
def test_a_damaged_field_is_one_line_that_names_the_file(
    name: str, old: str, new: str, own: bool, trained: tuple[Path, Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    corpus, whole = trained
    out = Path(shutil.copytree(whole, tmp_path / "model"))
    text = (out / name).read_text()
    changed = re.sub(old, new, text, count=1)
    assert changed != text
    (out / name).write_text(changed, errors="surrogateescape")
    given = ["--corpus", str(corpus)] + [f"--set={key}={value!r}" for key, value in OPTIONS.items()]
    code = run(["train", "lstm", *([] if own else ["tiny", *given]), "--out", str(out),
                "--resume", "--quiet"])  # fmt: skip
    said = " ".join(capsys.readouterr().err.split())
    assert code in (1, 2), said
    assert "report" not in said
    assert Path(name).name in said or "other settings" in said or "the recipe of" in said
    weights = [(place / "model.safetensors").read_bytes() for place in (out, whole)]
    assert weights[0] == weights[1]


def test_a_line_that_a_kill_has_cut_off_is_dropped_from_the_log(
    trained: tuple[Path, Path], tmp_path: Path
) -> None:
    corpus, whole = trained
    out = Path(shutil.copytree(whole, tmp_path / "model"))
    before = (out / "log.jsonl").read_bytes()
    with (out / "log.jsonl").open("ab") as file:
        file.write(b'{"step": 9, "tok\xe2\x82')
    train("lstm", out, corpus=[corpus], recipe="tiny", overrides=OPTIONS, resume=True)
    assert (out / "log.jsonl").read_bytes() == before


def test_a_recipe_that_is_edited_while_a_training_is_stopped_is_noticed(
    trained: tuple[Path, Path], tmp_path: Path
) -> None:
    out = Path(shutil.copytree(trained[1], tmp_path / "model"))
    recipe = out / "recipe.toml"
    recipe.write_text(recipe.read_text().replace("tokens = 400", "tokens = 4000"))
    with pytest.raises(UsageError, match=r"the recipe of the training in .* has changed since"):
        train("lstm", out, resume=True)
