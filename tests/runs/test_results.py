"""Results in Python: short in a terminal, tables and charts in a notebook, frames for all else."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars
import pytest
from tests.run_folders import write_run
from tests.small_results import pairs_result, suites_result

from priscian.errors import UnknownNameError, UsageError
from priscian.runs import PairsSummary, Run, ScoreOptions, SuitesSummary, load_run, score

JUDGED = {"adjunct_island": [1.0, 0.0], "wh_island": [1.0, 1.0, 0.0]}
STORED = Path(__file__).parent / "data" / "v2"
"""A run of Priscian 0.2."""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Two models on pairs, one of them on suites too."""
    results = (
        pairs_result("m", JUDGED),
        suites_result("m", {"npz": [1.0, 0.0]}),
        pairs_result("<b>odd</b>", JUDGED),
    )
    return load_run(write_run(tmp_path / "run", *results))


class TestShown:
    def test_the_short_form_is_short_however_many_items_there_are(self, run: Run) -> None:
        lines = repr(run).splitlines()
        assert lines[0].endswith("run: 3 results, finished>")
        assert lines[1] == "  <Result m on small (pairs): 58.3 % (27.7–82.7), n = 5, 2 paradigms>"
        assert len(repr(run)) < 500
        assert "polars" not in repr(run["m", "small"])

    def test_many_results_are_not_all_listed(self, tmp_path: Path) -> None:
        many = [pairs_result(f"m{n}", JUDGED) for n in range(60)]
        run = load_run(write_run(tmp_path / "many", *many))
        assert repr(run).endswith("… and 52 more")
        assert "and 20 more" in run._repr_html_()

    def test_a_notebook_shows_a_table_and_nothing_of_it_is_markup(self, run: Run) -> None:
        html = run._repr_html_()
        assert html.startswith("<table>")
        assert "&lt;b&gt;odd&lt;/b&gt;" in html
        assert "<b>odd" not in html
        assert html.count("<tr>") == 4
        assert "58.3" in run["m", "small"]._repr_html_()

    def test_a_chart_is_vega_lite_for_old_and_new_notebooks(self, run: Run) -> None:
        bundle = run.plot()._repr_mimebundle_()
        for version in (5, 6):
            spec = bundle[f"application/vnd.vegalite.v{version}+json"]
            assert spec["$schema"].endswith(f"/v{version}.json")
            json.dumps(spec)
        assert "text/plain" in bundle
        first = bundle["application/vnd.vegalite.v6+json"]["vconcat"][0]
        rows = {(r["model"], r["name"]): r["accuracy"] for r in first["data"]["values"]}
        assert rows["m", "island effects"] == rows["m", "overall"] == pytest.approx(7 / 12)

    def test_the_chart_can_be_drawn(self, run: Run) -> None:
        import vl_convert

        spec = run.plot()._repr_mimebundle_()["application/vnd.vegalite.v6+json"]
        assert vl_convert.vegalite_to_svg(spec).startswith("<svg")


class TestChosen:
    def test_one_model_and_one_result(self, run: Run) -> None:
        assert [(r.model, r.data) for r in run["m"]] == [("m", "small"), ("m", "sg")]
        assert len(run) == 3
        assert run["m", "sg"].kind == "suites"
        with pytest.raises(KeyError, match="no model 'n'; there are m, "):
            run["n"]
        with pytest.raises(KeyError, match="no result of m on sg2; there are m on small"):
            run["m", "sg2"]

    def test_a_summary_is_asked_for_by_its_type(self, run: Run) -> None:
        assert run["m", "small"].expect(PairsSummary).methods["full"].overall.n == 5
        with pytest.raises(UsageError, match="m on small is a result on pairs, not on suites"):
            run["m", "small"].expect(SuitesSummary)


class TestFrames:
    def test_all_results_are_one_table(self) -> None:
        run = load_run(STORED)
        frame = run.frame()
        assert frame.height == sum(r.frame().height for r in run)
        counted = frame.group_by("model", "data").len().sort("model", "data").rows()
        assert [n for _, _, n in counted] == [10, 3, 18, 5] * 2
        suites = frame.filter(polars.col("data") == "suites")
        assert suites["score_good"].null_count() == suites.height
        assert suites["margin"].null_count() == 0

    def test_the_columns_do_not_depend_on_the_model(self, tmp_path: Path) -> None:
        (tmp_path / "p.csv").write_text("good,bad\nOwls hoot.,Owls hoots.\n")
        run = score(["builtin:ngram", "builtin:lstm"], f"pairs:{tmp_path / 'p.csv'}")
        first, second = (r.frame() for r in run)
        assert first.schema == second.schema
        assert first["oov_good"].dtype == polars.Int64
        assert (first["field"].dtype, first["field"].to_list()) == (polars.String, [None])

    def test_pandas_is_optional(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(UsageError, match=r"pandas is not installed: pip install pandas, or"):
            run.to_pandas()
        made: dict[str, Any] = {}
        stand_in = SimpleNamespace(DataFrame=lambda columns: made.update(columns) or "frame")
        monkeypatch.setitem(sys.modules, "pandas", stand_in)
        assert run["m", "small"].to_pandas() == "frame"
        assert made["correct"] == [1.0, 0.0, 1.0, 1.0, 0.0]


class TestOptions:
    def test_options_are_given_together_or_by_name(self, tmp_path: Path) -> None:
        (tmp_path / "p.csv").write_text("kind,fine,odd\na,A b.,B a.\na,C d.,D c.\nb,E f.,F e.\n")
        on = f"pairs:{tmp_path / 'p.csv'}"
        both = ScoreOptions(limit=1, tie="half").updated({"good": "fine", "bad": "odd"})
        one = score("builtin:ngram", on, options=both)
        two = score("builtin:ngram", on, limit=1, tie="fail", good="fine", bad="odd", group="kind")
        assert one.info.request.tie == "half"
        assert two.info.request.tie == "wrong"
        assert list(two.results[0].summary.by_set()) == ["a", "b"]
        assert two.results[0].summary.headline.n == 2

    def test_an_unknown_option_suggests_one(self) -> None:
        with pytest.raises(UnknownNameError, match="no option of score 'limt'; did you mean limit"):
            score("builtin:ngram", "graded:textbook", limt=3)  # type: ignore[call-arg]

    def test_only_some_sets_by_name_and_by_pattern(self, tmp_path: Path) -> None:
        rows = "".join(f"{kind},{kind} a.,a {kind}.\n" for kind in ("who", "what", "when", "that"))
        (tmp_path / "p.csv").write_text("paradigm,good,bad\n" + rows)
        on = f"pairs:{tmp_path / 'p.csv'}"

        def sets(only: str | tuple[str, ...]) -> list[str]:
            return list(score("builtin:ngram", on, only=only).results[0].summary.by_set())

        assert sets("who") == ["who"]
        assert sets("wh?t,that") == ["what", "that"]
        assert sets(("wh*",)) == ["who", "what", "when"]
        with pytest.raises(UnknownNameError, match=r"no set of pairs:.* 'hwo'; did you mean who"):
            sets("hwo")

    def test_of_generated_data_only_what_is_asked_for_is_made(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = score("builtin:ngram", "generated:7", only="wh_island", limit=120)
        assert run.info.request.data["generated-7,120,wh_island"].sets["wh_island"].n == 120
