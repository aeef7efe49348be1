"""Data strings: formats, bare paths, plug-ins."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints

import pytest

import priscian.datasets as datasets
from priscian.datasets import (
    DataFormat,
    PairColumns,
    data_formats,
    generation,
    read_dataset,
    register_format,
    registry,
)
from priscian.datasets.mapped_pairs import pair_formats
from priscian.errors import DataError, PriscianWarning, UnknownNameError, UsageError
from priscian.records import Item, ItemSet, Sentence


@pytest.fixture(autouse=True)
def formats_as_before(monkeypatch):
    data_formats()
    monkeypatch.setattr(registry, "_FORMATS", dict(registry._FORMATS))


@pytest.fixture
def plug_in(monkeypatch):
    def offer(*points):
        found = EntryPoints(EntryPoint(name, value, registry.GROUP) for name, value in points)
        monkeypatch.setattr(registry, "entry_points", lambda **k: found.select(**k))

    return offer


def read_toy(target):
    return [
        ItemSet("toy", (Item("toy/0", {"a": Sentence(target or "none")}),), taxonomy=("Agreement",))
    ]


TOY = DataFormat("toy", read_toy, "a toy", levels=("circuit",), needs_path=False)


def test_blimp_by_name(write_jsonl, full_row):
    path = write_jsonl("geese.jsonl", *(full_row(n) for n in range(3)))
    data = read_dataset(f"blimp:{path}")
    assert (data.name, data.spec) == ("geese", f"blimp:{path}")
    assert data.taxonomy_levels == ("field", "phenomenon")
    assert [(s.name, len(s)) for s in data.sets] == [("goose_agreement", 3)]


def test_pairs_by_name_with_columns(write_text):
    path = write_text("owls.csv", "x,y,phenomenon\nA.,B.,islands\n")
    data = read_dataset(f"pairs:{path}", PairColumns(good="y", bad="x"))
    assert data.sets[0].items[0]["good"].text == "B."
    assert data.taxonomy_levels == ("phenomenon",)


def test_a_limit_keeps_the_first_items_of_each_set(write_text):
    path = write_text("owls.csv", "paradigm,good,bad\np,A.,B.\np,C.,D.\nq,E.,F.\np,G.,H.\n")
    data = read_dataset(f"pairs:{path}", limit=2)
    assert [[i["good"].text for i in s.items] for s in data.sets] == [["A.", "C."], ["E."]]
    assert data.taxonomy_levels == ()
    with pytest.raises(UsageError, match="a limit of 0 items"):
        read_dataset(f"pairs:{path}", limit=0)


def test_our_suites_are_made_no_longer_than_the_limit_and_begin_alike(monkeypatch):
    asked = []
    make = generation.read_generated
    watched = lambda what, target: asked.append(target) or make(what, target)  # noqa: E731
    monkeypatch.setattr(generation, "read_generated", watched)
    few, more = read_dataset("sg", limit=2), read_dataset("sg", limit=9)
    assert asked == ["1,2", "1,9"]
    assert few.name == more.name == "sg"
    assert few.sets == tuple(replace(s, items=s.items[:2]) for s in more.sets)


def test_a_bare_path_is_read_by_its_content(write_jsonl, write_text, full_row, monkeypatch):
    official = write_jsonl("d/geese.jsonl", full_row())
    assert read_dataset(str(official.parent)).name == "d"
    assert read_dataset(str(official)).sets[0].name == "goose_agreement"
    bare = write_jsonl("owls.jsonl", {"sentence_good": "A.", "sentence_bad": "B."})
    assert registry.guess_format(str(bare)) == "blimp"
    sling = {"sentence_good": "A.", "sentence_bad": "B.", "paradigm": "p", "phenomenon": "q"}
    path = write_jsonl("sling.jsonl", sling)
    assert registry.guess_format(str(path)) == "pairs"
    assert read_dataset(str(path)).sets[0].name == "p"
    assert read_dataset(str(write_text("t.csv", "good,bad\nA.,B.\n"))).sets[0].name == "t"
    odd = write_jsonl("odd.jsonl", full_row() | {"fine": "Yes.", "poor": "No."})
    assert (
        read_dataset(str(odd), PairColumns(good="fine", bad="poor")).sets[0].items[0]["bad"].text
        == "No."
    )
    monkeypatch.chdir(official.parent)
    assert read_dataset("blimp:.").name == "d"


def test_unknown_formats_suggest_known_ones(tmp_path):
    with pytest.raises(UnknownNameError, match=r"no data format 'blmip'; did you mean blimp"):
        read_dataset(f"blmip:{tmp_path}")
    with pytest.raises(DataError, match=r"no file or folder 'nowhere'; .*formats: blimp, pairs"):
        read_dataset("nowhere")
    with pytest.raises(DataError, match="no file or folder"):
        read_dataset("blimp:nowhere")
    with pytest.raises(DataError, match=r"no file or folder 'C:"):
        read_dataset("C:\\nowhere.csv")
    with pytest.raises(UsageError, match=r"'pairs' names no data; write pairs:PATH"):
        read_dataset("pairs")


def test_a_path_with_a_colon_is_a_path(write_text):
    assert read_dataset(str(write_text("pairs:x.csv", "good,bad\nA.,B.\n"))).name == "pairs:x"


def test_a_format_can_be_registered_and_need_no_path():
    register_format(TOY)
    data = read_dataset("toy")
    assert (data.name, data.taxonomy_levels) == ("toy", ("circuit",))
    assert read_dataset("toy:2020").name == "toy-2020"
    known = list(data_formats())
    assert {"blimp", "pairs", "generated", "li-adger", "graded"} < set(known)
    assert known[-1] == "toy"


def test_a_format_says_of_which_kind_its_data_are():
    kinds = {name: form.kind for name, form in data_formats().items()}
    assert (
        kinds.items()
        >= {
            "blimp": "pairs",
            "pairs": "pairs",
            "generated": "pairs",
            "generated-sg": "suites",
            "li-adger": "graded",
            "graded": "graded",
            "cola": "labels",
            "sg": "suites",
            "syntaxgym": "suites",
            **dict.fromkeys(pair_formats(), "pairs"),
        }.items()
    )
    assert read_dataset("graded:textbook").kind == "graded"


def test_a_plug_in_is_found_by_entry_point(plug_in, monkeypatch):
    monkeypatch.setattr(datasets, "TOY", TOY, raising=False)
    plug_in(("toy", "priscian.datasets:TOY"))
    assert read_dataset("toy:").sets[0].name == "toy"
    assert data_formats()["toy"] is TOY


def test_a_broken_plug_in_warns_and_the_rest_works(plug_in, write_text):
    plug_in(("gone", "no_such_module:X"), ("odd", "priscian.datasets:read_blimp"))
    with pytest.warns(PriscianWarning) as caught:
        known = set(data_formats())
    assert not {"gone", "odd"} & known
    assert {"blimp", "pairs", "generated"} < known
    messages = [str(w.message) for w in caught]
    assert messages[0].startswith("data set plug-in 'gone' (no_such_module:X) cannot be used: ")
    assert "is not a DataFormat" in messages[1]
    path = write_text("t.csv", "good,bad\nA.,B.\n")
    assert read_dataset(f"pairs:{path}").name == "t"


def test_every_public_name_is_listed():
    for name in datasets.__all__:
        assert hasattr(datasets, name)
    assert datasets.__all__ == sorted(datasets.__all__)
