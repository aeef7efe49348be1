"""The LI-Adger release and CoLA: the real files where they are here, small ones of our own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from priscian.datasets.cola import read_cola, read_cola_features
from priscian.datasets.li_adger import PAIR_SCORES, PAIRS, RATINGS, SENTENCES, read_li_adger
from priscian.errors import DataError, UnknownNameError

Write = Callable[..., Path]


@pytest.fixture
def release(write_text: Write, tmp_path: Path) -> Path:
    """A release of two pairs, one of them discarded, with one model by pair only."""
    write_text(
        SENTENCES,
        "dataset,id,sentence\nLI,a.1.g.01,Owls hoot.\nLI,a.2.*.01,Owls hoots.\n"
        "LI,a.1.g.02,An owl hoots.\nLI,a.2.*.02,An owl hoot.\n",
    )
    write_text(RATINGS, "id,judgement\na.1.g.01,1\na.2.*.01,-1\na.1.g.02,0.5\na.2.*.02,#N/A\n")
    write_text(
        PAIRS,
        "dataset,discard,gramm_id,ungramm_id\nLI,,a.1.g.01,a.2.*.01\nLI,X,a.1.g.02,a.2.*.02\n",
    )
    write_text(
        "bert_results_li-adger_sentences.csv",
        "id,sentence,bert,bert_zscores\na.1.g.01,Owls hoot.,-2,1\na.2.*.01,Owls hoots.,-4,-1\n"
        "a.1.g.02,An owl hoots.,-2,1\na.2.*.02,An owl hoot.,-4,-1\n",
    )
    write_text(
        PAIR_SCORES,
        "gramm_id,ungramm_id,tri_gramm,tri_zscores_gramm,tri_ungramm,tri_zscores_ungramm\n"
        "a.1.g.01,a.2.*.01,-9,0.3,-8,0.6\n",
    )
    return tmp_path


def test_a_release_is_read_whole(release: Path) -> None:
    found = read_li_adger(release)
    assert [p.ids for p in found.graded.pairs] == [("a.1.g.01", "a.2.*.01")]
    assert found.discarded == 1
    assert found.graded.by_id["a.2.*.02"].rating is None
    assert found.graded.by_id["a.2.*.02"].acceptable is False
    assert {s.name: len(s.values) for s in found.scores} == {"bert": 4, "tri": 2}
    assert found.scores[1].z == {"a.1.g.01": 0.3, "a.2.*.01": 0.6}


def test_a_judgement_that_is_no_number(release: Path) -> None:
    path = release / RATINGS
    path.write_text(path.read_text().replace("0.5", "fine"))
    with pytest.raises(DataError, match=r":4: the judgement is 'fine', not a number"):
        read_li_adger(release)


def test_a_sentence_rated_twice(release: Path) -> None:
    with (release / RATINGS).open("a") as file:
        file.write("a.1.g.01,2\n")
    with pytest.raises(DataError, match=r"id 'a.1.g.01' is rated twice"):
        read_li_adger(release)


def test_a_judgement_of_nothing(release: Path) -> None:
    with (release / RATINGS).open("a") as file:
        file.write("b.1.g.01,2\n")
    with pytest.raises(DataError, match=r"'b.1.g.01' is rated but not in"):
        read_li_adger(release)


def test_a_folder_that_is_no_release(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="give the folder of the LI-Adger release"):
        read_li_adger(tmp_path)


def test_the_real_release_has_the_published_counts(shared: Path) -> None:
    found = read_li_adger(shared / "data/li_adger")
    assert (len(found.graded.sentences), len(found.graded.pairs), found.discarded) == (
        4178,
        2365,
        28,
    )
    unrated = [s.id for s in found.graded.sentences if s.rating is None]
    assert unrated == ["ch6.93.*.01", "ch6.93.g.09"]
    assert len(found.scores) == 8


class TestCola:
    @pytest.mark.parametrize(("split", "n"), [("train", 8551), ("dev", 516), ("test", 533)])
    def test_splits(self, shared: Path, split: str, n: int) -> None:
        assert len(read_cola(shared / "data/cola", split)) == n

    @pytest.mark.parametrize(("kind", "n"), [("major", 15), ("minor", 63)])
    def test_features(self, shared: Path, kind: str, n: int) -> None:
        found = read_cola_features(shared / "data/cola", kind)
        assert len(found) == 1043
        assert len(set().union(*(s.features for s in found))) == n
        assert sum(s.in_domain for s in found) == 527

    def test_a_small_file(self, write_text: Write, tmp_path: Path) -> None:
        write_text(
            "cola_out_of_domain_dev.csv",
            ",sentence_source,label,label_notes,sentence\n0,x1,0,*,Owls hoots.\n",
        )
        (found,) = read_cola(tmp_path)
        assert (found.id, found.acceptable, found.group) == ("dev.0", False, "x1")

    def test_what_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="give the folder of CoLA's public release"):
            read_cola(tmp_path)
        with pytest.raises(UnknownNameError, match="no split of CoLA 'tset'; did you mean test"):
            read_cola(tmp_path, "tset")
        with pytest.raises(UnknownNameError, match="no kind of CoLA's features 'mini'"):
            read_cola_features(tmp_path, "mini")

    def test_a_row_without_a_label(self, write_text: Write, tmp_path: Path) -> None:
        write_text("cola_out_of_domain_dev.csv", "label,sentence\n,Owls hoots.\n")
        with pytest.raises(DataError, match="no 'label'; add it"):
            read_cola(tmp_path)
