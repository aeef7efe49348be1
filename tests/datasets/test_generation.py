"""Fresh pairs and suites: one identity in memory and in files, failures named, nothing lost."""

from __future__ import annotations

import hashlib
import json
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

import priscian
from priscian.datasets import read_blimp, read_dataset, read_suite, write_blimp, write_suite
from priscian.datasets.generation import choose_paradigms, generate, generate_rows
from priscian.datasets.reference import REFERENCE
from priscian.errors import DataError, PriscianWarning, UnknownNameError, UsageError
from priscian.records import ItemSet
from priscian.suites import suites

FEW = ("anaphor_number_agreement", "determiner_noun_agreement_2")

BROKEN = '''\
from priscian.grammar import Either
from priscian.paradigms import Substitution, paradigm

@paradigm("raises", phenomenon="x", field="y", edit=Substitution("lemma"))
def raises(g):
    """Yes. / *No."""
    raise ValueError("by design")

@paradigm("equal", phenomenon="x", field="y", edit=Substitution("lemma"))
def equal(g):
    """Yes. / *No."""
    return g.pair(g.dp(), g.vp("unerg", subject=g.dp()).agree("pl"))

@paradigm("exhausted", phenomenon="x", field="y", edit=Substitution("lemma"))
def exhausted(g):
    """Yes. / *No."""
    return g.pair(g.word("the"), Either(g.word("cat", "adv"), g.word("dog", "adv")))

@paradigm("forgotten", phenomenon="x", field="y", edit=Substitution("lemma"))
def forgotten(g):
    """Yes. / *No."""
    g.pair(g.word("the"), Either(g.word("cat", "adv"), g.word("dog", "adv")))
'''

MY_SUITE = '''\
from priscian.suites import suite

@suite("mine", circuit="Circuit of Mine", regions=["who", "what"], predictions=["(2;%a%)<(2;%b%)"])
def mine(g):
    """The nurse waits. / *The nurse wait."""
    noun, verb = g.noun("person"), g.verb("unerg", subject="person")
    who = f"the {noun.singular.text}"
    return {"a": [who, verb.lemma + "ed"], "b": [who, verb.lemma]}
'''


pytestmark = pytest.mark.usefixtures("catalogues")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def identity(itemset: ItemSet) -> dict[str, object]:
    """All that is known of a set, except the file that messages name."""
    return {
        "name": itemset.name,
        "items": [(i.id, dict(i.conditions), dict(i.meta)) for i in itemset.items],
        "contrasts": itemset.contrasts,
        "taxonomy": itemset.taxonomy,
        "chance": itemset.chance,
        "language": itemset.language,
        "licence": itemset.licence,
        "reference": itemset.reference,
        "meta": {key: value for key, value in itemset.meta.items() if key != "file"},
        "hash": itemset.content_hash,
    }


