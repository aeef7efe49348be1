"""The loop: checkpoints are whole, patience ends for good, processes share a step fairly."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from priscian.cli.score import Running, name_specs
from priscian.errors import OutputError, RunError, TrainingError, UsageError
from priscian.files.folder import lock_file
from priscian.models import expand_revisions
from priscian.models.folder import trained_on_sentences
from priscian.models.safetensors_file import read_safetensors

torch = pytest.importorskip("torch")

from priscian.training import machine, save  # noqa: E402
from priscian.training.job import train  # noqa: E402
from priscian.training.loop import Moment  # noqa: E402
from priscian.training.machine import Machine  # noqa: E402
from priscian.training.recipe import MachinePart  # noqa: E402
from priscian.training.rows import Encoded, Packing, make_pass  # noqa: E402
from priscian.training.subsets import write_corpus  # noqa: E402

OPTIONS: dict[str, Any] = {
    "network.embedding": 8,
    "network.hidden": 8,
    "text.tokenizer": "ptb",
    "training.tokens": 3000,
    "training.batch_tokens": 200,
    "checkpoints.at": [500, 1500],
}


def start(corpus: Path, out: Path, *, resume: bool = False, **more: Any) -> dict[str, Any]:
    changes = {key.replace("__", "."): value for key, value in more.items()}
    return train(
        "lstm", out, corpus=[corpus], recipe="tiny", overrides={**OPTIONS, **changes}, resume=resume
    )


def bits(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("model.safetensors")}


@pytest.mark.parametrize("before", ["export", "card"])
def test_a_checkpoint_that_was_interrupted_is_made_again(
    before: str, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    start(corpus, whole)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    place, name = (save, "export") if before == "export" else (save.Log, "checkpoint")
    with monkeypatch.context() as patch:
        patch.setattr(place, name, full)
        with pytest.raises(OutputError, match=r"tokens-500: No space"):
            start(corpus, broken)
    assert not list(broken.glob("*tokens-*"))
    assert not list(broken.glob(".tokens-*"))
    start(corpus, broken, resume=True)
    assert bits(broken) == bits(whole)
    assert {"tokens-500/model.safetensors", "tokens-1500/model.safetensors"} < set(bits(whole))


def test_two_trainings_do_not_write_into_one_folder(corpus: Path, tmp_path: Path) -> None:
    lock = lock_file(tmp_path / "m" / "training" / "lock", "")
    with pytest.raises(RunError, match=r"another training is writing to .*give another `out=`"):
        start(corpus, tmp_path / "m")
    assert [p.name for p in (tmp_path / "m").rglob("*") if p.is_file()] == ["lock"]
    lock.release()
    start(corpus, tmp_path / "m")
    lock_file(tmp_path / "m" / "training" / "lock", "").release()  # free again


@pytest.mark.parametrize("passes", [1, 2])
def test_the_last_pass_is_looked_at_too(passes: int, corpus: Path, tmp_path: Path) -> None:
    sgd = {
        "training__optimiser": "sgd",
        "training__learning_rate": 1.0,
        "training__schedule": "anneal",
    }
    card = start(
        corpus,
        tmp_path / "m",
        training__tokens="",
        training__epochs=passes,
        **sgd,
    )
    state = torch.load(tmp_path / "m" / "training" / "state.pt", weights_only=True)
    looks = state["progress"]["dev"]
    assert card["passes"] == len(looks) == passes
    assert card["dev"]["nats_per_token"] == pytest.approx(min(looks), abs=1e-6)
    if passes == 2:
        assert looks[1] < looks[0]  # so that the weights are those of the second pass


def losses(out: Path) -> list[float]:
    lines = map(json.loads, (out / "log.jsonl").read_text().splitlines())
    return [line["loss"] for line in lines if "loss" in line]


def test_the_log_of_a_resumed_training_is_that_of_one_without_a_stop(
    corpus: Path, tmp_path: Path
) -> None:
    def stop(moment: Moment) -> None:
        if moment.tokens > 1000:
            raise KeyboardInterrupt

    whole, broken = tmp_path / "whole", tmp_path / "broken"
    start(corpus, whole)
    with pytest.raises(KeyboardInterrupt):
        train("lstm", broken, corpus=[corpus], recipe="tiny", overrides=OPTIONS, report=stop)
    start(corpus, broken, resume=True)
    assert len(losses(whole)) == 1  # fewer steps than there are between two lines
    assert losses(broken) == losses(whole)
    (points,) = re.findall(r'points="(.*?)"', (whole / "loss.svg").read_text())
    assert len(points.split()) == 2  # a line of one point could not be seen


def test_another_number_of_processes_is_refused_and_the_state_is_kept(
    corpus: Path, tmp_path: Path
) -> None:
    start(corpus, tmp_path / "m")
    path = tmp_path / "m" / "training" / "state.pt"
    state = torch.load(path, weights_only=True)
    torch.save(state | {"processes": state["processes"] * 2}, path)
    with pytest.raises(UsageError, match=r"started with 2 processes, not 1; go on with 2$"):
        start(corpus, tmp_path / "m", resume=True)


def test_nothing_is_resumed_where_there_is_nothing(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"m holds no training to resume; leave out `resume=True`"):
        start(corpus, tmp_path / "m", resume=True)
    assert not (tmp_path / "m").exists()


def test_a_file_is_refused_before_the_corpus_is_read(tmp_path: Path) -> None:
    (tmp_path / "m").write_text("mine")
    with pytest.raises(UsageError, match=r"m is a file; give `out=` a folder"):
        start(tmp_path / "missing.txt", tmp_path / "m")


def test_checkpoints_are_used_without_the_training_they_are_from(
    corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "m"
    start(corpus, out)
    copied = shutil.copytree(out / "tokens-500", tmp_path / "copy")
    assert trained_on_sentences(copied)
    start(corpus, tmp_path / "stream", text__pack="stream")
    assert not trained_on_sentences(tmp_path / "stream" / "tokens-500")
    for name in ("config.json", "model.safetensors", "card.json"):
        (out / name).unlink()  # a training that has not ended
    found = expand_revisions(*name_specs([str(out)], Running()), "tokens-*")
    assert [(s.provider, s.revision) for s in found] == [
        ("lstm", f"tokens-{n}") for n in (500, 1500, 3000)
    ]


def test_text_with_the_held_out_parts_is_not_mixed_in(corpus: Path, tmp_path: Path) -> None:
    write_corpus([corpus], ["1k"], tmp_path / "parts")
    part = tmp_path / "parts" / "train-1k.txt"
    with pytest.raises(UsageError, match=r"train-1k\.txt was cut from .*text\.txt; name only one"):
        start(part, tmp_path / "m", corpus__extra=[str(corpus)])
    with pytest.raises(UsageError, match=r"dev\.txt is the dev part"):
        start(part, tmp_path / "m", corpus__extra=[str(part.with_name("dev.txt"))])
    assert not (tmp_path / "m").exists()


def test_the_card_names_the_text_that_was_mixed_in(corpus: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.txt"
    more.write_text("A cat likes a dog.\n" * 30)
    card = start(corpus, tmp_path / "m", corpus__extra=[str(more)])
    sha = hashlib.sha256(more.read_bytes()).hexdigest()
    assert card["corpus"]["extra"] == {"files": [["more.txt", sha]], "sentences": 30, "words": 180}
    assert "extra" not in start(corpus, tmp_path / "n")["corpus"]


def test_patience_ends_a_training_for_good_with_its_best_weights(
    corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "m"
    patient = {
        "training__patience": 1,
        "training__tokens": 200_000,
        "training__learning_rate": 0.05,
    }
    card = start(corpus, out, **patient, checkpoints__at=[100_000])
    seen = card["tokens_seen"]
    assert seen < 200_000
    assert [p.name for p in out.glob("tokens-*")] == [f"tokens-{seen}"]
    state = torch.load(out / "training" / "state.pt", weights_only=True)
    assert card["dev"]["nats_per_token"] == pytest.approx(min(state["progress"]["dev"]), abs=1e-5)
    assert state["progress"]["dev"][-1] > min(state["progress"]["dev"])
    before, log = bits(out), (out / "log.jsonl").read_text()
    assert start(corpus, out, **patient, checkpoints__at=[100_000], resume=True) == card
    assert bits(out) == before
    assert (out / "log.jsonl").read_text() == log


def test_a_training_that_diverged_says_so(corpus: Path, tmp_path: Path) -> None:
    told = r"diverged|became .*rate 3000; lower training.learning_rate or training.grad_clip, and"
    with pytest.raises(TrainingError, match=told):
        start(
            corpus, tmp_path / "m", training__optimiser="sgd", training__learning_rate=3000.0,
            training__grad_clip=1e9, checkpoints__at="none",
        )  # fmt: skip


def test_extra_text_is_part_of_a_running_text() -> None:
    main = Encoded(np.tile([0, 1, 1, 0], 60).astype(np.int32), np.arange(61) * 4)
    extra = Encoded(np.array([0, 2, 0, 0, 3, 0], np.int32), np.array([0, 3, 6]))
    stream = Packing("stream", 40, 10, 0.25)
    batches = make_pass(main, extra, stream, 1, 0)
    read = np.concatenate([batches[n][:, 1:].ravel() for n in range(len(batches))])
    words = read[read > 0]
    assert set(words.tolist()) == {1, 2, 3}
    # a quarter of all tokens, boundaries included: 60 of 240, half of them words
    assert (words > 1).sum() == pytest.approx(30, abs=2)
    alone = make_pass(main, extra, Packing("stream", 40, 10, 0.0), 1, 0)
    assert alone[0].max() == 1


@pytest.mark.parametrize(("world", "count"), [(1, 3), (2, 4), (2, 3), (4, 2), (3, 1)])
@pytest.mark.parametrize("by_columns", [False, True])
def test_the_shares_of_all_processes_are_the_mean_of_one(
    world: int, count: int, by_columns: bool
) -> None:
    batches = [np.full((5, 3), n, np.int64) + np.arange(5)[:, None] * 10 for n in range(count)]
    one = Machine(MachinePart(threads=1, device="cpu"), 1, by_columns=by_columns)
    total = 0.0
    one.world = world
    for rank in range(world):
        one.rank = rank
        shares = one.share(batches)
        assert shares
        total += sum(float(rows.mean()) * weight for rows, weight in shares) / world
    assert total == pytest.approx(np.mean([b.mean() for b in batches]))


def test_bfloat16_is_tried_before_it_can_end_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    part = MachinePart(threads=1, device="cpu", precision="bfloat16")
    asked = []
    monkeypatch.setattr(machine, "find_problem", lambda dtype: asked.append(dtype) or "SIGILL")
    with pytest.raises(UsageError, match=r"bfloat16 does not work on this CPU \(SIGILL\)"):
        Machine(part, 1)
    Machine(MachinePart(threads=1, device="cpu"), 1)
    assert asked == ["bfloat16"]


def launch(processes: int, *command: str, code: int = 0) -> str:
    """Run a command in several processes; what they write to standard error."""
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]  # a free port
    done = subprocess.run(
        [*torchrun, "--nproc-per-node", str(processes), *command],
        capture_output=True, text=True, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return done.stderr


THREADS = """
import json, sys
from pathlib import Path
from priscian.training.job import train
corpus, out, options = sys.argv[1:]
train("lstm", out, corpus=[corpus], recipe="tiny", overrides=json.loads(options))
names = [path.read_text().strip() for path in Path("/proc/self/task").glob("*/comm")]
sys.exit(any("gloo" in name for name in names))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="names of threads are in /proc")
def test_processes_part_before_python_ends(corpus: Path, tmp_path: Path) -> None:
    # A thread of gloo that frees a tensor while Python ends aborts: once in some hundred starts.
    options = {**OPTIONS, "training.grad_accumulation": 2}
    script = tmp_path / "threads.py"
    script.write_text(THREADS)
    launch(2, str(script), str(corpus), str(tmp_path / "m"), json.dumps(options))
    assert (tmp_path / "m" / "card.json").is_file()


