"""Numbers and names as they stand on disk: digits of other kinds, thousands of them, odd bytes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from priscian.errors import DataError, DataWarning
from priscian.files import data_files, is_unicode, names_in, natural_order, whole_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0), ("007", 7), ("9" * 18, 10**18 - 1), ("9" * 19, None), ("9" * 5000, None),
        ("²", None), ("٣", None), ("一", None), ("-1", None), ("+1", None), ("1_000", None),
        ("1.0", None), (" 1", None), ("", None), ("Ⅷ", None), ("1e3", None),
    ],
)  # fmt: skip
def test_only_plain_digits_are_a_whole_number(text: str, number: int | None) -> None:
    assert whole_number(text) == number


def test_a_number_above_the_limit_is_none() -> None:
    assert (whole_number("10", 10), whole_number("11", 10)) == (10, None)


def test_names_are_sorted_by_their_numbers_whatever_else_is_in_them() -> None:
    long = "step" + "9" * 5000
    names = ["step10", "step5²", "step9", long, "main", "step9-2", "step009-10"]
    assert sorted(names, key=natural_order) == [
        "main", "step5²", "step9", "step9-2", "step009-10", "step10", long,
    ]  # fmt: skip
    assert sorted(["b", "²", "a٣", "a2"], key=natural_order) == ["a2", "a٣", "b", "²"]


class TestFolders:
    def test_names_that_match_are_in_natural_order(self, tmp_path: Path) -> None:
        for name in ("step10", "step9", "step5²", "other"):
            (tmp_path / name).mkdir()
        assert names_in(tmp_path, "step*") == ["step5²", "step9", "step10"]
        assert names_in(tmp_path, "") == names_in(tmp_path, "/*") == []
        assert names_in(tmp_path / "gone") == []

    def test_a_name_that_is_not_utf_8_is_left_out_with_a_note(self, tmp_path: Path) -> None:
        odd = os.fsdecode(b"step\xff")
        for name in ("step1", odd):
            (tmp_path / name).mkdir()
        assert not is_unicode(odd)
        assert is_unicode("step𝄞")
        with pytest.warns(DataWarning, match=r"the name 'step\\udcff' is not UTF-8; left out"):
            assert names_in(tmp_path) == ["step1"]

    @pytest.mark.parametrize("kind", ["dangling", "loop", "pipe", "device"])
    def test_a_data_file_that_is_none_is_refused_and_not_left_out(
        self, kind: str, tmp_path: Path
    ) -> None:
        (tmp_path / "a.csv").touch()
        (tmp_path / "folder.csv").mkdir()
        assert data_files(tmp_path, [".csv"]) == [tmp_path / "a.csv"]
        odd = tmp_path / "b.csv"
        if kind == "pipe":
            os.mkfifo(odd)
        else:
            odd.symlink_to({"dangling": "c.csv", "loop": "b.csv", "device": "/dev/null"}[kind])
        with pytest.raises(DataError, match=r"'b\.csv' is no file but a link that leads nowhere"):
            data_files(tmp_path, [".csv"])

    def test_a_data_file_whose_name_is_not_utf_8_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub" / os.fsdecode(b"a\xff.csv")).touch()
        with pytest.raises(DataError, match=r"the name 'sub/a\\udcff\.csv' is not UTF-8; rename"):
            data_files(tmp_path, [".csv"])
