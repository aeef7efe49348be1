"""LaTeX tables for papers: escaped text, booktabs' rules, a caption, a label, the best in bold."""

from __future__ import annotations

from collections.abc import Sequence

_TEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
    **{c: f"${c}$" for c in "<>|"},
    "–": "--", "—": "---", "“": "``", "”": "''", "‘": "`", "’": "'", "…": r"\ldots{}",
    "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "∧": r"$\wedge$", "∨": r"$\vee$",
    "δ": r"$\delta$", "κ": r"$\kappa$", "α": r"$\alpha$", "χ": r"$\chi$", "²": r"$^2$",
    "≤": r"$\leq$", "≥": r"$\geq$", "→": r"$\to$", "†": r"\dag{}", "\u00a0": "~",
}  # fmt: skip
NARROW = 4
"""Up to so many columns fit one column of a two-column page."""
FIT = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""Makes a table smaller if it is wider than its place; needs graphicx."""


def escape_tex(text: str) -> str:
    r"""Text that LaTeX prints unchanged.

    >>> escape_tex("a_b & 50 %, 3–4")
    'a\\_b \\& 50 \\%, 3--4'
    """
    return "".join(_TEX.get(c, c) for c in text)


def bold(text: str) -> str:
    """A cell in bold."""
    return rf"\textbf{{{text}}}" if text else text


def label_of(*names: str) -> str:
    """A label: letters, digits and single hyphens.

    >>> label_of("tab", "Minimal pairs, blimp")
    'tab:minimal-pairs-blimp'
    """
    kind, *rest = names
    plain = "".join(c if c.isascii() and c.isalnum() else " " for c in " ".join(rest).lower())
    return f"{kind}:{'-'.join(plain.split())}"


def latex_table(
    head: Sequence[str],
    rows: Sequence[Sequence[str] | None],
    *,
    caption: str,
    label: str,
    spans: bool = False,
) -> str:
    r"""A `table` with booktabs' rules; cells are LaTeX already, and None is a rule.

    The first column has names, the others numbers. `spans`: the table is as wide as the page,
    since some of its rows are prose (`spanning`).
    """
    wide = "*" if len(head) > NARROW or spans else ""
    columns = "l" + "r" * (len(head) - 1)
    lines = [
        rf"\begin{{table{wide}}}[t]",
        r"\centering\small",
        FIT,
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
        *(r"\midrule" if row is None else " & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}}",
        rf"\caption{{{caption}}}",
        rf"\label{{{label}}}",
        rf"\end{{table{wide}}}",
    ]
    return "\n".join(lines) + "\n"


def spanning(text: str, columns: int) -> str:
    """A row of prose across a table that is as wide as the page."""
    return rf"\multicolumn{{{columns}}}{{@{{}}p{{0.98\textwidth}}@{{}}}}{{{text}}}"
