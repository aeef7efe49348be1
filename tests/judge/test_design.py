"""Lists, sides and orders: every rule holds for any numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.errors import DataError
from priscian.judge.design import PlannedTrial, arrange, draw_trials, make_lists
from priscian.judge.frozen import build, instructed
from priscian.judge.items import Material
from priscian.judge.study import Checks, Lists, Order, Study, StudyItems
from tests.judge.studies import make


def broken_rules(trials: Sequence[PlannedTrial], rules: Order) -> list[str]:
    """What an order breaks, in words; empty if it keeps every rule."""
    found = []
    kinds = [t.kind == "practice" for t in trials]
    if kinds != sorted(kinds, reverse=True):
        found.append("practice does not come first")
    main = [(n, t) for n, t in enumerate(trials) if t.kind in ("item", "filler")]
    last: dict[str, int] = {}
    for n, trial in main:
        if trial.set in last and n - last[trial.set] <= rules.between_same_set:
            found.append(f"{trial.set} at {last[trial.set] + 1} and {n + 1}")
        last[trial.set] = n
    shapes = [t.shape if t.kind in ("item", "filler") else None for t in trials]
    row = rules.same_in_a_row
    if row and len({s for s in shapes if s is not None}) > 1:
        for n in range(len(shapes) - row):
            window = shapes[n : n + row + 1]
            if window[0] is not None and len(set(window)) == 1:
                found.append(f"{window[0]} {row + 1} times in a row at {n + 1}")
    return found


def materials(sets: int, each: int, conditions: int) -> list[Material]:
    return [
        Material(
            id=f"{s}-{n}",
            kind="item",
            set=f"set{s}",
            conditions={f"c{c}": f"Sentence {s} {n} {c}." for c in range(conditions)},
        )
        for s in range(sets)
        for n in range(each)
    ]


@given(st.integers(1, 6), st.integers(1, 7), st.integers(1, 4), st.integers(0, 9))
def test_the_latin_square_shows_every_condition_of_every_item_once(
    sets: int, each: int, conditions: int, per: int
) -> None:
    study = Study(name="x", task="likert", items=StudyItems(), lists=Lists(per_sitting=per))
    items = materials(sets, each, conditions)
    plans = make_lists(study, items)
    shown = Counter((t.item, t.condition) for plan in plans for t in plan.trials)
    assert shown == {(m.id, c): 1 for m in items for c in m.conditions}
    sizes = Counter()
    for plan in plans:
        assert len({t.item for t in plan.trials}) == len(plan.trials)
        sizes[len(plan.trials)] += 1
        counts = Counter(t.condition for t in plan.trials)
        most = max(counts.values())
        assert all(counts[f"c{c}"] >= most - 1 for c in range(conditions))
    assert max(sizes) - min(sizes) <= 1
    assert per == 0 or max(sizes) <= per


@given(st.integers(1, 5), st.integers(1, 6), st.integers(0, 7))
def test_sides_are_balanced_for_every_item(sets: int, each: int, per: int) -> None:
    study = Study(name="x", task="choice", items=StudyItems(), lists=Lists(per_sitting=per))
    sides: dict[str, list[str]] = {}
    parts: dict[str, set[int]] = {}
    for plan in make_lists(study, materials(sets, each, 2)):
        for trial in plan.trials:
            sides.setdefault(trial.item, []).append(trial.side)
            parts.setdefault(trial.item, set()).add(plan.part)
    assert all(sorted(found) == ["left", "right"] for found in sides.values())
    assert all(len(found) == 1 for found in parts.values())


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=40),
    st.integers(0, 2),
    st.integers(2, 5),
    st.integers(0, 4),
    st.integers(0, 5),
)
def test_an_order_keeps_every_rule_or_there_is_none(
    drawn: list[tuple[int, int]], gap: int, row: int, checks: int, seed: int
) -> None:
    rules = Order(between_same_set=gap, same_in_a_row=row)
    main = [
        PlannedTrial(item=str(n), kind="item", set=str(s), condition=f"c{c}")
        for n, (s, c) in enumerate(drawn)
    ]
    extra = [PlannedTrial(item=f"k{n}", kind="check", set="check") for n in range(checks)]
    practice = [PlannedTrial(item=f"w{n}", kind="practice", set="practice") for n in range(2)]
    made = arrange(practice, main, extra, rules, str(seed))
    assert made == arrange(practice, main, extra, rules, str(seed))
    if made is None:
        assert gap or row < len(main)
        return
    assert broken_rules(made, rules) == []
    assert Counter(t.item for t in made) == Counter(t.item for t in [*practice, *main, *extra])
    places = [n for n, t in enumerate(made) if t.kind == "check"]
    if 0 < checks <= len(main):
        assert all(b - a > 1 for a, b in pairwise(places))
        assert places[0] > 2


def test_broken_rules_are_seen() -> None:
    def trials(*sets: str) -> list[PlannedTrial]:
        return [
            PlannedTrial(item=str(n), kind="item", set=s, condition=s) for n, s in enumerate(sets)
        ]

    assert broken_rules(trials("a", "a", "b"), Order(between_same_set=1)) == ["a at 1 and 2"]
    assert broken_rules(trials("a", "a", "b"), Order(between_same_set=0, same_in_a_row=1))


def test_two_sittings_of_a_list_have_the_same_trials_in_another_order(tmp_path: Path) -> None:
    frozen = build(make(tmp_path, "likert", "[checks]\ninstructed = 2\n"))
    one, two = (draw_trials(frozen.study, frozen.materials, frozen.plan(1), seed) for seed in "ab")
    assert {t.item for t in one if t.kind == "item"} == {t.item for t in two if t.kind == "item"}
    assert [t.item for t in one] != [t.item for t in two]


def test_fillers_practice_and_gold_are_drawn_from_their_tables(tmp_path: Path) -> None:
    folder = make(
        tmp_path,
        "likert",
        '[fillers]\ntable = "f.csv"\nper_sitting = 3\n[practice]\ntable = "w.csv"\n'
        '[checks]\ngold = "g.csv"\ngold_per_sitting = 1\ninstructed = 1\n',
    )
    (folder / "f.csv").write_text("id,sentence\n" + "".join(f"f{n},F {n}.\n" for n in range(9)))
    (folder / "w.csv").write_text("id,sentence\nw1,W 1.\nw2,W 2.\n")
    (folder / "g.csv").write_text("id,sentence,answer\ng1,Fine.,6-7\ng2,Awful.,1-2\n")
    frozen = build(folder)
    trials = draw_trials(frozen.study, frozen.materials, frozen.plan(1), "x")
    kinds = Counter(t.kind for t in trials)
    assert kinds == {"item": 12, "filler": 3, "practice": 2, "gold": 1, "check": 1}
    assert {t.kind for t in trials[:2]} == {"practice"}
    (folder / "g.csv").write_text("id,sentence\ng1,Fine.\n")
    with pytest.raises(DataError, match="gold sentence g1 has no answer"):
        build(folder)


def test_lists_of_ones_own_are_used_as_they_are(tmp_path: Path) -> None:
    folder = make(tmp_path, "choice", '[lists]\ntable = "l.csv"\n')
    (folder / "l.csv").write_text("list,item,side\nA,p1,left\nA,p2,right\nB,p1,right\n")
    frozen = build(folder)
    assert [[(t.item, t.side) for t in plan.trials] for plan in frozen.plans] == [
        [("p1", "left"), ("p2", "right")],
        [("p1", "right")],
    ]
    (folder / "l.csv").write_text("list,item,side\nA,p99,left\n")
    with pytest.raises(DataError, match=r"l\.csv:2: no item 'p99'"):
        build(folder)


@pytest.mark.parametrize("task", ["choice", "likert", "binary", "magnitude"])
def test_instructed_checks_say_their_answer(task: str) -> None:
    study = Study(name="x", task=task, items=StudyItems(), checks=Checks(instructed=2))  # type: ignore[arg-type]
    for check in instructed(study):
        said = check.conditions.get("good") or check.conditions["sentence"]
        shown = {"yes": study.scale.yes, "no": study.scale.no}.get(check.answer, check.answer)
        assert task == "choice" or shown in said
