"""The figures of Hu et al. (2020): by hand on a few scores, and all of them from the release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from priscian.analysis.sg.mixed_models import FIXED, mixed_models, ratio_tests
from priscian.analysis.sg.of_release import published_figures
from priscian.analysis.sg.released import (
    Instance,
    InstancePerplexity,
    InstanceScore,
    find_perplexities,
    read_perplexities,
    read_suite_scores,
)
from priscian.cli import run
from priscian.errors import DataError, DataWarning

FIGURES = (
    "fig1_model_mean",
    "fig3_left_delta_by_model",
    "fig3_right_delta_by_corpus_noGPT2",
    "fig4_left",
    "fig4_right",
    "fig5",
    "fig6",
    "table4_perplexity_mean",
)


def score(model: str, corpus: str, seed: str, suite: str, value: float) -> InstanceScore:
    return InstanceScore(Instance(model, corpus, seed), suite, value)


@pytest.fixture(scope="module")
def release(shared: Path) -> Path:
    return shared / "data" / "syntaxgym" / "results"


@pytest.fixture(scope="module")
def scores(release: Path) -> tuple[InstanceScore, ...]:
    """The scores of the release, which take seconds to read."""
    return tuple(read_suite_scores(release))


@pytest.fixture
def expected(shared: Path) -> dict[str, Any]:
    text = (shared / "spec" / "syntaxgym" / "sg_expected.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


class TestByHand:
    """Two architectures on two corpora, one cell with two seeds, and a pre-trained model."""

    scores = (
        score("lstm", "bllip-xs", "1", "cleft", 0.2),
        score("lstm", "bllip-xs", "2", "cleft", 0.4),
        score("lstm", "bllip-lg", "1", "cleft", 0.5),
        score("rnng", "bllip-lg", "1", "cleft", 0.8),
        score("gpt-2", "bllip-lg-gptbpe", "1", "cleft", 0.8),
        score("lstm", "bllip-lg", "1", "cleft_modifier", 0.1),
        score("xl", "", "0", "cleft", 0.9),
        score("xl", "", "0", "number_orc", 0.7),
    )

    def test_seeds_weigh_equally_and_corpora_do_not(self) -> None:
        found = published_figures(self.scores)["fig1_model_mean"]
        assert found == {"gpt-2": 0.8, "lstm": 0.3, "rnng": 0.8, "xl": 0.8}

    def test_a_delta_is_from_the_mean_of_the_cells(self) -> None:
        # cells of cleft: 0.3 (two seeds), 0.5, 0.8, 0.8: mean 0.6; cleft_modifier has one cell
        found = published_figures(self.scores)
        assert found["fig3_left_delta_by_model"] == {
            "gpt-2": 0.2,
            "lstm": pytest.approx((-0.4 - 0.2 - 0.1 + 0) / 4),
            "rnng": 0.2,
        }
        assert found["fig3_right_delta_by_corpus_noGPT2"] == {
            "bllip-lg": pytest.approx((-0.1 + 0.2 + 0) / 3, abs=1e-6),
            "bllip-xs": pytest.approx(-0.3),
        }

    def test_circuits_are_averaged_within_an_instance_first(self) -> None:
        found = published_figures(self.scores)
        assert found["fig5"] == {
            "Agreement|xl": 0.7,
            "Long-Distance Dependencies|gpt-2": 0.8,
            "Long-Distance Dependencies|lstm": 0.3,  # (0.2 + 0.4 + (0.5 + 0.1) / 2) / 3
            "Long-Distance Dependencies|rnng": 0.8,
            "Long-Distance Dependencies|xl": 0.9,
        }
        assert found["fig4_right"] == {
            "Long-Distance Dependencies|bllip-lg": pytest.approx((-0.05 + 0.2) / 2),
            "Long-Distance Dependencies|bllip-xs": pytest.approx(-0.3),
        }

    def test_stability_compares_a_suite_with_its_modifier_version(self) -> None:
        lstm = {"no_modifier": 0.366667, "modifier": 0.1}
        assert published_figures(self.scores)["fig6"] == {"lstm": lstm}

    def test_perplexities_are_averaged_over_seeds(self) -> None:
        ppl = [
            InstancePerplexity(Instance("lstm", "bllip-xs", s), v)
            for s, v in (("1", 90), ("2", 100))
        ]
        assert published_figures(self.scores, ppl)["table4_perplexity_mean"] == {
            "lstm|bllip-xs": 95
        }
        assert "table4_perplexity_mean" not in published_figures(self.scores)


@pytest.mark.shared
class TestTheRelease:
    def test_every_figure_is_reproduced_to_the_last_digit(
        self, release: Path, scores: tuple[InstanceScore, ...], expected: dict[str, Any]
    ) -> None:
        assert len(scores) == 46 * 31
        perplexities = find_perplexities(release)
        assert perplexities is not None
        found = published_figures(scores, read_perplexities(perplexities))
        assert found == {name: expected[name] for name in FIGURES}

    def test_the_main_regression(
        self, scores: tuple[InstanceScore, ...], expected: dict[str, Any]
    ) -> None:
        fits = mixed_models(scores, ["full", "no_arch"])
        for name, fit in fits.items():
            published = expected["lme"]["lme4_published"][name]
            assert round(fit.aic, 2) == published["AIC"]
            assert round(fit.log_likelihood, 2) == published["logLik"]
            assert fit.df == published["df"]
            assert fit.n == 1271

    @pytest.mark.slow
    def test_all_six_regressions(
        self, scores: tuple[InstanceScore, ...], expected: dict[str, Any]
    ) -> None:
        fits = mixed_models(scores)
        assert list(fits) == list(FIXED)
        for name, fit in fits.items():
            assert round(fit.aic, 2) == expected["lme"]["lme4_published"][name]["AIC"]
            assert fit.bic == pytest.approx(expected["lme"]["python"][name]["BIC"], abs=2e-4)
        for test, (chi2, df, p) in zip(
            ratio_tests(fits).values(), expected["lme"]["LRT"].values(), strict=True
        ):
            assert (test.chi2, test.df) == (pytest.approx(chi2, abs=2e-3), df)
            assert test.p == pytest.approx(p, rel=1e-3)

    def test_the_command_prints_the_same(
        self,
        release: Path,
        scores: tuple[InstanceScore, ...],
        expected: dict[str, Any],
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        assert run(["analyse", "sg-results", str(release), "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == {name: expected[name] for name in FIGURES}
        monkeypatch.setattr("priscian.analysis.sg.of_release.read_suite_scores", lambda _: scores)
        assert run(["analyse", "sg-results", str(release)]) == 0
        shown = capsys.readouterr().out
        for line in ("Figure 1: mean SG score", "gpt-2-xl-pretrained", "0.842", "529.90"):
            assert line in shown


def test_regressions_need_models_of_a_known_corpus() -> None:
    with pytest.raises(DataError, match="no results of models trained on a corpus of known size"):
        mixed_models([score("xl", "", "0", "cleft", 0.9)])
    with pytest.raises(DataError, match=r"the size of corpus 'wiki' \(lstm, seed 1\) is not known"):
        mixed_models([score("lstm", "wiki", "1", "cleft", 0.9)])


def test_few_results_are_refused_in_one_line() -> None:
    with pytest.raises(DataError, match=r"^regression full: \d+ random effects of suite"):
        mixed_models(TestByHand.scores)


class TestReading:
    header = "model,suite,item,correct\n"

    def read(self, folder: Path, rows: str, header: str | None = None) -> list[InstanceScore]:
        (folder / "results.csv").write_text((header or self.header) + rows)
        with pytest.warns(DataWarning, match="no results on .*; its means are over the suites"):
            return read_suite_scores(folder)

    def test_the_runs_of_the_n_gram_are_one_vote_an_item(self, tmp_path: Path) -> None:
        rows = "".join(
            f"ngram_bllip-xs_{seed},cleft,{item},{right}\n"
            for item, answers in enumerate(("TTF", "TFF"))
            for seed, right in enumerate("True" if a == "T" else "False" for a in answers)
        )
        (found,) = self.read(tmp_path, rows)
        assert found == score("ngram", "bllip-xs", "0", "cleft", 0.5)

    def test_models_and_suites_that_the_paper_leaves_out(self, tmp_path: Path) -> None:
        rows = "1gram_bllip-xs_0,cleft,0,True\nngram-no-rand_bllip-xs_0,cleft,0,True\n"
        rows += "grnn__0,cleft,0,True\ngrnn__0,cleft,1,False\ngrnn__0,fgd-embed3,0,True\n"
        assert self.read(tmp_path, rows) == [score("grnn", "", "0", "cleft", 0.5)]

    @pytest.mark.parametrize(
        ("rows", "complaint"),
        [
            ("grnn__0,cleft,0,yes\n", r"csv:2: correct is 'yes' for item 0 of cleft"),
            ("grnn__0,clefts,0,True\n", r"csv:2: no suite 'clefts'; did you mean cleft"),
            ("grnn__0,cleft,0,True\n" * 2, r"csv:3: grnn__0 has item 0 of cleft twice"),
            ("grnn,cleft,0,True\n", r"csv:2: the model is 'grnn'; it must be name_corpus_seed"),
            ("grnn__0,cleft,0\n", r"csv:2: 3 cells where the header has 4"),
        ],
    )
    def test_a_bad_row_is_named(self, tmp_path: Path, rows: str, complaint: str) -> None:
        (tmp_path / "results.csv").write_text(self.header + rows)
        with pytest.raises(DataError, match=complaint):
            read_suite_scores(tmp_path)

    def test_a_missing_column_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "results.csv").write_text("model,suite,item\ngrnn__0,cleft,0\n")
        with pytest.raises(DataError, match=r"csv:1: no column correct \(found: model, suite"):
            read_suite_scores(tmp_path)

    def test_a_perplexity_must_be_a_number(self, tmp_path: Path) -> None:
        file = tmp_path / "perplexity.csv"
        file.write_text("model,corpus,seed,test_ppl\nlstm,bllip-xs,1,low\n")
        with pytest.raises(DataError, match=r"csv:2: test_ppl is 'low', not a number"):
            read_perplexities(file)


class TestTheCommand:
    def test_it_says_that_table_4_is_left_out(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = tmp_path / "a" / "results"
        folder.mkdir(parents=True)
        (folder / "grnn.csv").write_text("model,suite,item,correct\ngrnn__0,cleft,0,True\n")
        assert run(["analyse", "sg-results", str(folder), "--json"]) == 0
        told = capsys.readouterr()
        assert "so Table 4 is left out; name the file with --perplexity" in told.err
        assert json.loads(told.out)["fig1_model_mean"] == {"grnn": 1.0}

    def test_a_bad_folder_is_one_line(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run(["analyse", "sg-results", str(tmp_path)]) == 1
        assert capsys.readouterr().err.count("\n") == 1

    def test_help_names_every_analysis(self, capsys: pytest.CaptureFixture[str]) -> None:
        from priscian.analysis.registry import list_analyses

        run(["analyse", "--help"])
        shown = capsys.readouterr().out
        assert all(f"  {name} " in shown for name in list_analyses())