class TestOnePairOneIdentity:
    def test_memory_and_file_are_equal_for_all_67_paradigms(self, tmp_path: Path) -> None:
        memory = read_dataset("generated:7,3")
        files = generate("blimp", seed=7, n=3, out=tmp_path / "pairs").dataset()
        assert len(memory.sets) == len(files.sets) == 67
        for ours, theirs in zip(memory.sets, sorted(files.sets, key=lambda s: s.name), strict=True):
            assert identity(ours) == identity(theirs)
            assert ours == theirs
            assert ours.licence == "CC-BY-4.0"
            assert ours.reference == f"Priscian {priscian.__version__}, seed 7" != REFERENCE
            assert [i.id for i in ours.items] == [f"{ours.name}/{n}" for n in range(3)]
        assert (memory.kind, memory.taxonomy_levels) == (files.kind, files.taxonomy_levels)

    def test_memory_and_file_are_equal_for_all_suites(self, tmp_path: Path) -> None:
        memory = read_dataset("generated-sg:7,2")
        files = generate("sg", seed=7, n=2, out=tmp_path / "suites").dataset()
        assert [s.name for s in memory.sets] == [n for n, s in suites().items() if not s.further]
        by_name = {s.name: s for s in files.sets}
        for ours in memory.sets:
            assert identity(ours) == identity(by_name[ours.name])
            assert ours.licence == "CC-BY-4.0"
            assert ours.reference == f"Priscian {priscian.__version__}, seed 7"
            assert ours.taxonomy == (suites()[ours.name].circuit,)
        assert (memory.kind, memory.taxonomy_levels) == (files.kind, files.taxonomy_levels)

    def test_a_set_in_memory_is_written_to_the_same_bytes(self, tmp_path: Path) -> None:
        generate("blimp", seed=7, n=3, only=FEW, out=tmp_path / "pairs")
        for path in write_blimp(generate(seed=7, n=3, only=FEW).sets, tmp_path / "again"):
            assert path.read_bytes() == (tmp_path / "pairs" / path.name).read_bytes()

    def test_a_single_file_copied_elsewhere_keeps_its_licence(self, tmp_path: Path) -> None:
        made = generate("blimp", seed=7, n=2, only=FEW[:1], out=tmp_path / "a")
        copy = tmp_path / "copy.jsonl"
        copy.write_bytes(made.files[0].read_bytes())
        [alone] = read_blimp(copy)
        assert (alone.name, alone.licence) == (FEW[0], "CC-BY-4.0")
        assert alone.reference.startswith("Priscian")

    def test_rows_shown_are_the_rows_written(self, tmp_path: Path) -> None:
        made = generate("blimp", seed=7, n=2, only=FEW[:1], out=tmp_path / "a")
        written = [json.loads(line) for line in made.files[0].read_text().splitlines()]
        assert written == list(generate_rows(FEW[0], 2, 7))
        official = ["sentence_good", "sentence_bad", "field", "linguistics_term", "UID",
                    "simple_LM_method", "one_prefix_method", "two_prefix_method",
                    "lexically_identical", "pairID"]  # fmt: skip
        assert set(official) <= set(written[0])

    def test_a_suite_of_a_users_own_file_keeps_its_circuit(self, tmp_path: Path) -> None:
        source = tmp_path / "mine.py"
        source.write_text(MY_SUITE)
        memory = generate("sg", seed=3, n=4, file=source).sets[0]
        made = generate("sg", seed=3, n=4, file=source, out=tmp_path / "out")
        assert identity(memory) == identity(read_suite(made.files[0]))
        assert memory.taxonomy == ("Circuit of Mine",)
        write_suite(memory, tmp_path / "mine.csv")
        table = read_suite(tmp_path / "mine.csv")
        assert (table.taxonomy, table.licence) == (memory.taxonomy, memory.licence)
        assert table.reference == memory.reference
        assert table.content_hash == memory.content_hash


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_processes(tmp_path: Path) -> None:
    generate(seed=5, n=40, only=FEW, out=tmp_path / "a")
    generate(seed=5, n=40, only=FEW, out=tmp_path / "b", jobs=2)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    alone, together = (generate(seed=5, n=3, only=FEW, jobs=jobs) for jobs in (1, 2))
    assert alone.sets == together.sets


def test_only_one_paradigm_gives_the_same_pairs_as_a_larger_run(tmp_path: Path) -> None:
    generate(seed=5, n=40, only=FEW, out=tmp_path / "a")
    generate(seed=5, n=40, only=[FEW[1]], out=tmp_path / "b")
    name = f"{FEW[1]}.jsonl"
    assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_another_seed_gives_other_pairs() -> None:
    one, two = (
        {item["good"].text for s in generate(seed=seed, n=40, only=FEW).sets for item in s.items}
        for seed in (1, 2)
    )
    assert len(one & two) < 10


def test_the_manifest_names_licence_seed_and_hashes(tmp_path: Path) -> None:
    generate(seed=5, n=10, only=FEW, out=tmp_path / "a")
    manifest = json.loads((tmp_path / "a/manifest.json").read_text())
    assert manifest["licence"] == "CC-BY-4.0"
    assert manifest["seed"] == 5
    assert manifest["pairs_per_paradigm"] == 10
    for name, facts in manifest["files"].items():
        data = (tmp_path / "a" / name).read_bytes()
        assert facts == {"pairs": 10, "sha256": hashlib.sha256(data).hexdigest()}


def test_files_read_back_with_spans_and_prefix_contrasts(tmp_path: Path) -> None:
    made = generate(seed=5, n=10, only=FEW, out=tmp_path / "a")
    for itemset in made.dataset().sets:
        assert itemset.contrasts[0].name == "full"
        assert len(itemset.contrasts) == 2
        for item in itemset.items:
            good = item["good"]
            assert good.text.startswith(f"{good['prefix']} {good['critical']}")


