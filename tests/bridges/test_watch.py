"""Checkpoints are scored once, as they become complete; a broken one does not end the watch."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from priscian.bridges import watch as module
from priscian.bridges.watch import Event, LeftOut, Reported, Scored, Waiting, WatchOptions, watch
from priscian.cli.app import run as command
from priscian.errors import ModelError, RunError, UnknownNameError, UsageError
from priscian.models.hf.encoding import Tokenizer
from priscian.runs import ScoreOptions, load_run
from priscian.scoring import Options, ScoreStore

pytestmark = pytest.mark.filterwarnings("ignore:.*worse than guessing", "ignore:.*was not finished")
FAST = ScoreOptions(compute=Options(workers=1))
ONCE = WatchOptions(settle=0, once=True, page=False, score=FAST)


@pytest.fixture
def training(causal: Callable[..., Path], tmp_path: Path) -> Path:
    """A folder with two checkpoints; their weights are equal, which no test minds."""
    folder = tmp_path / "gpt2"
    for step in (1, 2):
        shutil.copytree(causal("gpt2"), folder / f"checkpoint-{step}")
    return folder


@pytest.fixture
def data(tmp_path: Path, texts: list[str]) -> str:
    """Two minimal pairs."""
    path = tmp_path / "pairs.tsv"
    path.write_text(f"good\tbad\n{texts[0]}\t{texts[1]}\n{texts[4]}\t{texts[5]}\n")
    return f"pairs:{path}"


def look(training: Path, data: str, out: Path, options: WatchOptions = ONCE) -> list[Event]:
    events: list[Event] = []
    watch(training, data, out, options, tell=events.append)
    return events


def scored(events: list[Event]) -> list[str]:
    return [event.name for event in events if isinstance(event, Scored)]


def test_every_checkpoint_is_scored_once_also_after_a_restart(
    training: Path, data: str, tmp_path: Path, causal: Callable[..., Path]
) -> None:
    out = tmp_path / "out"
    assert scored(look(training, data, out)) == ["checkpoint-1", "checkpoint-2"]
    assert load_run(out / "checkpoint-2").models == ("gpt2@checkpoint-2",)
    assert look(training, data, out) == []
    shutil.copytree(causal("gpt2"), training / "checkpoint-10")
    assert scored(look(training, data, out)) == ["checkpoint-10"]


def test_all_checkpoints_are_tokenized_once(
    training: Path, data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    calls: list[int] = []
    before = Tokenizer.encode

    def encode(self: Tokenizer, texts: list[object], bos: int | None) -> object:
        calls.append(len(texts))
        return before(self, texts, bos)  # type: ignore[arg-type]

    monkeypatch.setattr(Tokenizer, "encode", encode)
    (training / "checkpoint-2" / "config.json").write_text(
        (training / "checkpoint-1" / "config.json").read_text() + "\n"  # another key
    )
    look(training, data, tmp_path / "out")
    assert calls == [4]


def test_a_broken_checkpoint_is_named_and_the_others_are_scored(
    training: Path, data: str, tmp_path: Path
) -> None:
    (training / "checkpoint-1" / "tokenizer.json").write_text("{")
    first, second = look(training, data, tmp_path / "out")
    assert isinstance(first, LeftOut)
    assert first.name == "checkpoint-1"
    assert "tokenizer" in first.reason
    assert "\n" not in first.reason
    assert isinstance(second, Scored)


def test_a_broken_checkpoint_is_tried_again_only_when_its_files_change(
    training: Path, data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(training / "checkpoint-2")
    good = (training / "checkpoint-1" / "tokenizer.json").read_text()
    (training / "checkpoint-1" / "tokenizer.json").write_text("{")
    looks: list[int] = []

    def sleep(seconds: float) -> None:
        looks.append(1)
        if len(looks) == 2:
            (training / "checkpoint-1" / "tokenizer.json").write_text(good)
        if len(looks) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(module.time, "sleep", sleep)
    events: list[Event] = []
    options = WatchOptions(settle=0, page=False, score=FAST)
    with pytest.raises(KeyboardInterrupt):
        watch(training, data, tmp_path / "out", options, tell=events.append)
    kinds = [type(event) for event in events]
    assert kinds.count(LeftOut) == 1
    assert kinds.count(Scored) == 1
    assert kinds.count(Waiting) == 2  # said again only when something happened


def test_a_checkpoint_that_is_being_written_is_not_touched(
    training: Path, data: str, tmp_path: Path
) -> None:
    weights = training / "checkpoint-2" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    assert scored(look(training, data, tmp_path / "out")) == ["checkpoint-1"]
    assert not (tmp_path / "out" / "checkpoint-2").exists()


def test_a_scoring_that_was_stopped_is_continued(
    training: Path, data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, writes = ScoreStore.write, []

    def stop(self: ScoreStore, *given: object) -> None:
        before(self, *given)  # type: ignore[arg-type]
        writes.append(1)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ScoreStore, "write", stop)
        with pytest.raises(KeyboardInterrupt):
            look(training, data, tmp_path / "out")
    assert scored(look(training, data, tmp_path / "out")) == ["checkpoint-1", "checkpoint-2"]
    assert load_run(tmp_path / "out" / "checkpoint-1").finished


def test_other_settings_need_another_folder(training: Path, data: str, tmp_path: Path) -> None:
    look(training, data, tmp_path / "out")
    other = WatchOptions(settle=0, once=True, page=False, score=ScoreOptions(limit=1))
    with pytest.raises(RunError, match="other settings"):
        look(training, data, tmp_path / "out", other)


def test_a_checkpoint_with_new_weights_is_named(training: Path, data: str, tmp_path: Path) -> None:
    look(training, data, tmp_path / "out")
    config = training / "checkpoint-1" / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"note": "new"}))
    (event,) = look(training, data, tmp_path / "out")
    assert isinstance(event, LeftOut)
    assert "have changed" in event.reason


def test_the_report_shows_every_checkpoint(training: Path, data: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    events = look(training, data, out, WatchOptions(settle=0, once=True, score=FAST))
    assert any(isinstance(event, Reported) and not event.problem for event in events)
    page = (out / "report.html").read_text("utf-8")
    assert "checkpoint-1" in page
    assert "checkpoint-2" in page


def test_wrong_data_or_options_end_the_watch_at_once(training: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        watch(training, "nothing:x", tmp_path / "out", ONCE)
    with pytest.raises(UsageError):
        watch(training, "generated:1,1,wh_island", tmp_path / "out", WatchOptions(every=0))
    assert not (tmp_path / "out").exists()


def test_a_missing_folder_is_waited_for_unless_there_is_only_one_look(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError, match="no folder"):
        watch(tmp_path / "none", data, tmp_path / "out", ONCE)

    def stop(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module.time, "sleep", stop)
    events: list[Event] = []
    with pytest.raises(KeyboardInterrupt):
        watch(tmp_path / "none", data, tmp_path / "out", tell=events.append)
    assert events == [Waiting(tmp_path / "none", exists=False)]


class TestVerb:
    def test_lines_on_screen_and_exit_codes(
        self, training: Path, data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (training / "checkpoint-1" / "tokenizer.json").write_text("{")
        words = ["watch", str(training), "--on", data, "--out", str(tmp_path / "out")]
        assert command([*words, "--once", "--settle", "0", "--workers", "1"]) == 1
        said = capsys.readouterr()
        assert "checkpoint-2: pairs" in said.out
        assert "report.html is up to date" in said.out
        assert "checkpoint-1 left out: the tokenizer of" in said.err

    def test_ctrl_c_ends_the_watch_with_one_line(
        self,
        data: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        def stop(seconds: float) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(module.time, "sleep", stop)
        words = ["watch", str(tmp_path / "none"), "--on", data, "--out", str(tmp_path / "out")]
        assert command(words) == 130
        said = capsys.readouterr()
        assert "which does not exist yet" in said.out
        assert (
            said.err == "priscian: stopped; what was scored is kept: the same command continues\n"
        )


def test_checkpoints_whose_names_look_alike_have_runs_of_their_own(
    training: Path, data: str, tmp_path: Path
) -> None:
    (training / "checkpoint-1").rename(training / "step 1")
    (training / "checkpoint-2").rename(training / "step-1")
    found = look(training, data, tmp_path / "out")
    assert sorted(scored(found)) == ["step 1", "step-1"]
    assert len(list((tmp_path / "out").glob("*/run.json"))) == 2
    assert look(training, data, tmp_path / "out") == []


def test_options_and_odd_names_of_folders_are_kept(
    training: Path, data: str, tmp_path: Path
) -> None:
    odd = training.rename(tmp_path / "a@b 50%")
    shutil.rmtree(odd / "checkpoint-2")
    (scored,) = look(Path(f"{odd}?bos=none"), data, tmp_path / "out")
    assert isinstance(scored, Scored)
    assert scored.run.info.request.models[0].endswith("@checkpoint-1?bos=none")
