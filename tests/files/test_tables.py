"""One reader of tables: the same rows from every form, and one line for whatever is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from priscian.errors import DataError, DataWarning
from priscian.files import decode_toml, read_json, read_table, read_text, read_tsv, reading
from priscian.files import parquet as parquet_files
from priscian.files.parquet import read_footer, read_frame

ROWS = [
    {"good": "It rains.", "bad": "It rain.", "id": "1"},
    {"good": 'He said "no", then left.', "bad": "He say no; then\tleft.", "id": "2"},
    {"good": "Zoë’s café.", "bad": "Zoë café’s.", "id": "3"},
]


def write(path: Path) -> Path:
    """The rows in the form that the name asks for."""
    if path.suffix == ".parquet":
        pl.DataFrame(ROWS).write_parquet(path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS))
    else:
        mark = "\t" if path.suffix == ".tsv" else ","
        pl.DataFrame(ROWS).write_csv(path, separator=mark)
    return path


class TestForms:
    @pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.parquet"])
    def test_every_form_gives_the_same_rows(self, tmp_path: Path, name: str) -> None:
        found = read_table(write(tmp_path / name), needs=("good", "bad"))
        assert [row for _, row in found] == ROWS
        first = 2 if name.endswith("sv") else 1
        assert [number for number, _ in found] == [first, first + 1, first + 2]

    @pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.parquet"])
    def test_a_column_that_is_needed_and_missing_is_named(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(DataError, match=rf"{name}:1: no column prefix \(found: good, bad, id"):
            read_table(write(tmp_path / name), needs=("good", "prefix"))

    def test_a_byte_order_mark_is_not_part_of_the_first_column(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbfgood,bad\r\nA.,B.\r\n")
        assert read_table(tmp_path / "t.csv") == [(2, {"good": "A.", "bad": "B."})]

    def test_a_file_of_another_kind_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "t.docx").write_bytes(b"PK")
        with pytest.raises(DataError, match=r"unknown kind of file '\.docx'; tables are read from"):
            read_table(tmp_path / "t.docx")
        with pytest.raises(DataError, match="no file"):
            read_table(tmp_path / "t.csv")


class TestDamage:
    @pytest.mark.parametrize(
        ("name", "data", "says"),
        [
            ("t.csv", b"good,bad\rA.,B.\r", ":1: a carriage return without a line feed"),
            ("t.csv", b"good,bad\nA.,B\rC.\n", ":2: a carriage return without a line feed"),
            ("t.csv", b"good,bad\nA.,B\0C.\n", ":2: a zero byte"),
            ("t.csv", b"good,bad\nA.,\xffB.\n", ":2: byte 0xff is not valid UTF-8"),
            ("t.csv", b'good,bad\n"A.,B.\n', ":2: broken quoting"),
            ("t.csv", b'good,bad\n"A."x,B.\n', ":2: broken quoting"),
            ("t.csv", b"good,bad\nA.\n", ":2: 1 cells where the header has 2"),
            ("t.csv", b"good,good\nA.,B.\n", ":1: two columns are called 'good'"),
            ("t.csv", b"good,bad\n", "a header but no rows"),
            ("t.csv", b" \n", "the file is empty"),
            ("t.csv", b"good,bad\nA.,%s\n" % (b"x" * 200_000), ":2: a cell of more than 131,072"),
            ("t.tsv", b"good\tbad\nA.\t%s\n" % (b'"x' * 99_999), ":2: a cell of more than 131,072"),
            ("t.csv", b'a,b,c\n"1,2,3\n4,5,6\n7",8,9\n', ":2: a cell that begins here ends 2"),
            ("t.jsonl", b'{"a": 1}\n[1]\n', ":2: not a JSON object"),
            ("t.jsonl", b'{"a": 1}\n{"a": }\n', ":2: broken JSON"),
            ("t.jsonl", b'{"a": 1}\r{"a": 2}\n', ":1: broken JSON"),
            ("t.jsonl", b'{"a": "\\u0000"}\n', ":1: the character \\u0000 in a text"),
            ("t.jsonl", b'{"a": "\\ud800"}\n', ":1: broken JSON"),
            ("t.jsonl", b'{"a": 1}\n{"a": %s}\n' % (b"[" * 100_000), ":2: lists and objects are"),
            ("t.jsonl", b'{"a": %s%s}\n' % (b"[" * 200, b"]" * 200), ":1: lists and objects are"),
            ("t.jsonl", b'{"a": 1}\n{"a": %s}\n' % (b"9" * 5000), ":2: Integer value out of range"),
            ("t.parquet", b"PAR1PAR1", "not a readable parquet file"),
            ("t.parquet", b"", "not a readable parquet file"),
        ],
    )  # fmt: skip
    @pytest.mark.filterwarnings("ignore::priscian.errors.DataWarning")
    def test_a_damaged_table_is_one_line_with_its_place(
        self, tmp_path: Path, name: str, data: bytes, says: str
    ) -> None:
        (tmp_path / name).write_bytes(data)
        with pytest.raises(DataError) as caught:
            read_table(tmp_path / name)
        assert says in str(caught.value)
        assert name in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 400

    def test_a_quotation_mark_that_joins_two_rows_is_warned_of(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text('good,bad\n"A.,B.\nC.",D.\n')
        with pytest.warns(DataWarning, match=r"t\.csv:2: a cell that begins here ends 1 lines"):
            read_table(tmp_path / "t.csv")

    def test_a_zero_in_a_parquet_text_is_refused(self, tmp_path: Path) -> None:
        pl.DataFrame({"good": ["A.", "B\0."]}).write_parquet(tmp_path / "t.parquet")
        with pytest.raises(
            DataError, match=r"t\.parquet:2: the column 'good' contains a zero byte"
        ):
            read_table(tmp_path / "t.parquet")


class TestSizes:
    def test_a_parquet_file_says_how_large_its_columns_are(self, tmp_path: Path) -> None:
        frame = pl.DataFrame({"good": ["word " * 1000] * 50, "n": [[1, 2, 3]] * 49 + [None]})
        frame.write_parquet(tmp_path / "t.parquet", row_group_size=20)
        rows, (good, n) = read_footer(tmp_path / "t.parquet")
        assert (rows, good.values, good.nested, n.values, n.nested) == (50, 50, False, 148, True)
        assert 15_000 <= good.size < 400_000

    @pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.parquet"])
    def test_a_table_with_too_many_rows_or_cells_is_refused_unread(
        self, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(tmp_path / name)
        with monkeypatch.context() as patch:
            patch.setattr(reading, "MOST_ROWS", 2)
            with pytest.raises(DataError, match=rf"{name}: [34] rows.* and a table may have 2;"):
                read_table(tmp_path / name)
        monkeypatch.setattr(reading, "MOST_CELLS", 8)
        with pytest.raises(DataError, match=rf"{name}: \d+ cells.* and a table may have 8; split"):
            read_table(tmp_path / name)

    def test_a_text_that_is_stored_once_and_repeated_counts_as_often_as_it_stands(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        long = ["word " * 2000] * 1000
        monkeypatch.setattr(reading, "MOST_BYTES", 9_000_000)
        for column in (pl.Series("good", long), pl.Series("good", long, dtype=pl.Categorical)):
            column.to_frame().write_parquet(tmp_path / "t.parquet")
            assert sum(c.size for c in read_footer(tmp_path / "t.parquet")[1]) < 1_000_000
            with pytest.raises(DataError, match="10,000,000 bytes when unpacked"):
                read_table(tmp_path / "t.parquet")
        # Polars itself writes texts in lists as often as they stand; other programs do not
        for inside in ([[text] for text in long], [{"a": {"b": [text]}} for text in long]):
            with pytest.raises(DataError, match="10,000,000 bytes when unpacked"):
                parquet_files._check(tmp_path / "t.parquet", pl.DataFrame({"x": inside}))

    def test_a_list_that_is_too_long_is_left_out_with_a_note(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "t.parquet"
        lists = {"x": [[0] * 100_000, [1], []], "y": [[1], [2, 3], None]}
        pl.DataFrame(ROWS).with_columns(
            *(pl.Series(name, column) for name, column in lists.items())
        ).write_parquet(file)
        assert file.stat().st_size < 10_000
        assert len(read_table(file)[0][1]["x"]) == 100_000
        monkeypatch.setattr(reading, "MOST_CELLS", 100_000)
        with pytest.warns(DataWarning, match=r"the column 'x' has 100,002 values in lists or rec"):
            rows = read_table(file)
        assert [row for _, row in rows] == [
            row | {"y": y} for row, y in zip(ROWS, lists["y"], strict=True)
        ]
        # a table of a run is used as it stands, or not at all
        monkeypatch.setattr(parquet_files, "MOST_VALUES", 100_000)
        with pytest.raises(DataError, match=r"100,015 values, and a table may have 100,000"):
            read_frame(file)

    def test_a_page_that_has_other_values_than_the_footer_says_is_refused(
        self, tmp_path: Path
    ) -> None:
        file = tmp_path / "t.parquet"
        pl.DataFrame({"good": [n % 3 for n in range(300)]}).write_parquet(file)
        data, (_, (column,)) = file.read_bytes(), read_footer(file)
        assert column.values == 300
        said, refused = b"\xd8\x04", 0  # 300 as Thrift writes it
        for at in range(len(data) - len(said)):
            if data[at : at + 2] == said:
                file.write_bytes(data[:at] + b"\xd6\x04" + data[at + 2 :])
                try:
                    assert [row["good"] for _, row in read_table(file)] == [
                        n % 3 for n in range(300)
                    ]
                except DataError:
                    refused += 1
        assert refused >= 2  # the values of the page, and of the column


class TestJson:
    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ('{"a": 1,\n "b": }', r"f\.json:2: broken JSON \(JSON is malformed"),
            ("[" * 100_000, "nested more than 100 deep"),
            ('{"a": "x\\u0000"}', r"f\.json:1: the character .u0000"),
        ],
    )
    def test_broken_json_is_one_line(self, tmp_path: Path, text: str, says: str) -> None:
        (tmp_path / "f.json").write_text(text)
        with pytest.raises(DataError, match=says):
            read_json(tmp_path / "f.json")

    def test_a_value_of_another_type_is_one_line(self, tmp_path: Path) -> None:
        (tmp_path / "f.json").write_text('["a", 1]')
        with pytest.raises(DataError, match=r"f\.json: Expected `str`, got `int` - at `\$\[1\]`"):
            read_json(tmp_path / "f.json", list[str])

    def test_a_backslash_before_u0000_is_a_backslash(self, tmp_path: Path) -> None:
        (tmp_path / "f.json").write_text('["\\\\u0000"]')
        assert read_json(tmp_path / "f.json") == ["\\u0000"]

    def test_a_folder_or_a_missing_file_is_one_line(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="cannot be read"):
            read_text(tmp_path)
        with pytest.raises(DataError, match="no file"):
            read_text(tmp_path / "gone")


class TestToml:
    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("a = 1\nb = [", r"f:.*not valid TOML"),
            ("a = " + "9" * 5000, "f: not valid TOML"),
            ("a = " + "[" * 5000, "f: not valid TOML"),
            ("[a]\nb = [{c = 0x" + "f" * 5000 + "}]", "integer of more than 64 bits"),
            ("b = 1\na" + ".a" * 1001 + " = 1\n", r"f:2: more than 1,000 dots; break the line"),
            ("a = '" + "x" * 1_000_000 + "'\n", "f: more than 1,000,000 characters"),
        ],
    )
    def test_what_cannot_be_read_in_seconds_is_one_line(self, text: str, says: str) -> None:
        with pytest.raises(DataError, match=says):
            decode_toml(text, "f")

    def test_tables_are_read(self) -> None:
        assert decode_toml("a.b = 1\n[c]\nd = ['x']\n", "f") == {"a": {"b": 1}, "c": {"d": ["x"]}}


class TestPackaged:
    def test_comments_and_blank_lines_are_skipped_and_short_rows_filled(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "t.tsv").write_text("# a comment\nword\tkind\tnote\n\ncat\tnoun\n")
        assert list(read_tsv(tmp_path / "t.tsv", ("word",), ("more",))) == [
            (4, {"more": "", "word": "cat", "kind": "noun", "note": ""})
        ]

    def test_a_bad_row_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "t.tsv").write_text("word\tkind\ncat\tnoun\tx\n")
        with pytest.raises(DataError, match=r"t\.tsv:2: 3 fields; expected 2: word · kind"):
            list(read_tsv(tmp_path / "t.tsv"))
        with pytest.raises(DataError, match=r"t\.tsv:1: no column sort; expected word · sort"):
            list(read_tsv(tmp_path / "t.tsv", ("word", "sort")))