def test_the_data_string_of_a_set_in_memory_gives_it_again() -> None:
    for what, only in (("blimp", FEW), ("sg", ["number_prep"])):
        data = generate(what, seed=5, n=2, only=only).dataset()
        again = read_dataset(data.spec)
        assert (again.name, again.kind, again.taxonomy_levels) == (
            data.name, data.kind, data.taxonomy_levels,
        )  # fmt: skip
        assert [replace(s, meta={}) for s in again.sets] == [replace(s, meta={}) for s in data.sets]
    assert read_dataset("generated:5,2,adjunct_island").sets[0].name == "adjunct_island"
    with pytest.raises(UnknownNameError, match="did you mean adjunct_island"):
        read_dataset("generated:5,2,adjunct_iland")


@pytest.mark.parametrize("target", ["x", "", "3,0", "3,x", "-1"])
@pytest.mark.parametrize("form", ["generated", "generated-sg"])
def test_a_malformed_data_string_is_refused(form: str, target: str) -> None:
    with pytest.raises(UsageError, match=f"should be {form}:SEED"):
        read_dataset(f"{form}:{target}")


def test_a_folder_with_something_in_it_is_never_written_to(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(DataError, match="not empty"):
        generate(seed=1, n=5, only=FEW, out=tmp_path)
    assert contents(tmp_path) == {"mine.txt": b"precious"}


def test_failing_paradigms_are_named_with_file_and_line_and_the_others_are_kept(
    tmp_path: Path,
) -> None:
    path = tmp_path / "broken.py"
    path.write_text(BROKEN)
    names = ["raises", "equal", "exhausted", "forgotten", FEW[0]]
    with pytest.warns(PriscianWarning) as caught:
        made = generate(seed=1, n=20, only=names, file=path, out=tmp_path / "out")
    assert [f.stem for f in made.files] == [FEW[0]]
    raised, equal, exhausted, forgotten = made.failed.values()
    assert raised == f"{path}:7: ValueError: by design"
    assert equal.startswith(f"{path}:9: equal: both sentences are")
    assert exhausted.startswith(f"{path}:14: exhausted: only 1 distinct pairs")
    assert forgotten == f"{path}:19: forgotten gave NoneType; return g.pair(…)"
    assert [str(w.message) for w in caught] == list(made.failed.values())


def test_a_file_can_be_loaded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", False)  # a compiled copy may be out of date
    path = tmp_path / "mine.py"
    for name in ("one", "two"):
        path.write_text(MY_SUITE.replace('"mine"', f'"{name}"'))
        assert generate("sg", seed=1, n=1, file=path).names == (name,)
    assert "one" not in suites()


def test_names_that_cannot_be_files_stay_in_the_folder_and_apart(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    twin = MY_SUITE.replace('"mine"', '"../a b"') + MY_SUITE.replace('"mine"', '"../a/b"')
    path.write_text(twin)
    made = generate("sg", seed=1, n=1, file=path, out=tmp_path / "out")
    assert {p.parent for p in made.files} == {tmp_path / "out"}
    assert {s.name for s in made.dataset().sets} == {"../a b", "../a/b"}


def test_a_suite_called_manifest_is_not_overwritten_by_the_manifest(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(MY_SUITE.replace('"mine"', '"manifest"'))
    made = generate("sg", seed=1, n=1, file=path, out=tmp_path / "out")
    assert len(list((tmp_path / "out").iterdir())) == 2
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["seed"] == 1
    assert read_suite(made.files[0]).name == "manifest"


def test_an_unknown_paradigm_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean anaphor_number_agreement"):
        choose_paradigms(["anaphor_number_agrement"])
    with pytest.raises(UnknownNameError, match="did you mean blimp"):
        generate("limp", seed=1)


def test_no_pairs_or_no_jobs_is_a_wrong_request(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="n=0 asks for no pairs; give 1 or more"):
        generate(seed=1, n=0, out=tmp_path / "a")
    with pytest.raises(UsageError, match="jobs takes a whole number from 1"):
        generate(seed=1, n=1, out=tmp_path / "a", jobs=0)
    assert not (tmp_path / "a").exists()


def test_a_result_shows_itself_in_one_line() -> None:
    shown = repr(generate(seed=1, n=2, only=FEW[:1]))
    assert len(shown) < 200
    assert textwrap.shorten(shown, 60).startswith("Generated(what='blimp', seed=1, n=2")
