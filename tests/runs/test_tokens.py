"""Tokens of a run: in its folder, and of runs without them in the store."""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import polars
import pytest

from priscian.errors import RunError, StoreError
from priscian.models import ModelKey, model_key
from priscian.records import Text, TokenScores
from priscian.runs import ModelFacts, Result, load_run, merge, score
from priscian.runs.tokens import TokenTable, pick_tokens, read_tokens, tokens_table
from priscian.scoring import ScoreStore

KEY = ModelKey({"provider": "test", "name": "m"})
ABOUT = ModelFacts(string="test:m", folder="m", digest=KEY.digest)
SCORES = {
    "The keys.": TokenScores((0, 3, 8), (3, 8, 9), (math.nan, -2.5, -0.25)),
    "A": TokenScores((0,), (1,), (-1.0,)),
    "nothing": TokenScores((), (), ()),
}


@pytest.fixture
def store(tmp_path: Path) -> ScoreStore:
    store = ScoreStore(tmp_path / "scores.sqlite")
    store.write(KEY, "m", ((Text(text), scores) for text, scores in SCORES.items()))
    return store


def test_columns_hold_every_token_in_the_order_of_the_texts(store: ScoreStore) -> None:
    texts = ["A", "never scored", "The keys.", "nothing", "A"]
    table = read_tokens(ABOUT, texts, store)
    assert table is not None
    assert table.found.tolist() == [True, False, True, True, True]
    assert table.missing == 1
    assert table.offsets.tolist() == [0, 1, 1, 4, 4, 5]
    assert table.starts.tolist() == [0, 0, 3, 8, 0]
    bits = [1 / math.log(2), math.nan, 2.5 / math.log(2), 0.25 / math.log(2), 1 / math.log(2)]
    assert table.bits.tolist() == pytest.approx(bits, abs=1e-5, nan_ok=True)


def test_a_model_that_is_not_in_the_store_has_no_tokens(store: ScoreStore) -> None:
    assert (
        read_tokens(ModelFacts(string="test:x", folder="x", digest="0" * 32), ["A"], store) is None
    )


def test_without_a_store_there_are_none_and_none_is_made(cache: Path) -> None:
    assert read_tokens(ABOUT, ["A"]) is None
    assert not list(cache.iterdir())


def test_a_damaged_row_is_an_error(store: ScoreStore, tmp_path: Path) -> None:
    store.close()
    with sqlite3.connect(tmp_path / "scores.sqlite") as db:
        db.execute("UPDATE scores SET data = substr(data, 1, 4) || zeroblob(length(data) - 4)")
    db.close()
    with (
        ScoreStore(tmp_path / "scores.sqlite") as again,
        pytest.raises(StoreError, match="damaged"),
    ):
        read_tokens(ABOUT, ["The keys."], again)


def test_a_table_made_elsewhere_is_read_again(tmp_path: Path) -> None:
    table = tmp_path / "table.tsv"
    table.write_text("sentence\ttoken\tsurprisal\nA cat\tA\t1.5\nA cat\tcat\t3\n", "utf-8")
    model = f"surprisals:{table}"
    about = ModelFacts(string=model, folder="t", digest=model_key(model).digest)
    found = read_tokens(about, ["A cat", "A dog"])
    assert found is not None
    assert found.found.tolist() == [True, False]
    assert found.bits.tolist() == [1.5, 3.0]
    table.write_text("sentence\ttoken\tsurprisal\nA cat\tA\t2.5\nA cat\tcat\t3\n", "utf-8")
    assert read_tokens(about, ["A cat"]) is None  # no longer the table of the run
    table.unlink()
    assert read_tokens(about, ["A cat"]) is None


def texts_of(result: Result) -> list[str]:
    frame = result.frame()
    return [*frame["text_good"], *frame["text_bad"]]


def same(one: TokenTable | None, two: TokenTable | None) -> bool:
    assert one is not None
    assert two is not None
    return all(
        np.array_equal(getattr(one, name), getattr(two, name), equal_nan=name == "bits")
        for name in ("offsets", "starts", "bits", "found")
    )


