"""What can go wrong with a training: one line each with a remedy, and nothing good is lost."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from priscian.errors import DataError, ModelError, OutputError, PriscianError, TrainingError

torch = pytest.importorskip("torch")

from priscian.cli.app import run  # noqa: E402
from priscian.training.job import train  # noqa: E402
from priscian.training.loop import Loop  # noqa: E402

OPTIONS: dict[str, Any] = {
    "network.embedding": 8,
    "network.hidden": 8,
    "text.tokenizer": "ptb",
    "training.tokens": 3000,
    "training.batch_tokens": 200,
    "checkpoints.at": [1000],
}


def start(corpus: Path, out: Path, **more: Any) -> dict[str, Any]:
    report = more.pop("report", lambda moment: None)
    resume = more.pop("resume", False)
    changes = {key.replace("__", "."): value for key, value in more.items()}
    return train(
        "lstm", out, corpus=[corpus], recipe="tiny", overrides={**OPTIONS, **changes},
        report=report, resume=resume,
    )  # fmt: skip


def command(*given: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and the one line of `priscian train lstm tiny …`."""
    code = run(["train", "lstm", "tiny", *map(str, given), "--quiet"])
    said = capsys.readouterr().err.strip()
    return code, " ".join(said.split())


class TestCorpora:
    def test_a_corpus_shorter_than_the_size(
        self, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        given = ("--corpus", corpus, "--size", "1M", "--out", tmp_path / "m")
        code, said = command(*given, capsys=capsys)
        assert code == 1
        assert "tokens without dev and test, fewer than the 1,000,000 asked for; add text" in said
        assert not (tmp_path / "m" / "model.safetensors").exists()

    def test_a_file_that_is_not_utf8_is_named_with_its_line(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "latin.txt"
        path.write_bytes(b"A line.\n" * 41 + "Ein schöner Satz.\n".encode("latin1"))
        code, said = command("--corpus", path, "--out", tmp_path / "m", capsys=capsys)
        assert code == 1
        assert f"{path}:42: not valid UTF-8 (byte 0xf6); convert it" in said

    def test_a_corpus_with_no_room_for_a_dev_part(self, tmp_path: Path) -> None:
        path = tmp_path / "short.txt"
        path.write_text("One line.\n" * 5)
        with pytest.raises(DataError, match="5 paragraphs are too few to hold out dev and test"):
            start(path, tmp_path / "m")

    def test_a_dev_part_without_a_word(
        self, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from priscian.training import prepare
        from priscian.training.subsets import Corpus, read_corpus

        def read(files: Any, **given: Any) -> Corpus:
            found = read_corpus(files, **given)
            return replace(found, dev=(" ",))

        monkeypatch.setattr(prepare, "read_corpus", read)
        with pytest.raises(DataError, match=r"the dev part is empty: .* add text"):
            start(corpus, tmp_path / "m")


class TestRecipes:
    def test_a_recipe_for_another_architecture(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = tmp_path / "r.toml"
        file.write_text('architecture = "gpt2"\n[training]\ntokens = "1M"\n')
        code = run(["train", "lstm", str(file), "--corpus", "x.txt", "--out", str(tmp_path / "m")])
        assert code == 2
        assert "is a recipe for gpt2; run priscian train gpt2" in capsys.readouterr().err

    def test_a_folder_with_another_recipe(
        self, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "m"
        start(corpus, out, training__tokens=400, checkpoints__at="none")
        before = (out / "model.safetensors").read_bytes()
        for more in ((), ("--resume",)):
            code, said = command("--corpus", corpus, "--out", out, *more, capsys=capsys)
            assert code == 2
            assert "holds a training with other settings (network." in said
        assert (out / "model.safetensors").read_bytes() == before


def test_without_torch_it_says_how_to_install_it(corpus: Path, tmp_path: Path) -> None:
    script = (
        "import sys; sys.modules['torch'] = None\n"
        "from priscian.cli import main\n"
        "main(sys.argv[1:])\n"
    )
    given = ["train", "gpt2", "--corpus", str(corpus), "--out", str(tmp_path / "m")]
    done = subprocess.run(
        [sys.executable, "-c", script, *given],
        capture_output=True, text=True, check=False, env=os.environ,
    )  # fmt: skip
    assert done.returncode == 1
    assert "training needs PyTorch: pip install" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def files(folder: Path) -> dict[str, bytes]:
    """Everything that a training could go on from."""
    found = [folder / "training" / "state.pt", *sorted(folder.glob("tokens-*/*"))]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_a_full_disk_leaves_the_last_good_checkpoint_and_the_training_goes_on(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    start(corpus, whole)
    monkeypatch.setattr("priscian.training.loop.SAVE_EVERY", 0.0)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    kept: dict[str, bytes] = {}

    def report(moment: Any) -> None:
        if moment.tokens > 1500 and not kept:
            kept.update(files(broken))
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))  # the state is larger

    try:
        with pytest.raises(OutputError, match=r"cannot write .*state\.pt.*free some space"):
            start(corpus, broken, report=report)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "tokens-1000/model.safetensors" in kept
    assert files(broken) == kept
    assert not [path for path in broken.rglob(".*") if path.is_file()]
    start(corpus, broken, resume=True)
    assert (broken / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


@pytest.mark.parametrize("what", ["loss", "gradient"])
def test_what_is_no_number_stops_at_its_step_and_the_last_checkpoint_stays(
    what: str, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "m"
    monkeypatch.setattr("priscian.training.loop.SAVE_EVERY", 0.0)
    kept: dict[str, bytes] = {}
    step = Loop._step
    clip = torch.nn.utils.clip_grad_norm_

    def damaged(self: Loop, batches: Any, rate: float) -> float:
        if self.progress.tokens > 1500:
            kept.update(files(out))
            if what == "loss":
                with torch.no_grad():
                    self.network.words.tables[0].fill_(float("nan"))
            else:
                monkeypatch.setattr(
                    torch.nn.utils, "clip_grad_norm_", lambda *args: clip(*args) * float("inf")
                )
        return step(self, batches, rate)

    monkeypatch.setattr(Loop, "_step", damaged)
    with pytest.raises(TrainingError, match=rf"the {what} became (nan|inf) at step \d+ with rate"):
        start(corpus, out)
    assert "tokens-1000/model.safetensors" in kept
    assert files(out) == kept
    state = torch.load(out / "training" / "state.pt", weights_only=True)
    assert all(torch.isfinite(value).all() for value in state["network"].values())


def test_all_of_these_are_errors_of_one_tree() -> None:
    for kind in (DataError, ModelError, OutputError, TrainingError):
        assert issubclass(kind, PriscianError)
