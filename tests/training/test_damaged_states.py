"""A training whose kept files were damaged says so in one line, and nothing is taken from them."""

from __future__ import annotations

import random
import resource
from pathlib import Path
from typing import Any

import pytest

from priscian.errors import PriscianError, PriscianWarning, TrainingError

torch = pytest.importorskip("torch")

from priscian.training import machine  # noqa: E402
from priscian.training.api import train  # noqa: E402

OPTIONS: dict[str, Any] = {
    "network.embedding": 8,
    "network.hidden": 8,
    "text.words": "ptb",
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
    trained: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, out = trained
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
