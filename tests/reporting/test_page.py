"""The page as text: what is said, what is marked, what can do no harm."""

from __future__ import annotations

import json
import re
import shutil
from importlib import resources
from pathlib import Path

import pytest

from priscian.reporting import Page, build_page
from priscian.reporting.boards import Board, BoardRow, Cell
from priscian.reporting.standings import describe
from priscian.runs import load_runs
from tests.reporting.conftest import HOSTILE


class TestHeadline:
    def row(self, **cells: tuple[float, float, float]) -> BoardRow:
        made = {k: Cell(v, 0.5, (low, high), 100, 0) for k, (v, low, high) in cells.items()}
        return BoardRow("m", False, Cell(0.7, 0.5, (0.69, 0.71), 1000, 0), made, {})

    def test_each_class_is_called_by_its_interval(self) -> None:
        row = self.row(
            island_effects=(0.5, 0.4, 0.6),
            npi_licensing=(0.3, 0.2, 0.4),
            subject_verb_agreement=(0.9, 0.8, 0.95),
            binding=(0.6, 0.55, 0.65),
            ellipsis=(0.72, 0.6, 0.8),
        )
        assert describe(row, 5) == (
            "strong on subject–verb agreement, weak on binding, at chance on island effects, "
            "below chance on NPI licensing"
        )

    def test_a_wide_interval_cannot_be_told_from_chance(self) -> None:
        row = self.row(binding=(0.62, 0.49, 0.72), ellipsis=(0.9, 0.8, 0.95))
        assert describe(row, 2) == "strong on ellipsis, cannot be told from chance on binding"

    def test_a_class_of_ties_is_tied_and_not_below_chance(self) -> None:
        tied = Cell(0.0, 0.5, (0.0, 0.04), 100, 100)
        row = BoardRow("m", False, Cell(0.7, 0.5, (0.69, 0.71), 1000, 0), {"binding": tied}, {})
        assert describe(row, 2) == "mostly tied on binding"
        assert (tied.shade, tied.standing, tied.says) == (3, "tied", "all 100 items tied")

    def test_a_class_most_of_whose_items_tie_gets_no_verdict(self) -> None:
        mean = Cell(0.7, 0.5, (0.69, 0.71), 1000, 0)
        for ties, said in ((31, "mostly tied on binding"), (30, "below chance on binding")):
            cell = Cell(0.1, 0.5, (0.05, 0.2), 60, ties)
            assert describe(BoardRow("m", False, mean, {"binding": cell}, {}), 2) == said
        cell = Cell(0.1, 0.5, (0.05, 0.2), 60, 54)
        assert (cell.shade, cell.standing, cell.shown) == (3, "tied", "90 % tied")
        assert cell.says == "10.0 %, interval 5.0–20.0, n = 60, 54 tied"
        assert not cell.at_chance

    def test_of_a_model_that_mostly_ties_no_class_is_strong_or_weak(self) -> None:
        mean = Cell(0.2, 0.5, (0.15, 0.25), 100, 60)
        cells = {"binding": Cell(0.9, 0.5, (0.8, 0.95), 50, 0)}
        cells["ellipsis"] = Cell(0.0, 0.5, (0.0, 0.1), 50, 50)
        said = "most items tie, 60 of 100, mostly tied on ellipsis"
        assert describe(BoardRow("m", False, mean, cells, {}), 2) == said

    def test_chance_is_compared_with_other_items_and_the_mean_with_what_is_shown(self) -> None:
        mean = Cell(0.6, 0.25, (0.5, 0.7), 300, 0)
        few = Cell(0.033, 0.25, (0.002, 0.373), 30, 0, (0.006, 0.199))
        assert few.standing == "below"
        assert describe(BoardRow("m", False, mean, {"few": few}, {}), 2) == "below chance on few"
        assert few.says.startswith("3.3 %, interval 0.2–37.3")

    def test_three_are_named_the_clearest_first(self) -> None:
        row = self.row(
            **{
                name: (0.8 + k / 100, 0.75, 0.9)
                for k, name in enumerate(("one", "two", "three", "four"))
            }
        )
        assert describe(row, 4) == "strong on four, three, two and one more"

    def test_nothing_is_said_of_one_class(self) -> None:
        assert describe(self.row(a=(0.9, 0.8, 0.95)), 1) == ""


@pytest.mark.parametrize(
    ("accuracy", "chance", "shade"),
    [(0.5, 0.5, 3), (1.0, 0.5, 8), (0.0, 0.5, 0), (0.75, 0.5, 6), (0.25, 0.25, 3), (0.46, 0.5, 3),
     (0.44, 0.5, 2), (0.0, 0.25, 0), (0.99, 0.25, 8)],
)  # fmt: skip
def test_shades_count_from_chance(accuracy: float, chance: float, shade: int) -> None:
    assert Cell(accuracy, chance).shade == shade


