"""Tables for a README and for a paper: what is in them, and that LaTeX can read them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from priscian.analysis.latex import FIT, escape_tex, label_of
from priscian.reporting import Page, markdown_tables, tex_tables
from priscian.reporting.boards import Board, BoardRow, Cell

ENVIRONMENT = re.compile(r"\\(begin|end)\{([a-z*]+)\}")
REMEDY = "no LaTeX: apt install texlive-latex-recommended"
DOCUMENT = r"""\documentclass[twocolumn]{article}
\usepackage{booktabs,graphicx}
\begin{document}
\input{tables.tex}
\end{document}
"""


def board(*rows: BoardRow, kind: str = "pairs") -> Board:
    """A board of one class."""
    names = {"binding": ("one",)}
    return Board("b1", kind, "x", "Pairs", "my_data", "9 pairs", "set", "set", names, rows, (), ())  # type: ignore[arg-type]


def row(name: str, share: float, *, published: bool = False, ties: int = 0) -> BoardRow:
    """A row with one class."""
    cell = Cell(share, 0.5, None if published else (share - 0.1, share + 0.1), 10, ties)
    return BoardRow(name, published, cell, {"binding": cell}, {})


def test_a_tied_set_is_called_tied() -> None:
    tied = board(row("m", 0.0, ties=10))
    assert "| m | tied | tied |" in markdown_tables([tied])
    assert "Binding & tied" in tex_tables([tied])


def test_of_a_set_that_mostly_ties_the_ties_are_given_and_it_is_never_the_best() -> None:
    made = board(row("a", 0.4, ties=6), row("b", 0.3), row("c", 0.2, ties=5))
    text = markdown_tables([made])
    assert "| a | 6 of 10 tied | 6 of 10 tied |" in text
    assert "| b | **30.0 (20.0–40.0)** | **30.0** |" in text
    assert "| c | 20.0 (10.0–30.0) | 20.0 |" in text


def test_the_best_model_is_bold_and_published_figures_do_not_compete() -> None:
    rows = [row("a", 0.7), row("b", 0.6), row("GPT-2*", 0.9, published=True)]
    assert "| a | **70.0 (60.0–80.0)** | **70.0** |" in markdown_tables([board(*rows)])
    assert r"Binding & \textbf{70.0} & 60.0 & 90.0 \\" in tex_tables([board(*rows)])


def test_nothing_is_bold_among_equals_or_alone() -> None:
    for rows in ([row("a", 0.7)], [row("a", 0.7), row("b", 0.7)]):
        assert "**7" not in markdown_tables([board(*rows)])
        assert "textbf" not in tex_tables([board(*rows)])


def test_each_latex_table_has_a_caption_and_a_label_of_its_own() -> None:
    text = tex_tables([board(row("a", 0.7)), board(row("a", 0.7))])
    assert re.findall(r"\\label\{(.*?)\}", text) == ["tab:pairs-my-data", "tab:pairs-my-data-1"]
    assert r"\caption{Pairs, my\_data, 9 pairs. Per cent right; overall with its" in text


def test_special_characters_are_escaped() -> None:
    assert escape_tex("a_b 50 % {x} $5 #1 <y> |z| “q” 3–4 −1 \\ ^ ~ &") == (
        r"a\_b 50 \% \{x\} \$5 \#1 $<$y$>$ $|$z$|$ ``q'' 3--4 $-$1 \textbackslash{} "
        r"\textasciicircum{} \textasciitilde{} \&"
    )
    assert label_of("tab", "Suites: NP/Z, “x_y”") == "tab:suites-np-z-x-y"


class TestOfARun:
    def test_markdown_has_a_row_for_each_model_and_for_people(self, page: Page) -> None:
        text = markdown_tables(page.boards)
        assert "| builtin:lstm | " in text
        assert "| People\\* | 88.6 |" in text
        widths = {line.count("|") for line in text.split("\n\n")[1].splitlines()}
        assert widths == {15}

    def test_suites_have_chance_and_predictions_in_words_and_symbols(self, page: Page) -> None:
        text = markdown_tables(page.boards)
        assert re.search(r"\| chance \| 28\.\d \| 25\.0 \|", text)
        said = "“npi” is less surprising in neg\\_pos than in pos\\_pos, and"
        assert f"| npi\\_orc\\_any | {said}" in text
        assert "`(S(neg_pos, npi) < S(pos_pos, npi)) ∧ (S(neg_neg, npi) < S(pos_neg, npi))" in text

    def test_latex_says_a_prediction_once_for_the_suites_that_share_it(self, page: Page) -> None:
        text = tex_tables(page.boards)
        said = "``npi'' is less surprising in neg\\_pos than in pos\\_pos, and"
        assert text.count(said) == 1
        assert r"S(neg\_pos, npi) $<$ S(pos\_pos, npi)" in text

    def test_latex_environments_are_balanced_and_rows_have_no_bare_character(
        self, page: Page
    ) -> None:
        text = tex_tables(page.boards)
        opened: list[str] = []
        for kind, name in ENVIRONMENT.findall(text):
            if kind == "begin":
                opened.append(name)
            else:
                assert opened.pop() == name
        assert opened == []
        code = [line for line in text.splitlines() if not line.startswith("%")]
        bare = re.compile(r"(?<!\\)[#_]|[–“”−∧]|(?<!\$)[<](?!\$)")
        assert [line for line in code if bare.search(line.replace(FIT, ""))] == []
        assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")

    @pytest.mark.skipif(not shutil.which("pdflatex"), reason=REMEDY)
    def test_latex_compiles_it_and_nothing_is_too_wide(self, page: Page, tmp_path: Path) -> None:
        (tmp_path / "tables.tex").write_text(tex_tables(page.boards), "utf-8")
        (tmp_path / "paper.tex").write_text(DOCUMENT, "utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
        said = done.stdout.decode("utf-8", "replace")
        assert done.returncode == 0, said[-2000:]
        assert "Overfull" not in said
        assert "Float too large" not in said
