"""People of a study beside models: read from an export, in the page and in both kinds of tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from priscian import analyse
from priscian.analysis.people.study import beside_models
from priscian.errors import DataError, UsageError
from priscian.judge.answer import Asked, answer_study
from priscian.judge.export import export_store
from priscian.judge.opening import freeze_study, open_store
from priscian.judge.sitting import enter
from priscian.judge.store import Arrival, SentAnswer, Sitting
from priscian.reporting.make_report import report, report_tables
from priscian.reporting.sections.of_page import study_tables
from priscian.runs import score
from tests.browser import PHONE, Visit, open_report, wait_for
from tests.judge.studies import make

PAIRS = [(f"Dogs bark {n} times.", f"Dogs barks {n} times.", "ab"[n % 2]) for n in range(4)]
WRONG = {("ann", 0), ("ann", 1), ("bob", 1), ("cy", 1)}
"""Who chose the bad sentence of which pair."""


def judged(folder: Path, task: str = "choice") -> Path:
    """Three people judge four pairs; a model that likes short sentences answers too."""
    table = "id,set,good,bad\n" + "".join(
        f"p{n},{s},{g},{b}\n" for n, (g, b, s) in enumerate(PAIRS)
    )
    if task != "choice":
        rows = [(f"p{n}", s, c, t) for n, (g, b, s) in enumerate(PAIRS)
                for c, t in (("good", g), ("bad", b))]  # fmt: skip
        table = "id,set,lexicalisation,condition,sentence\n" + "".join(
            f"{i}{c},{s},{i},{c},{t}\n" for i, s, c, t in rows
        )
    frozen = freeze_study(make(folder / "study", task, items=table))
    store = open_store(folder / "study")
    for number, name in enumerate(
        ("ann", "bob", "cy", "dan") if task != "choice" else ("ann", "bob", "cy")
    ):
        with store.backend.transaction():
            sitting = enter(store, frozen, Arrival("none", name))
            assert isinstance(sitting, Sitting)
            for trial in store.trials(sitting.id):
                pair = int(trial.item[1:]) if task == "choice" else 0
                other = {"left": "right", "right": "left"}.get(trial.side, "")
                if task == "choice":
                    said = other if (name, pair) in WRONG else trial.side
                else:
                    said = str(6 - number % 2 if trial.condition == "good" else 2)
                store.answer(
                    sitting.id, 1, SentAnswer(trial.position, said, 1.0 + number, 0.0, "script")
                )
            store.finish(sitting.id, "CODE")
    if task == "choice":
        answer_study(store, frozen, "short", lambda ts: {t: -len(t.text) for t in ts}, Asked())
    export_store(store, frozen, folder / "results", keep_excluded=True)
    store.close()
    return folder / "results"


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An embedded model on the first three pairs."""
    folder = tmp_path_factory.mktemp("scored")
    rows = [json.dumps({"good": g, "bad": b, "set": s}) for g, b, s in PAIRS[:3]]
    (folder / "pairs.jsonl").write_text("\n".join(rows) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRISCIAN_CACHE", str(folder / "cache"))
        score("builtin:ngram", f"pairs:{folder / 'pairs.jsonl'}", out=folder / "run")
    return folder / "run"


def test_people_and_models_are_counted_on_the_same_pairs(tmp_path: Path, scored: Path) -> None:
    from priscian.runs import load_run

    found = beside_models(judged(tmp_path), load_run(scored).results)
    assert (found.people, found.answers, found.pairs) == (3, 12, 4)
    one_by_one, majority = found.everybody[:2]
    # pair 0: 2/3, pair 1: 0, pairs 2 and 3: 1; sets a = (0, 2), b = (1, 3)
    got = {name: found.score(one_by_one, name) for name in ("a", "b", "overall")}
    assert got["a"] is not None
    assert got["a"].accuracy == pytest.approx(5 / 6)
    assert got["b"] is not None
    assert got["b"].accuracy == pytest.approx(1 / 2)
    assert got["overall"] is not None
    assert got["overall"].accuracy == pytest.approx(2 / 3)
    most = found.score(majority)
    assert most is not None
    assert most.accuracy == pytest.approx(3 / 4)
    asked = found.score("short/probability (asked)")
    assert asked is not None
    assert (asked.accuracy, asked.pairs) == (1.0, 4)
    model = found.score("builtin:ngram")
    assert model is not None
    assert model.pairs == 3
    assert found.median_time == 2.0
    # three raters, pairs 2:1, 0:3, 3:0, 3:0: P = (1/3 + 1 + 1 + 1)/4; between two sentences whose
    # names are arbitrary chance agreement is ½
    assert found.agreement.raw == pytest.approx(10 / 12)
    assert found.agreement.fleiss_kappa == pytest.approx(2 * 10 / 12 - 1)


def exported(folder: Path, sets: dict[str, list[str]], checks: str = "") -> Path:
    """An exported study: for each set its pairs, each with its answers, g or b by person."""
    folder.mkdir()
    (folder / "codebook.md").write_text("# Codebook of five\n")
    (folder / "raw.jsonl").write_text("")
    items, choices = (
        ["item,set,phenomenon,good,bad"],
        ["set,item,rater,response,kind,attention_check"],
    )
    for name, pairs in sets.items():
        for number, answers in enumerate(pairs):
            item = f"{name}{number}"
            items.append(f"{item},{name},,Good {item}.,Bad {item}.")
            for n, said in enumerate(answers):
                choices.append(f"{name},{item},p{n},{'good' if said == 'g' else 'bad'},person,0")
            choices.append(f"{name},{item},lm,good,model,0")
    for n, said in enumerate(checks):
        choices.append(f",check,p{n},{'good' if said == 'g' else 'bad'},person,1")
    (folder / "items.csv").write_text("\n".join(items) + "\n")
    (folder / "choices.csv").write_text("\n".join(choices) + "\n")
    return folder


def test_the_report_has_the_accuracy_of_analyse_human_and_says_what_is_left_out(
    tmp_path: Path,
) -> None:
    sets = {
        "kept": ["ggg", "ggb", "ggg", "ggb", "gbb"],  # a majority for 4 of 5
        "left": ["ggg", "ggb", "ggg", "bbb", "gbb"],  # for 3 of 5
    }
    folder = exported(tmp_path / "five", sets)
    found = beside_models(folder, [])
    same = analyse.human(folder / "choices.csv")
    one_by_one, majority = (found.score(f"people, {how}") for how in ("one by one", "majority"))
    assert one_by_one is not None
    assert majority is not None
    assert (one_by_one.accuracy, one_by_one.pairs) == (pytest.approx(11 / 15), 5)
    assert (majority.accuracy, majority.pairs) == (4 / 5, 5)
    assert (one_by_one.low, one_by_one.high) == same.individual_ci
    assert (one_by_one.accuracy, majority.accuracy) == (same.individual, same.majority)
    asked = found.score("lm (asked)")
    assert asked is not None
    assert asked.pairs == found.pairs == 5
    assert found.classes == ("kept", "overall")
    (note,) = [n for n in found.notes if "rule" in n]
    assert note == same.exclusion
    assert (
        "5 of 10 pairs: left (3 of 5). With them, individual agreement is 66.67 %" in note
    )  # 11/15 and 9/15
    assert note in found.figures[0].caption
    assert note in study_tables(found)[0].note


def test_people_who_failed_a_check_do_not_count_and_this_is_said(tmp_path: Path) -> None:
    folder = exported(tmp_path / "five", {"a": ["ggb", "ggg", "ggg", "ggg", "ggg"]}, "ggb")
    found = beside_models(folder, [])
    score_ = found.score("people, one by one")
    assert score_ is not None
    assert score_.accuracy == 1.0 == analyse.human(folder / "choices.csv").individual
    assert "1 person failed an attention check; their 5 answers do not count." in found.notes
    everybody = beside_models(exported(tmp_path / "none", {"a": ["gg"]}, "bb"), [])
    assert "Everybody failed an attention check, so all answers count." in everybody.notes
    assert "No set meets the rule 4/5, so all sets count." in everybody.notes


def test_ratings_are_compared_by_pairs(tmp_path: Path) -> None:
    found = beside_models(judged(tmp_path, "likert"), [])
    assert found.everybody == ("people, mean rating",)
    score_ = found.score("people, mean rating")
    assert score_ is not None
    assert score_.accuracy == 1.0
    assert "No model of the runs" in found.notes[0]


def test_tables_have_people_and_models(tmp_path: Path, scored: Path) -> None:
    folder = judged(tmp_path)
    markdown = report_tables([scored, folder], "md")
    assert "| people, one by one | 66.7 (" in markdown
    assert "| short/probability (asked) | 100.0 (" in markdown
    assert "| Median response time | 2.00 s |" in markdown
    assert "| Two people agree | 83.3 % |" in markdown
    assert "| Fleiss’ κ | 0.667 |" in markdown
    assert "Choices are compared by which of the two sentences was chosen" in markdown
    tex = report_tables([scored, folder], "tex")
    assert "people, majority & 75.0 (" in tex
    assert r"Krippendorff's $\alpha$ (nominal) &" in tex


def test_two_exports_of_one_study_are_told_apart(tmp_path: Path, scored: Path) -> None:
    folders = [judged(tmp_path / name) for name in "ab"]
    markdown = report_tables([scored, *folders], "md")
    assert "People and models on the same pairs: small**" in markdown
    assert "People and models on the same pairs: small (2)**" in markdown
    report([scored, *folders], tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.count('data-figure="study-small"') == 1
    assert page.count('data-figure="study-small (2)"') == 1


def test_two_exports_of_one_study_have_figures_of_their_own(tmp_path: Path, scored: Path) -> None:
    folders = [judged(tmp_path / name) for name in ("one", "two")]
    page = report([scored, *folders])
    names = [figure.name for figure in page.figures]
    assert len(set(names)) == len(names)
    assert {"study-small", "study-small (2)"} <= set(names)
    assert all(page.html.count(f'id="{name}"') == 1 for name in names if name.startswith("study"))


def test_what_is_wrong_with_a_folder_is_said(tmp_path: Path, scored: Path) -> None:
    folder = judged(tmp_path)
    with pytest.raises(UsageError, match="name a run as well"):
        report(folder)
    (folder / "items.csv").unlink()
    with pytest.raises(DataError, match=r"no .*items.csv; write the folder again"):
        report([scored, folder])


def test_the_page_shows_the_study(tmp_path: Path, scored: Path, visit: Visit) -> None:
    report([scored, judged(tmp_path)], tmp_path / "report.html")
    for look in ({"viewport": {"width": 1400, "height": 900}}, PHONE):
        page: Any = visit(**look)
        open_report(page, tmp_path / "report.html")
        assert page.locator("h3:text-is('People')").count() == 1
        rows = page.locator("table.plain").first.locator("tbody th").all_inner_texts()
        assert rows[:2] == ["people, one by one", "people, majority"]
        for name in ("study-small", "study-small-times"):
            page.locator(f"figure[data-figure='{name}']").scroll_into_view_if_needed()
            wait_for(page, f"document.getElementById('{name}').dataset.drawn === 'yes'")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