class TestPage:
    def test_boards_are_pairs_of_others_and_suites(self, page: Page) -> None:
        assert [b.kind for b in page.boards] == ["pairs", "pairs", "suites"]
        assert [len(b.columns) for b in page.boards] == [12, 0, 6]
        assert next(r.label for r in page.boards[0].rows if r.published) == "People*"
        assert not any(r.published for r in page.boards[1].rows)

    def test_it_has_every_figure_and_says_what_it_lacks(self, page: Page) -> None:
        names = {f.name for s in page.sections for f in s.figures}
        wanted = {
            "b1-accuracy-by-phenomenon", "b1-differences", "b1-correlation-pearson",
            "b1-agreement-distance", "b1-methods-by-phenomenon", "b1-shallow-predictors",
            "b3-sg-by-circuit", "b3-sg-by-suite", "b3-stability-to-modifiers",
        }  # fmt: skip
        assert wanted <= names
        assert len(names) == sum(len(s.figures) for s in page.sections)

    def test_hostile_sentences_are_nowhere_in_the_markup(self, page: Page) -> None:
        for good, bad in HOSTILE:
            assert good not in page.html
            assert bad not in page.html
        assert page.html.count("<script>") == 1  # our own

    def test_nothing_is_fetched(self, page: Page) -> None:
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page.html)
        assert policy
        assert "default-src &#39;none&#39;" in policy[1]
        assert "unsafe-eval" not in policy[1]
        assert not re.search(r'(?:src|href)="(?!#)', page.html)

    def test_models_data_and_versions_are_said(self, page: Page, run: Path) -> None:
        info = json.loads((run / "run.json").read_text("utf-8"))
        for model in info["models"].values():
            assert model["digest"] in page.html
        assert "generated:3,3" in page.html
        assert "priscian report run" in page.html


class TestBadInput:
    def test_an_unfinished_run_is_marked(self, run: Path, tmp_path: Path) -> None:
        copy = tmp_path / "half"
        shutil.copytree(run, copy)
        shutil.rmtree(copy / "builtin-lstm" / "sg")
        page = build_page(load_runs([copy]))
        assert "Unfinished run." in page.html
        assert "builtin:lstm on sg" in page.html

    def test_a_run_that_was_killed_after_its_last_result_is_marked(
        self, run: Path, tmp_path: Path
    ) -> None:
        copy = tmp_path / "whole"
        shutil.copytree(run, copy)
        info = json.loads((copy / "run.json").read_text("utf-8"))
        (copy / "run.json").write_text(json.dumps(info | {"status": "running"}), "utf-8")
        assert "is not complete: it is marked running." in build_page(load_runs([copy])).html

    def test_a_finished_run_is_not(self, page: Page) -> None:
        assert "Unfinished run." not in page.html

    def test_other_sentences_are_marked_and_counted(self, run: Path, tmp_path: Path) -> None:
        from priscian.runs import score

        score("builtin:ngram", "generated:4,3", out=tmp_path / "other")
        page = build_page(load_runs([run, tmp_path / "other"]))
        board = page.boards[0]
        assert [row.marked for row in board.models] == [False, False, True]
        assert "share no items" in page.html

    @pytest.mark.parametrize("kept", [True, False], ids=["tokens kept", "no tokens"])
    def test_sentences_are_shaded_by_the_tokens_of_the_folder_alone(
        self, run: Path, cache: Path, tmp_path: Path, kept: bool
    ) -> None:
        shutil.copytree(run, tmp_path / "copy")  # the cache of this test is empty
        if not kept:
            for tokens in (tmp_path / "copy").rglob("tokens.parquet"):
                tokens.unlink()
        page = build_page(load_runs([tmp_path / "copy"]))
        data = re.search(r'id="page-data">(.*?)</script>', page.html)
        assert data
        assert json.loads(data[1])["boards"][0]["tokens"] == [kept, kept]


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_can_be_read_on_every_ground(dark: bool) -> None:
    css = (resources.files("priscian.reporting") / "page" / "page.css").read_text("utf-8")
    found = re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", css)
    colours = {name: pair[dark] for name, *pair in found}
    grounds = {f"c{k}": "flip" if k in (0, 7, 8) else "ink" for k in range(9)}
    pairs = [(colours[a], colours[b]) for a, b in grounds.items()]
    for text in ("ink", "quiet", "accent", "good", "wrong"):
        pairs.append((colours[text], colours["paper"]))
    assert len(grounds) + 5 == len(pairs)
    assert [p for p in pairs if contrast(*p) < 4.5] == []


def test_a_board_is_found_for_every_result(page: Page, run: Path) -> None:
    entries = [r for b in page.boards for r in b.results]
    assert len(entries) == len(load_runs([run])[0].results)
    assert all(isinstance(b, Board) for b in page.boards)
