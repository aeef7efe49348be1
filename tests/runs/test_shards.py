"""Shards: the run made of them equals that of one process bit for bit; nothing wrong is merged."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars
import pytest

import priscian
from priscian.errors import PriscianWarning, RunError, StoreError, UsageError
from priscian.files import cache
from priscian.runs.shards import read_shard
from priscian.scoring import Options, ScoreStore, Shard
from priscian.scoring.store import scores as store_scores

DATA = "generated:7,6,wh_island,passive_1,adjunct_island"
Row = tuple[Any, ...]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch, loaded_once: None) -> None:
    """Seven texts in a batch, so that there is something to divide."""
    monkeypatch.setattr("priscian.scoring.plan.SIMPLE_BATCH", 7)


def rows_of(path: Path) -> list[Row]:
    """Every row of a store: model, text, channel, offsets and values, as bytes."""
    with sqlite3.connect(path) as db:
        found = db.execute(
            "SELECT key, hash, channel, offsets.data, scores.data FROM scores "
            "JOIN models ON models.id = model JOIN texts ON texts.id = scores.text "
            "JOIN offsets ON offsets.text = scores.text AND number = scores.offsets "
            "ORDER BY key, hash, channel"
        ).fetchall()
    db.close()
    return found


def frames(run: Path) -> list[polars.DataFrame]:
    return [polars.read_parquet(file) for file in sorted(run.glob("*/*/*.parquet"))]


def make(run: Path, shards: Sequence[int], count: int, models: Any = "builtin:ngram",
         **options: Any) -> None:  # fmt: skip
    for number in shards:
        part = priscian.score(models, DATA, out=run, shard=(number, count), **options)
        assert part.info.status == "finished"
        assert len(part) == 0


def merged(run: Path, store: Path) -> priscian.Run:
    with ScoreStore(store) as kept:
        return priscian.merge(run, store=kept)


def alone(run: Path, store: Path, models: Any, **options: Any) -> priscian.Run:
    with ScoreStore(store) as kept:
        return priscian.score(models, DATA, out=run, store=kept, **options)


def check_equal(
    tmp_path: Path, orders: Sequence[Sequence[int]], models: Any, **options: Any
) -> None:
    """Shards in each of the orders give the rows, the tables and the summaries of one process."""
    one = alone(tmp_path / "one", tmp_path / "one.sqlite", models, **options)
    wanted = rows_of(tmp_path / "one.sqlite")
    assert wanted
    for number, order in enumerate(orders):
        run, store = tmp_path / f"run{number}", tmp_path / f"{number}.sqlite"
        make(run, order, len(order), models, **options)
        again = merged(run, store)
        assert rows_of(store) == wanted
        assert [r.summary for r in again] == [r.summary for r in one]
        for ours, theirs in zip(frames(run), frames(tmp_path / "one"), strict=True):
            assert ours.equals(theirs)
        told = json.loads((run / "run.json").read_text())
        assert told["status"] == "finished"
        assert list(told["models"]) == list(one.info.models)
        for name, facts in one.info.models.items():
            assert told["models"][name]["computed"] == facts.computed
            assert told["models"][name]["plan"] == facts.plan


ORDERS = ((1,), (2, 3, 1), (8, 1, 3, 2, 7, 5, 6, 4))


class TestBits:
    @pytest.mark.parametrize("model", ["builtin:ngram", "builtin:lstm"])
    def test_1_3_and_8_shards_in_any_order_equal_one_process(
        self, model: str, tmp_path: Path
    ) -> None:
        check_equal(tmp_path, ORDERS, model)

    @pytest.mark.filterwarnings("ignore:.*mean surprisal")  # the weights are random
    def test_shards_of_a_transformer_equal_one_process(
        self, causal: Callable[..., Path], tmp_path: Path
    ) -> None:
        how = Options(batch_tokens=64)
        check_equal(tmp_path, [(3, 1, 2)], f"hf:{causal('gpt2')}?name=tiny", compute=how)

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore:.*mean surprisal")
    @pytest.mark.parametrize("kind", ["gpt2", "llama", "mistral"])
    def test_1_3_and_8_shards_of_a_transformer_equal_one_process(
        self, kind: str, causal: Callable[..., Path], masked: Callable[..., Path], tmp_path: Path
    ) -> None:
        models = [f"hf:{causal(kind)}?name=tiny", f"mlm:{masked()}?name=bert"]
        check_equal(tmp_path, ORDERS, models, compute=Options(batch_tokens=64))

    def test_with_as_many_models_as_shards_each_model_is_scored_by_one(
        self, tmp_path: Path
    ) -> None:
        models = ["builtin:ngram", "builtin:lstm", "builtin:ngram?order=2"]
        check_equal(tmp_path, [(2, 1), (1, 3, 2)], models)
        assert list(read_shard(tmp_path / "run1/shards/2-of-3.json").models) == ["builtin:lstm"]

    def test_a_measure_with_unigrams_and_options_survive_the_merge(self, tmp_path: Path) -> None:
        check_equal(tmp_path, [(2, 1)], "builtin:lstm", measure="slor", tie="half", limit=4, seed=3)


class TestResume:
    def test_a_shard_that_was_stopped_continues_with_the_same_command(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write, left = ScoreStore.write, [1]

        def stop(self: ScoreStore, *arguments: Any) -> None:
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
            write(self, *arguments)

        run = tmp_path / "run"
        monkeypatch.setattr(ScoreStore, "write", stop)
        with pytest.raises(KeyboardInterrupt):
            make(run, [1], 2)
        monkeypatch.setattr(ScoreStore, "write", write)
        file = run / "shards/1-of-2.json"
        assert read_shard(file).status == "running"
        assert len(rows_of(file.with_suffix(".sqlite"))) == 7
        make(run, [2], 2)
        with pytest.raises(RunError, match=r"shard 1/2 failed \(it was interrupted.*; run: prisc"):
            merged(run, tmp_path / "s.sqlite")
        make(run, [1], 2)
        assert read_shard(file).models["builtin:ngram"].computed == 21 - 7  # the rest only
        merged(run, tmp_path / "s.sqlite")
        alone(tmp_path / "one", tmp_path / "one.sqlite", "builtin:ngram")
        assert rows_of(tmp_path / "s.sqlite") == rows_of(tmp_path / "one.sqlite")

    def test_a_finished_shard_is_not_computed_again(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        make(run, [1], 2)
        before = (run / "shards/1-of-2.sqlite").stat().st_mtime_ns
        make(run, [1], 2)
        assert (run / "shards/1-of-2.sqlite").stat().st_mtime_ns == before

    def test_a_merge_can_be_repeated(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        make(run, [1, 2], 2)
        one, two = merged(run, tmp_path / "a.sqlite"), merged(run, tmp_path / "b.sqlite")
        assert [r.summary for r in one] == [r.summary for r in two]
        assert two.info.models["builtin:ngram"].computed == 36


class TestRefusals:
    def test_a_missing_shard_is_named_with_its_command(self, tmp_path: Path) -> None:
        run = tmp_path / "a run"
        compute = Options(batch_tokens=64, threads=1)
        make(run, [1, 3], 3, limit=4, tie="half", keep_weights="none", compute=compute)
        line = (
            f"{run}: shard 2/3 is missing; run: priscian score builtin:ngram --on {DATA} --limit 4 "
            f"--tie half --batch-tokens 64 --threads 1 --keep-weights none --shard 2/3 "
            f"--out '{run}'"
        )
        with pytest.raises(RunError) as caught:
            priscian.merge(run)
        assert str(caught.value) == line
        assert not (run / "run.json").exists()

    def test_of_many_missing_shards_one_line_names_the_spans(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        for number in (2, 500_000):
            priscian.score("builtin:ngram", DATA, out=run, shard=(number, 999_999))
        with pytest.raises(RunError) as caught:
            priscian.merge(run)
        line = (
            f"{run}: shards 1,3-499999,500001-999999 of 999999 are missing; run: priscian score "
            f"builtin:ngram --on {DATA} --shard 1/999999 --out {run}, and likewise 999,996 others"
        )
        assert str(caught.value) == line

    def test_the_command_for_a_missing_shard_makes_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import shlex

        from priscian.cli import run as cli

        monkeypatch.chdir(tmp_path)
        Path("p.csv").write_text("fine,odd\nGo now.,Now the go.\nShe ran.,Ran she.\n")
        here = Path("run")
        options: dict[str, Any] = {"good": "fine", "bad": "odd", "measure": "slor"}
        priscian.score("builtin:ngram", "pairs:p.csv", out=here, shard="1/2", **options)
        with pytest.raises(RunError) as caught:
            priscian.merge(here)
        command = str(caught.value).partition("; run: priscian ")[2]
        assert cli(shlex.split(command)) == 0
        assert priscian.merge(here).finished

    def test_a_folder_that_cannot_be_written_is_one_line_with_the_way_out(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = tmp_path / "run"
        make(run, [1, 2], 2)
        monkeypatch.setattr("priscian.runs.merging.os.access", lambda path, mode: path != run)
        with pytest.raises(RunError, match="copy the folder to a place where you may write, and"):
            priscian.merge(run)
        assert not (run / "run.json").exists()

    def test_shards_that_cannot_be_written_are_merged_and_not_touched(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = tmp_path / "run"
        make(run, [1, 2], 2)
        before = {p: p.stat().st_mtime_ns for p in (run / "shards").iterdir()}
        monkeypatch.setattr(
            "priscian.scoring.store.scores.may_write", lambda path: path.parent.name != "shards"
        )
        assert priscian.merge(run).finished
        assert {p: p.stat().st_mtime_ns for p in (run / "shards").iterdir()} == before

    def test_a_copied_shard_is_named(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        make(run, [1], 2)
        for tail in ("json", "sqlite"):
            shutil.copy(run / f"shards/1-of-2.{tail}", run / f"shards/2-of-2.{tail}")
        with pytest.raises(
            RunError,
            match=r"2-of-2.json is a copy of shard 1/2; delete it and .*"
            r"shard 2/2 is missing; run: priscian .* --shard 2/2",
        ):
            priscian.merge(run)

    def test_a_text_in_two_shards_is_refused(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        make(run, [1, 2], 2)
        shutil.copy(run / "shards/1-of-2.sqlite", run / "shards/2-of-2.sqlite")
        with pytest.raises(RunError, match=r"shards 1/2 and 2/2 both have scores of '.*run: prisc"):
            priscian.merge(run)

    def test_shards_of_two_divisions_are_refused(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        make(run, [1], 2)
        make(run, [1, 2, 3], 3)
        with pytest.raises(RunError, match=r"with 2 and with 3 shards; delete .*/\*-of-2"):
            priscian.merge(run)

    def test_a_shard_whose_scores_are_gone_is_named_and_can_be_made_again(
        self, tmp_path: Path
    ) -> None:
        run = tmp_path / "run"
        make(run, [1, 2], 2)
        (run / "shards/2-of-2.sqlite").unlink()
        with pytest.raises(RunError, match=r"shard 2/2 has lost its store 2-of-2.sqlite; run: "):
            priscian.merge(run)
        make(run, [2], 2)
        with sqlite3.connect(run / "shards/2-of-2.sqlite") as db:
            db.execute("DELETE FROM scores WHERE text = 1")
        db.close()
        with pytest.raises(RunError, match=r"shard 2/2 has scores of 14 texts where it comp"):
            priscian.merge(run)

    def test_other_settings_and_changed_data_are_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        data = tmp_path / "p.csv"
        data.write_text("good,bad\nGo now.,Now the go.\n")
        priscian.score("builtin:ngram", "pairs:p.csv", out="run", shard=(1, 1))
        with pytest.raises(RunError, match=r"1-of-1.json was made with other settings \(tie\)"):
            priscian.score("builtin:ngram", "pairs:p.csv", out="run", shard=(1, 1), tie="half")
        data.write_text("good,bad\nGo then.,Now the go.\n")
        with pytest.raises(RunError, match=r"run: data changed since the shards were made"):
            priscian.merge("run")
        data.unlink()
        monkeypatch.chdir(tmp_path.parent)
        with pytest.raises(RunError, match=rf"the shards were made in {tmp_path}: merge them ther"):
            priscian.merge(tmp_path / "run")

    def test_plans_that_differ_do_not_belong_together(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        make(run, [1, 2], 2)
        file = run / "shards/2-of-2.json"
        for field, name in (("digest", "plan"), ("inputs", "plan")):
            told = json.loads(file.read_text())
            told["models"]["builtin:ngram"]["plan"][field] = "0123"
            file.write_text(json.dumps(told))
            with pytest.raises(RunError, match=rf"1/2 and 2/2 do not.*{name} of builtin:ngram; de"):
                priscian.merge(run)

    def test_machines_that_differ_are_said(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        make(run, [1, 2], 2)
        file = run / "shards/2-of-2.json"
        told = json.loads(file.read_text())
        told["models"]["builtin:ngram"]["notes"]["machines"] = "abacus, 1 thread"
        file.write_text(json.dumps(told))
        with pytest.warns(PriscianWarning, match=r"on machines that differ \(.*abacus, 1 thread"):
            priscian.merge(run)

    def test_a_folder_with_shards_takes_no_other_run(self, tmp_path: Path) -> None:
        make(tmp_path / "run", [1], 2)
        with pytest.raises(RunError, match=r"has shards of a run; make the run .* priscian merge"):
            priscian.score("builtin:ngram", DATA, out=tmp_path / "run")
        priscian.score("builtin:ngram", DATA, out=tmp_path / "other")
        with pytest.raises(RunError, match="is a run already"):
            make(tmp_path / "other", [1], 2)

    def test_two_processes_cannot_compute_one_shard(self, tmp_path: Path) -> None:
        from priscian.files.folder import lock_file

        make(tmp_path / "run", [1], 2)
        lock = lock_file(tmp_path / "run/shards/.1-of-2.lock", "")
        with pytest.raises(RunError, match="another process is computing shard 1/2"):
            make(tmp_path / "run", [1], 2)
        lock.release()

    @pytest.mark.parametrize("given", ["0/3", "4/3", "3", "a/b", (1, 2, 3), "1/0"])
    def test_a_shard_that_cannot_be_is_refused(self, given: Any, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="shard"):
            priscian.score("builtin:ngram", DATA, out=tmp_path / "run", shard=given)
        assert not (tmp_path / "run").exists()

    def test_a_model_object_and_a_missing_folder_are_refused(self, tmp_path: Path) -> None:
        class Mine:
            version = "1"

            def score(self, texts: Any) -> Any:
                raise AssertionError

        with pytest.raises(UsageError, match="object of this process, which other shards cannot"):
            priscian.score(Mine(), DATA, out=tmp_path / "run", shard=(1, 2))
        with pytest.raises(UsageError, match=r"a shard needs `out=RUN`"):
            priscian.score("builtin:ngram", DATA, shard=(1, 2))
        with pytest.raises(RunError, match="not a folder"):
            priscian.merge(tmp_path / "nowhere")
        with pytest.raises(RunError, match="has no shards"):
            priscian.merge(tmp_path)


class TestNetworkDisks:
    @pytest.fixture
    def network(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A folder that counts as Lustre."""
        table = tmp_path / "mountinfo"
        folder = tmp_path / "net"
        folder.mkdir()
        table.write_text(f"22 1 8:1 / / rw - ext4 x rw\n30 22 0:9 / {folder} rw - lustre s:/ rw\n")
        monkeypatch.setattr(cache, "MOUNTS", table)
        return folder

    def test_a_shard_computes_on_the_local_disk_and_is_copied_out(
        self, network: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        local = tmp_path / "local"
        local.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(local))
        monkeypatch.setattr(store_scores, "EVERY", 0.0)
        seen: list[tuple[int, list[str]]] = []
        publish = store_scores.PublishedStore.publish

        def watched(self: store_scores.PublishedStore) -> None:
            publish(self)
            assert self.path is not None
            assert self.path.is_relative_to(local)
            seen.append((len(rows_of(self.target)), sorted(p.name for p in network.rglob("*"))))

        monkeypatch.setattr(store_scores, "SHARE", 0)
        monkeypatch.setattr(store_scores.PublishedStore, "publish", watched)
        make(network / "run", [1, 2], 2)
        assert [count for count, _ in seen] == [7, 14, 21, 21, 7, 14, 15, 15]  # and at the end
        assert not any(name.endswith(("-wal", "-shm")) for _, names in seen for name in names)
        assert list(local.iterdir()) == []
        merged(network / "run", tmp_path / "s.sqlite")
        monkeypatch.setattr(cache, "MOUNTS", tmp_path / "none")
        alone(tmp_path / "one", tmp_path / "one.sqlite", "builtin:ngram")
        assert rows_of(tmp_path / "s.sqlite") == rows_of(tmp_path / "one.sqlite")

    def test_a_shard_continues_from_its_last_copy(
        self, network: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make(network / "run", [1], 1)
        file = network / "run/shards/1-of-1.sqlite"
        with sqlite3.connect(file) as db:
            db.execute("DELETE FROM scores WHERE text > 20")
            db.execute("UPDATE models SET texts = 20")
        db.close()
        make(network / "run", [1], 1)
        info = read_shard(file.with_suffix(".json"))
        assert info.models["builtin:ngram"].computed == 36 - 14  # whole batches: 14 of 20 are whole
        assert len(rows_of(file)) == 36

    def test_a_store_of_the_user_on_such_a_disk_is_not_needed_for_a_merge(
        self, network: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PRISCIAN_CACHE", str(network / "cache"))
        with pytest.raises(StoreError, match=r"\(lustre\).*TMPDIR, or score with `shard=1/1`"):
            priscian.score("builtin:ngram", DATA)
        make(network / "run", [1], 1)
        assert priscian.merge(network / "run").finished

    def test_a_temporary_folder_on_such_a_disk_is_refused(
        self, network: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(network))
        with pytest.raises(StoreError, match=r"set TMPDIR to a folder on a local disk"):
            make(network / "run", [1], 1)


def test_every_batch_is_in_exactly_one_shard() -> None:
    for count in (1, 3, 8):
        owners = [[s for s in range(1, count + 1) if Shard(s, count).has(b)] for b in range(40)]
        assert all(len(found) == 1 for found in owners)
