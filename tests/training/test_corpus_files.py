"""`priscian corpus`: nested files and a manifest that says what they hold."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from pathlib import Path

import pytest

from priscian.cli.app import run
from priscian.errors import DataError, OutputError, RunError, UsageError
from priscian.files import filling
from priscian.training import subsets as corpus_files
from priscian.training.corpora import read_texts
from priscian.training.subsets import check_parts, read_corpus, write_corpus


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("".join(f"Paragraph {n} has words. It ends here.\n" for n in range(300)))
    return path


def test_files_nest_and_the_manifest_counts_them(text: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    facts = write_corpus([text], ["200", "0.5k"], out)
    small, large = (out / f"train-{size}.txt" for size in ("200", "500"))
    assert large.read_text().startswith(small.read_text())
    assert facts["train-200"].tokens == 207  # 5 + 4 tokens a paragraph: 9 · 22 < 200 ≤ 9 · 23
    manifest = json.loads((out / "manifest.json").read_text())
    assert (
        manifest["parts"]["dev"]["sha256"]
        == hashlib.sha256((out / "dev.txt").read_bytes()).hexdigest()
    )
    lines = small.read_text().splitlines()
    assert manifest["parts"]["train-200"]["sentences"] == len(lines)
    # each number occurs once: all of them are one class, UNK-NUM
    assert manifest["parts"]["train-200"]["unk_types"] == 1


def test_held_out_sentences_are_in_no_size(text: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    write_corpus([text], ["2k"], out)
    train = {
        line for line in (out / "train-2k.txt").read_text().splitlines() if "Paragraph" in line
    }
    held = (out / "dev.txt").read_text() + (out / "test.txt").read_text()
    assert not train & set(held.splitlines())


def test_wrong_sizes_and_a_full_folder(text: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="fewer than the 1,000,000 asked for"):
        write_corpus([text], ["1M"], tmp_path / "a")
    with pytest.raises(UsageError, match="is not an amount"):
        write_corpus([text], ["lots"], tmp_path / "b")
    with pytest.raises(UsageError, match="not empty"):
        write_corpus([text], ["200"], tmp_path)


def test_a_subset_is_trained_with_the_dev_and_test_parts_beside_it(
    text: Path, tmp_path: Path
) -> None:
    out = tmp_path / "corpus"
    write_corpus([text], ["200", "1k"], out)
    dev, test = (tuple((out / f"{n}.txt").read_text().splitlines()) for n in ("dev", "test"))
    for size in ("200", "1k"):
        path = out / f"train-{size}.txt"
        read = read_corpus([path])
        assert (read.dev, read.test) == (dev, test)
        assert sorted(read.subset(None, 1)) == sorted(path.read_text().splitlines())
    (out / "dev.txt").write_text("Another sentence.\n")
    with pytest.raises(DataError, match=r"dev\.txt has changed since priscian corpus wrote it"):
        read_corpus([out / "train-200.txt"])


def test_a_manifest_of_something_else_changes_nothing(text: Path) -> None:
    before = read_corpus([text])
    (text.parent / "manifest.json").write_text('{"parts": {}, "paradigms": ["x"]}')
    assert read_corpus([text]).dev == before.dev


def test_other_separators_of_lines_are_part_of_a_sentence(tmp_path: Path) -> None:
    path, out = tmp_path / "text.txt", tmp_path / "parts"
    path.write_text("".join(f"Number {n} is\x1dhere.\n" for n in range(200)))
    write_corpus([path], ["500"], out)
    held = read_corpus([path]).test
    assert read_corpus([out / "train-500.txt"]).test == held
    assert all("\x1d" in sentence for sentence in held)


class TestParts:
    @pytest.fixture
    def parts(self, text: Path, tmp_path: Path) -> Path:
        write_corpus([text], ["200", "1k"], tmp_path / "cor")
        return tmp_path / "cor"

    @pytest.mark.parametrize("name", ["dev", "test"])
    def test_a_held_out_part_is_not_trained_on(self, parts: Path, name: str) -> None:
        path = parts / f"{name}.txt"
        wanted = rf"{name}\.txt is the {name} part that priscian corpus held out.*name a train part"
        for files in ([path], [parts / "train-200.txt", path]):
            with pytest.raises(UsageError, match=wanted):
                read_corpus(files)
        with pytest.raises(UsageError, match=wanted):
            check_parts(read_texts([parts / "train-200.txt", path]))

    def test_a_packed_or_renamed_part_is_still_held_out(self, parts: Path) -> None:
        packed = parts / "test.txt.gz"
        packed.write_bytes(gzip.compress((parts / "test.txt").read_bytes()))
        shutil.copy(parts / "dev.txt", parts / "more.txt")
        for path in (packed, parts / "more.txt"):
            with pytest.raises(UsageError, match="held out"):
                check_parts(read_texts([path]))
            with pytest.raises(UsageError, match="held out"):
                read_corpus([path])

    @pytest.mark.parametrize("manifest", ['["test.txt"]', "not JSON {"])
    def test_a_manifest_of_something_else_says_nothing(self, manifest: str, text: Path) -> None:
        (text.parent / "manifest.json").write_text(manifest)
        (text.parent / "test.txt").write_text("A test of something else.\n")
        check_parts(read_texts([text, text.parent / "test.txt"]))

    @pytest.mark.parametrize("manifest", ["{", "[]", "{}", '{"files": [], "parts": {}}'])
    def test_a_damaged_manifest_of_ours_is_an_error(self, manifest: str, parts: Path) -> None:
        """Else other dev and test parts would be cut off the part that is named."""
        (parts / "manifest.json").write_text(manifest)
        with pytest.raises(DataError, match=r"manifest\.json.*: write the corpus again with"):
            read_corpus([parts / "train-200.txt"])

    def test_nested_sizes_are_not_read_together(self, parts: Path) -> None:
        small, large = parts / "train-200.txt", parts / "train-1k.txt"
        for files in ([small, large], [large, small], [small, small]):
            with pytest.raises(UsageError, match=r"share sentences; name only the larger one"):
                read_corpus(files)

    def test_parts_by_another_seed_are_not_read_together(self, parts: Path, text: Path) -> None:
        other = parts.with_name("other")
        write_corpus([text], ["200"], other, order_seed=2)
        with pytest.raises(UsageError, match="share sentences"):
            read_corpus([parts / "train-200.txt", other / "train-200.txt"])

    def test_a_text_and_a_part_of_it_are_not_read_together(self, parts: Path, text: Path) -> None:
        with pytest.raises(UsageError, match=r"train-200\.txt was cut from .*text\.txt; name only"):
            read_corpus([text, parts / "train-200.txt"])

    def test_a_part_and_another_text_are_read_together(self, parts: Path, tmp_path: Path) -> None:
        more = tmp_path / "more.txt"
        more.write_text("Something else.\n")
        assert len(read_corpus([parts / "train-200.txt", more]).files) == 2


class TestFullDisk:
    def test_nothing_is_left_and_the_same_command_works_later(
        self, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        out = tmp_path / "new" / "cor"
        with monkeypatch.context() as patch:
            _fill_disk(patch)
            with pytest.raises(OutputError, match="No space left on device; free some space"):
                write_corpus([text], ["200"], out)
        assert not out.exists()
        write_corpus([text], ["200"], out)
        names = ["dev.txt", "manifest.json", "test.txt", "train-200.txt"]
        assert sorted(path.name for path in out.iterdir()) == names

    def test_an_empty_folder_stays_empty(
        self, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        out = tmp_path / "cor"
        out.mkdir()
        _fill_disk(monkeypatch)
        with pytest.raises(OutputError):
            write_corpus([text], ["200"], out)
        assert not list(out.iterdir())

    def test_what_a_killed_process_left_is_cleared_away(self, text: Path, tmp_path: Path) -> None:
        out = tmp_path / "cor"
        (out / ".unfinished").mkdir(parents=True)
        (out / ".unfinished" / "train-9.txt").write_text("half")
        write_corpus([text], ["200"], out)
        assert len(list(out.iterdir())) == 4


def test_two_processes_do_not_fill_one_folder(text: Path, tmp_path: Path) -> None:
    out = tmp_path / "cor"
    with filling(out, last="b.txt") as made:
        (made / "a.txt").write_text("mine")
        with pytest.raises(RunError, match=r"another process is writing to .*cor; wait"):
            write_corpus([text], ["200"], out)
    assert [path.name for path in out.iterdir()] == ["a.txt"]
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="name another `out=`"):
        write_corpus([text], ["200"], tmp_path / "link")


def test_a_job_that_began_meanwhile_keeps_the_folder_for_itself(tmp_path: Path) -> None:
    """It locks a file of its own, and may have a manifest of the same name."""
    out = tmp_path / "sweep"

    def fill() -> None:
        with filling(out, last="manifest.json") as made:
            (made / "manifest.json").write_text("mine")
            (out / "manifest.json").write_text("theirs")

    with pytest.raises(OutputError, match=r"sweep is not empty any more; name another `out=`"):
        fill()
    assert [path.name for path in out.iterdir()] == ["manifest.json"]
    assert (out / "manifest.json").read_text() == "theirs"


def test_the_current_folder_is_filled_and_hidden_neighbours_stay(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / ".config").mkdir()
    (tmp_path / ".config" / "mine").write_text("kept")
    monkeypatch.chdir(tmp_path / "config")
    write_corpus([text], ["200"], ".")
    assert Path("manifest.json").is_file()
    assert (tmp_path / ".config" / "mine").read_text() == "kept"


def test_without_files_the_command_names_no_flag_that_it_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["corpus", "--sizes", "1k", "--out", str(tmp_path / "x")]) == 1
    said = capsys.readouterr().err
    assert "no corpus; name at least one text file" in said
    assert "--corpus" not in said


def _fill_disk(patch: pytest.MonkeyPatch) -> None:
    def write(path: Path, text: str) -> None:
        if path.name == "test.txt":
            raise OutputError(f"cannot write {path}: No space left on device; free some space")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    patch.setattr(corpus_files, "write_text", write)
