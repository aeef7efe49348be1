"""Fresh pairs as files: the same bytes for a seed, never overwritten, failures named."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from priscian.datasets import read_blimp, read_dataset
from priscian.datasets.generated import choose, write_generated
from priscian.errors import DataError, UnknownNameError, UsageError
from priscian.paradigms import Paradigm, find, load_paradigms

FEW = ("anaphor_number_agreement", "determiner_noun_agreement_2")

BROKEN = '''
from priscian.grammar import Either
from priscian.paradigms import Substitution, paradigm

@paradigm("raises_{0}", phenomenon="x", field="y", edit=Substitution("lemma"))
def raises(g):
    """Yes. / *No."""
    raise ValueError("by design")

@paradigm("equal_{0}", phenomenon="x", field="y", edit=Substitution("lemma"))
def equal(g):
    """Yes. / *No."""
    return g.pair(g.dp(), g.vp("unerg", subject=g.dp()).agree("pl"))

@paradigm("exhausted_{0}", phenomenon="x", field="y", edit=Substitution("lemma"))
def exhausted(g):
    """Yes. / *No."""
    return g.pair(g.word("the"), Either(g.word("cat", "adv"), g.word("dog", "adv")))
'''


def few() -> list[Paradigm]:
    return choose(FEW)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_same_seed_gives_the_same_bytes_with_any_number_of_processes(tmp_path: Path) -> None:
    write_generated(tmp_path / "a", seed=5, n=40, chosen=few())
    write_generated(tmp_path / "b", seed=5, n=40, chosen=few(), jobs=2)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_only_one_paradigm_gives_the_same_pairs_as_a_larger_run(tmp_path: Path) -> None:
    write_generated(tmp_path / "a", seed=5, n=40, chosen=few())
    write_generated(tmp_path / "b", seed=5, n=40, chosen=[find(FEW[1])])
    name = f"{FEW[1]}.jsonl"
    assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_another_seed_gives_other_pairs(tmp_path: Path) -> None:
    for seed in (1, 2):
        write_generated(tmp_path / str(seed), seed=seed, n=40, chosen=few())
    one, two = (
        {item["good"].text for s in read_blimp(tmp_path / str(seed)) for item in s.items}
        for seed in (1, 2)
    )
    assert len(one & two) < 10


def test_the_manifest_names_licence_seed_and_hashes(tmp_path: Path) -> None:
    write_generated(tmp_path / "a", seed=5, n=10, chosen=few())
    manifest = json.loads((tmp_path / "a/manifest.json").read_text())
    assert manifest["licence"] == "CC-BY-4.0"
    assert manifest["seed"] == 5
    for name, facts in manifest["files"].items():
        data = (tmp_path / "a" / name).read_bytes()
        assert facts == {"pairs": 10, "sha256": hashlib.sha256(data).hexdigest()}


def test_files_read_back_with_spans_and_prefix_contrasts(tmp_path: Path) -> None:
    write_generated(tmp_path / "a", seed=5, n=10, chosen=few())
    for itemset in read_blimp(tmp_path / "a"):
        assert itemset.contrasts[0].name == "full"
        assert len(itemset.contrasts) == 2
        for item in itemset.items:
            good = item["good"]
            assert good.text.startswith(f"{good['prefix']} {good['critical']}")


def test_the_data_string_gives_the_same_sentences_as_the_files(tmp_path: Path) -> None:
    write_generated(tmp_path / "a", seed=5, n=10, chosen=few())
    from_files = {s.name: s for s in read_blimp(tmp_path / "a")}
    direct = {s.name: s for s in read_dataset("generated:5,10").sets}
    for name in FEW:
        ours = [i["bad"].text for i in direct[name].items]
        assert ours == [i["bad"].text for i in from_files[name].items]
        assert direct[name].contrasts == from_files[name].contrasts
        assert direct[name].taxonomy == from_files[name].taxonomy


@pytest.mark.parametrize("target", ["x", "", "3,0", "3,x", "-1"])
def test_a_malformed_data_string_is_refused(target: str) -> None:
    with pytest.raises(UsageError, match="generated:SEED"):
        read_dataset(f"generated:{target}")


def test_a_folder_with_something_in_it_is_never_written_to(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(DataError, match="not empty"):
        write_generated(tmp_path, seed=1, n=5, chosen=few())
    assert contents(tmp_path) == {"mine.txt": b"precious"}


def test_failing_paradigms_are_named_and_the_others_go_on(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text(BROKEN.replace("{0}", tmp_path.name.replace("-", "_")))
    broken = load_paradigms(path)
    made = write_generated(tmp_path / "out", seed=1, n=20, chosen=[*broken, find(FEW[0])])
    assert [f.stem for f in made.files] == [FEW[0]]
    raised, equal, exhausted = made.failed.values()
    assert "raised ValueError: by design" in raised
    assert "both sentences are" in equal
    assert "only 1 distinct pairs" in exhausted


def test_an_unknown_paradigm_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean anaphor_number_agreement"):
        choose(["anaphor_number_agrement"])


def test_no_pairs_is_a_wrong_request(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="1 or more"):
        write_generated(tmp_path / "a", seed=1, n=0)