def test_what_one_process_refuses_is_no_defect_of_the_others(tmp_path: Path) -> None:
    command = ["-m", "priscian", "train", "lstm", "tiny", "--set", "training.grad_accumulation=2"]
    missing, out = str(tmp_path / "missing.txt"), str(tmp_path / "m")
    told = launch(2, *command, "--corpus", missing, "--out", out, code=1)
    assert "missing.txt" in told
    assert "please report it" not in told
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("pack", "accumulate", "processes"),
    [
        ("sentence", 4, 2),
        pytest.param("stream", 1, 2, marks=pytest.mark.slow),
        pytest.param("stream", 3, 2, marks=pytest.mark.slow),
    ],
)
def test_processes_equal_one(
    pack: str, accumulate: int, processes: int, corpus: Path, tmp_path: Path
) -> None:
    options = {
        **OPTIONS, "text.pack": pack, "training.grad_accumulation": accumulate,
        "training.stream_length": 10, "checkpoints.at": "none", "training.tokens": 6000,
        "network.dropout": 0.0,
    }  # fmt: skip
    alone = {**options, "machine.device": "cpu"}
    train("lstm", tmp_path / "one", corpus=[corpus], recipe="tiny", overrides=alone)
    command = ["-m", "priscian", "train", "lstm", "tiny", "--corpus", str(corpus)]
    for key, value in options.items():
        command += ["--set", f"{key}={json.dumps(value)}"]
    launch(processes, *command, "--out", str(tmp_path / "two"), "--quiet")
    one, two = (read_safetensors(tmp_path / n / "model.safetensors") for n in ("one", "two"))
    for name, value in one.items():
        np.testing.assert_allclose(two[name], value, rtol=0, atol=1e-6)
