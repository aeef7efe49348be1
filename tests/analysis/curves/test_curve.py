"""What a sweep shows, from scores that are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import pytest
from tests.scored_runs import rights, scored_pairs, scored_suites, write_run
from tests.small_curve import PARADIGMS, write_curve

from priscian import analyse
from priscian.analysis.curves.curve import analyse_sweeps
from priscian.analysis.curves.facts import observations, trained_facts
from priscian.analysis.curves.table import comparable, marked_perplexity, read_curve, scores_of
from priscian.analysis.named_results import suite_accuracies, suite_results
from priscian.analysis.sg.shared_items import NOTE
from priscian.catalogue import FURTHER
from priscian.errors import PriscianWarning, RunError
from priscian.files import write_json
from priscian.runs import Result
from priscian.runs.choose import gather_results, gather_runs

TWO = {"lstm": 0.42, "rnng": 0.55}


def score_more(folder: Path, make: Callable[[str], Result]) -> Path:
    """Score the models of a sweep on one more data set."""
    table = read_curve(folder)
    scores, listed = list(table.scores), []
    for run in gather_runs(folder):
        (model,) = run.models
        more = make(model)
        listed.append(f"more/{model}")
        write_run(folder / listed[-1], *run.results, more)
        scores += scores_of(more, more.data)
    msgspec.structs.replace(table, scores=tuple(scores)).write(folder)
    write_json(folder / "runs.json", listed)
    return folder


def right(model: str, name: str) -> list[float]:
    """So many of 20 right, which differs from model to model."""
    return rights(6 + crc32(f"{model} {name}".encode()) % 9, 20)


def on_suites(circuits: dict[str, str], data: str = "more") -> Callable[[str], Result]:
    """Results on suites with these circuits."""
    return lambda model: scored_suites(
        model, {name: (circuit, right(model, name)) for name, circuit in circuits.items()},
        data=data,
    )  # fmt: skip


def test_every_figure_is_there_and_what_is_missing_is_named(tmp_path: Path) -> None:
    ((table, found),) = analyse_sweeps(write_curve(tmp_path / "curve", TWO))
    assert [figure.name for figure in found.figures] == [
        "sg-perplexity", "delta-sg", "delta-sg-by-circuit", "training-size",
    ]  # fmt: skip
    assert len(table.models) == 5
    (line,) = found.left_out
    assert line.startswith(
        "training size: rnng left out: a line with an interval needs 2 sizes and 3"
    )
    point = found.figures[0].rows[0]
    assert (point["model"], point["size"], point["name"]) == ("lstm", "250k", "lstm-250k-seed1")
    overall = found.training_size["blimp:data"].curves[-1]
    assert (overall.curve, overall.name) == ("lstm", "overall")
    assert [p.tokens for p in overall.points] == [250_000, 1_000_000, 4_000_000]
    assert overall.reach is not None
    assert "regressions" not in " ".join(found.left_out)
    assert found.mixed["sg"].tests["architecture"].df == 1


def test_other_analyses_take_the_folder(tmp_path: Path) -> None:
    folder = write_curve(tmp_path / "curve", TWO)
    sg = analyse.sg(folder)
    assert sg.perplexity is not None
    assert len(sg.perplexity.points) == 5
    with pytest.warns(
        PriscianWarning, match="rnng left out: a line with an interval needs 2 sizes and 3"
    ):
        found = analyse.training_size([folder])
    assert {c.curve for c in found.curves} == {"lstm"}


def test_models_of_the_same_name_in_two_sweeps_are_told_apart(tmp_path: Path) -> None:
    low = write_curve(tmp_path / "low", {"lstm": 0.3})
    high = write_curve(tmp_path / "high", {"lstm": 0.6})
    sg = analyse.sg([low, high])
    assert sg.perplexity is not None
    found = {p.model: p.perplexity for p in sg.perplexity.points}
    assert found["low:lstm-250k-seed1"] == pytest.approx(400 * 0.7)
    assert found["high:lstm-250k-seed1"] == pytest.approx(400 * 0.4)
    sizes = analyse.training_size([low, high])
    overall = {c.curve: c for c in sizes.curves if c.name == "overall"}
    assert set(overall) == {"low:lstm", "high:lstm"}
    for folder in (low, high):
        alone = analyse.training_size(folder).curves[-1]
        mixed = overall[f"{folder.name}:lstm"]
        assert mixed.line == alone.line
        assert [p.tokens for p in mixed.points] == [250_000, 1_000_000, 4_000_000]


def test_folders_of_the_same_name_are_told_apart_by_their_paths(tmp_path: Path) -> None:
    one, two = (write_curve(tmp_path / name / "curve", {"lstm": 0.4}) for name in "ab")
    found = analyse.training_size([one, two, one])
    assert {c.curve for c in found.curves} == {f"{one}:lstm", f"{two}:lstm"}


def test_a_run_of_its_own_gets_no_facts_of_a_sweep(tmp_path: Path) -> None:
    sweep = write_curve(tmp_path / "low", {"lstm": 0.3})
    alone = write_curve(tmp_path / "high", {"lstm": 0.6}) / "runs" / "lstm-1M-seed1"
    sg = analyse.sg([sweep, alone])
    assert sg.perplexity is not None
    assert sg.perplexity.missing == ("lstm-1M-seed1",)
    assert "low:lstm-1M-seed1" in {point.model for point in sg.perplexity.points}


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"holds no curve\.json; make it with priscian curve"):
        read_curve(tmp_path)


class TestSeveralDataSets:
    def test_each_set_of_pairs_has_a_line_of_its_own(self, tmp_path: Path) -> None:
        folder = write_curve(tmp_path / "curve", TWO)
        with pytest.warns(PriscianWarning, match="rnng left out"):
            alone = analyse.training_size(folder).curves[-1]
        score_more(
            folder,
            lambda m: scored_pairs(m, {p: right(m, p) for p in PARADIGMS}, PARADIGMS, data="other"),
        )
        with pytest.warns(PriscianWarning, match="rnng on blimp, rnng on other left out"):
            found = analyse.training_size(folder)
        overall = {c.curve: c for c in found.curves if c.name == "overall"}
        assert set(overall) == {"lstm on blimp", "lstm on other"}
        assert [len(c.points) for c in overall.values()] == [3, 3]
        assert overall["lstm on blimp"].line == alone.line

    def test_sizes_by_model_split_the_sets_too(self, tmp_path: Path) -> None:
        folder = write_curve(tmp_path / "curve", {"lstm": 0.4})
        score_more(folder, lambda m: scored_pairs(m, {"mine": right(m, "mine")}, {}, data="mine"))
        sizes = {f"lstm-{size}-seed1": size for size in ("250k", "1M", "4M")}
        found = analyse.training_size(folder, sizes)
        assert {(c.curve, len(c.points)) for c in found.curves} == {("blimp", 3), ("mine", 3)}

    def test_perplexities_are_those_of_the_models(self, tmp_path: Path) -> None:
        folder = write_curve(tmp_path / "curve", TWO)
        score_more(folder, on_suites({f"own{n}": "Own" for n in range(4)}))
        found = analyse.sg(folder, mixed_effects=True)
        assert found.mixed is not None
        assert found.perplexity is not None
        values = {p.model: p.perplexity for p in found.perplexity.points}
        assert len(values) == 10
        assert values["lstm-1M-seed1 on sg"] == values["lstm-1M-seed1 on more"]
        assert found.perplexity.missing == ()
        # ten points of five models are not ten independent models
        assert found.perplexity.repeated
        assert found.perplexity.pearson is None

    def test_a_trained_model_is_one_instance(self, tmp_path: Path) -> None:
        folder = score_more(write_curve(tmp_path / "curve", TWO), on_suites({"own": "Own"}))
        named = suite_results(gather_results(folder))
        rows = observations(named, trained_facts(named, [read_curve(folder)]))
        assert len(rows) == 5 * (6 + 1)
        assert len({row.instance for row in rows}) == 5

    def test_perplexities_that_nobody_gave_are_not_missed(self, tmp_path: Path) -> None:
        folder = write_curve(tmp_path / "curve", {"lstm": 0.4})
        table = read_curve(folder)
        first, *others = table.models
        unknown = [msgspec.structs.replace(m, perplexity=None) for m in others]
        msgspec.structs.replace(table, models=(first, *unknown)).write(folder)
        write_json(folder / "runs.json", [m.run_folder for m in others])
        assert analyse.sg(folder).perplexity is None


def colours(part: Any) -> set[tuple[str, str]]:
    """Kinds of models and their colours in a chart."""
    parts = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    found = {pair for inner in parts for pair in colours(inner)}
    ink = part.get("color") if isinstance(part, dict) else None
    if isinstance(ink, dict) and ink.get("field") == "model":
        found |= set(zip(ink["scale"]["domain"], ink["scale"]["range"], strict=True))
    return {(name, colour) for name, colour in found if name == "lstm"}


def test_a_kind_of_model_has_one_colour_in_all_figures(tmp_path: Path) -> None:
    ((_, found),) = analyse_sweeps(write_curve(tmp_path / "curve", {"rnng": 0.55, "lstm": 0.42}))
    assert "rnng left out" in " ".join(found.left_out)  # so lstm is the first of the last figure
    assert len(set().union(*(colours(figure.chart) for figure in found.figures))) == 1


def test_suites_without_a_circuit_count_only_for_the_whole(tmp_path: Path) -> None:
    folder = write_curve(tmp_path / "curve", TWO)
    score_more(folder, on_suites({"mine": "", "own": "Own", "other": "Other"}))
    ((_, found),) = analyse_sweeps(folder)
    rows = found.deltas["more"].rows
    assert {row.circuit for row in rows} == {"", "Own", "Other"}
    assert {row.suites for row in rows if not row.circuit} == {3}
    assert found.figures


class TestFurtherSuites:
    def test_they_are_left_out_as_they_are_of_the_sg_score(self, tmp_path: Path) -> None:
        folder = write_curve(tmp_path / "curve", TWO)
        score_more(folder, on_suites({"a": "Own", "b": "Other", "c": FURTHER}))
        ((table, found),) = analyse_sweeps(folder)
        rows = found.deltas["more"].rows
        assert {row.circuit for row in rows} == {"", "Own", "Other"}
        assert {row.suites for row in rows if not row.circuit} == {2}
        named = suite_results(r for r in gather_results(folder) if r.data == "more")
        assert {o.suite for o in observations(named, trained_facts(named, [table]))} == {"a", "b"}
        for result in named:
            mean = sum(suite_accuracies(result).values()) / 2
            assert result.overall == pytest.approx(mean)

    def test_they_count_if_there_are_no_others(self) -> None:
        assert set(suite_accuracies(on_suites({"a": FURTHER, "b": FURTHER})("m"))) == {"a", "b"}


def test_models_with_other_limits_are_compared_on_shared_items(tmp_path: Path) -> None:
    folder = write_curve(tmp_path / "curve", TWO, seeds=2, limits={"rnng": 10})
    ((_, found),) = analyse_sweeps(folder)
    assert found.notes == (f"ΔSG: {NOTE}",)
    assert not [line for line in found.left_out if NOTE in line]
    assert {mixed.note for mixed in found.mixed.values()} == {NOTE}
    results = suite_results(gather_results(folder))
    rows = observations(results, trained_facts(results, [read_curve(folder)]))
    assert {round(10 * row.score, 9) % 1 for row in rows} == {0}  # ten items of each
    ((_, equal),) = analyse_sweeps(write_curve(tmp_path / "equal", TWO))
    assert equal.notes == ()


class TestComparable:
    def test_vocabularies_and_bounds_decide(self, tmp_path: Path) -> None:
        models = {m.curve: m for m in read_curve(write_curve(tmp_path / "curve")).models}
        larger = msgspec.structs.replace(models["lstm"], vocabulary=20_000)
        assert comparable([models["lstm"], models["5-gram"]])
        assert not comparable([models["lstm"], larger])
        assert not comparable([models["lstm"], models["gpt2"]])
        assert not comparable([models["lstm"], models["rnng"]])
        open_ = msgspec.structs.replace(models["gpt2"], vocabulary=50_000)
        assert comparable([models["gpt2"], open_])
        assert comparable([models["lstm"], msgspec.structs.replace(larger, perplexity=None)])

    @pytest.mark.parametrize(
        ("kind", "shown"),
        [("lstm", "1,234.5*"), ("gpt2", "1,234.5"), ("rnng", "≤1,234.5*")],
    )
    def test_marks(self, tmp_path: Path, kind: str, shown: str) -> None:
        model = read_curve(write_curve(tmp_path / "curve", {kind: 0.4})).models[0]
        assert marked_perplexity(msgspec.structs.replace(model, perplexity=1234.5)) == shown
        assert marked_perplexity(msgspec.structs.replace(model, perplexity=None)) == ""