class TestInTheFolder:
    @pytest.fixture
    def run(self, tmp_path: Path, blimp: Path) -> Path:
        """A run of two models; a sentence is in two items, and its first word is unknown."""
        score(["builtin:lstm", "builtin:ngram"], f"blimp:{blimp}", out=tmp_path / "run")
        return tmp_path / "run"

    def test_a_copied_folder_has_its_tokens_where_there_is_no_store(
        self, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        here = {r.model: r.tokens(texts_of(r)) for r in load_run(run)}
        stored = {r.model: read_tokens(r.about, texts_of(r)) for r in load_run(run)}
        shutil.move(run, tmp_path / "elsewhere")
        monkeypatch.setenv("PRISCIAN_CACHE", str(tmp_path / "empty"))
        for result in load_run(tmp_path / "elsewhere"):
            assert read_tokens(result.about, texts_of(result)) is None
            assert same(result.tokens(texts_of(result)), here[result.model])
            assert same(result.tokens(texts_of(result)), stored[result.model])

    def test_a_report_made_elsewhere_shows_tokens(
        self, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from priscian import report

        monkeypatch.setenv("PRISCIAN_CACHE", str(tmp_path / "empty"))
        assert "-tokens-0" in report(run).html

    def test_every_text_has_one_row_with_the_bits_of_the_store(
        self, run: Path, blimp: Path
    ) -> None:
        result = load_run(run)["builtin:lstm", blimp.name]
        table = result.open_table("tokens")
        assert table is not None
        rows = table.collect()
        assert rows.columns == ["text", "context", "starts", "ends", "logps"]
        assert rows["text"].to_list() == list(dict.fromkeys(rows["text"]))
        with ScoreStore.default() as store:
            key = ModelKey(result.about.key)
            for text, _, starts, ends, logps in rows.iter_rows():
                kept = store.read(key, [Text(text)])[Text(text)]
                assert (tuple(starts), tuple(ends)) == (kept.starts, kept.ends)
                assert np.array_equal(logps, kept.logps, equal_nan=True)

    def test_they_can_be_left_out(self, tmp_path: Path, blimp: Path) -> None:
        (result,) = score("builtin:lstm", f"blimp:{blimp}", out=tmp_path / "no", tokens=False)
        assert not list((tmp_path / "no").rglob("tokens.parquet"))
        assert same(result.tokens(texts_of(result)), read_tokens(result.about, texts_of(result)))

    def test_a_run_in_memory_has_them_too(self, blimp: Path) -> None:
        (result,) = score("builtin:lstm", f"blimp:{blimp}", store=ScoreStore())
        found = result.tokens(["The nurse has gone out.", "never scored"])
        assert found is not None
        assert found.found.tolist() == [True, False]

    def test_a_changed_table_is_refused(self, run: Path) -> None:
        (file,) = run.glob("builtin-lstm/*/tokens.parquet")
        shutil.copy(next(run.glob("builtin-ngram/*/tokens.parquet")), file)
        result = load_run(run).results[0]
        with pytest.raises(RunError, match="is not the file that belongs to this result"):
            result.tokens(texts_of(result))

    def test_a_merged_run_has_them(self, run: Path, tmp_path: Path, blimp: Path) -> None:
        for number in (1, 2):
            score(
                ["builtin:lstm", "builtin:ngram"], f"blimp:{blimp}", out=tmp_path / "merged",
                shard=(number, 2),
            )  # fmt: skip
        merge(tmp_path / "merged")
        for file in run.rglob("*.parquet"):
            other = tmp_path / "merged" / file.relative_to(run)
            assert polars.read_parquet(other).equals(polars.read_parquet(file))

    def test_a_resumed_run_writes_the_same(self, run: Path, blimp: Path) -> None:
        before = {file: file.read_bytes() for file in run.rglob("*.parquet")}
        for file in before:
            file.unlink()
        again = score(["builtin:lstm", "builtin:ngram"], f"blimp:{blimp}", out=run, resume=True)
        assert again.finished
        assert {file: file.read_bytes() for file in run.rglob("*.parquet")} == before

    def test_sentences_with_one_number_have_no_tokens(self, tmp_path: Path, pairs: Path) -> None:
        from priscian.runs import score_table

        rows = 'sentence,m\nShe has admired us!,1\n"Us she admired has!",0\n'
        (tmp_path / "s.csv").write_text(rows + 'Go now.,1\n"Now the go.",0\n')
        score_table(tmp_path / "s.csv", f"pairs:{pairs}", out=tmp_path / "table")
        assert not list((tmp_path / "table").rglob("tokens.parquet"))


def test_channels_and_contexts_are_kept() -> None:
    boundary = {"boundary": (-0.5, -1.0, -0.1)}
    scores = {
        Text("A b"): TokenScores((0, 2), (1, 3), (math.nan, -2.0), boundary),
        Text("A b", "Well. "): TokenScores((0, 2), (1, 3), (-1.0, -3.0)),
        Text("c"): TokenScores((0,), (1,), (-4.0,)),
    }
    table = tokens_table([*scores, Text("c")], scores)
    assert table["context"].to_list() == ["", "Well. ", ""]
    assert table["boundary"].to_list() == [[-0.5, -1.0, -0.1], None, None]
    found = pick_tokens(table.lazy(), ["c", "A b", "d"])
    assert found is not None
    assert found.offsets.tolist() == [0, 1, 3, 3]
    assert found.found.tolist() == [True, True, False]
    bits = [4 / math.log(2), math.nan, 2 / math.log(2)]
    assert found.bits.tolist() == pytest.approx(bits, nan_ok=True)
    assert pick_tokens(table.lazy(), ["d"]) is None


@pytest.mark.parametrize("models", [1, 3])
def test_run_json_is_written_at_the_start_for_plans_after_each_model_and_at_the_end(
    models: int, tmp_path: Path, blimp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from priscian.files.folder import JobFolder
    from priscian.runs import record

    written: list[str] = []
    begin, write_json = JobFolder.begin, record.write_json

    def begins(self: JobFolder[object], text: str) -> None:
        written.append("begin")
        begin(self, text)

    def writes(path: Path, data: object) -> str:
        if path.name == "run.json":
            written.append(json.loads(json.dumps(data))["status"])
        return write_json(path, data)

    monkeypatch.setattr(JobFolder, "begin", begins)
    monkeypatch.setattr(record, "write_json", writes)
    names = [f"builtin:lstm?name=m{number}" for number in range(models)]
    score(names, f"blimp:{blimp}", out=tmp_path / "run")
    # the first model's plan; the others have its scores, as they are the same model
    assert written == ["begin", "running", *["running"] * (models - 1), "finished"]
