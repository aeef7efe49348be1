"""Model files and ARPA files: round trips, and what is said of damaged ones."""

from __future__ import annotations

import gzip
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from priscian.errors import ModelError, PriscianWarning
from priscian.files import unpack
from priscian.models.ngram import Trie, arpa, load_ngram
from priscian.models.ngram.arpa import read_arpa, write_arpa
from priscian.models.ngram.trie_file import open_trie, save_trie

GOLDEN = Path(__file__).parents[1] / "training" / "data" / "golden.arpa.gz"
SMALL = """\
\\data\\
ngram 1=5
ngram 2=3

\\1-grams:
-1.0\t<unk>
-99\t<s>\t-0.5
-0.7\t</s>
-0.6\ta\t-0.3
-0.8\tb

\\2-grams:
-0.2\t<s> a
-0.4\ta b
-0.1\tb </s>

\\end\\
"""


@pytest.fixture(scope="module")
def golden() -> Trie:
    """A trigram model that lmplz made."""
    return read_arpa(GOLDEN)


def same(one: Trie, other: Trie) -> bool:
    """Whether two models are equal in every number."""
    if one.words != other.words or one.order != other.order:
        return False
    for a, b in zip(one.levels, other.levels, strict=True):
        for x, y in ((a.words, b.words), (a.probs, b.probs), (a.backoffs, b.backoffs)):
            if (x is None) != (y is None) or (x is not None and not np.array_equal(x, y)):
                return False
    return True


def score(trie: Trie, text: str) -> list[float]:
    """Log10 probabilities of words."""
    ids = np.array([trie.ids.get(word, 0) for word in text.split()], np.int32)
    return [float(value) for value in trie.log10(ids, [len(ids)])[0]]


@pytest.mark.parametrize("name", ["copy.arpa", "copy.arpa.gz"])
def test_an_arpa_file_written_and_read_again_is_the_same_model(
    golden: Trie, tmp_path: Path, name: str
) -> None:
    write_arpa(golden, tmp_path / name)
    assert same(read_arpa(tmp_path / name), golden)


def test_a_model_file_written_and_read_again_is_the_same_model(
    golden: Trie, tmp_path: Path
) -> None:
    save_trie(golden, {"order": 3}, tmp_path / "m.pngm")
    assert same(open_trie(tmp_path / "m.pngm")[0], golden)


def test_backoffs_that_are_left_out_are_zero(tmp_path: Path) -> None:
    (tmp_path / "m.arpa").write_text(SMALL)
    trie = read_arpa(tmp_path / "m.arpa")
    assert score(trie, "a b a") == pytest.approx([-0.2, -0.4, -0.6])
    assert score(trie, "b </s>") == pytest.approx([-0.5 - 0.8, -0.1])
    assert score(trie, "a zebra") == pytest.approx([-0.2, -0.3 - 1.0])


@pytest.mark.parametrize(("word", "what"), [("<s>", "beginnings"), ("</s>", "ends")])
def test_a_file_without_a_boundary_is_read_with_a_note(
    tmp_path: Path, word: str, what: str
) -> None:
    (tmp_path / "m.arpa").write_text(SMALL.replace(word, "other"))
    with pytest.warns(PriscianWarning, match=rf"has no word {word}: .* nothing of the {what} of"):
        trie = read_arpa(tmp_path / "m.arpa")
    assert score(trie, "a b") == pytest.approx([-0.2 if word == "</s>" else -0.6, -0.4])


def test_a_zero_byte_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "m.arpa").write_text(SMALL.replace("\tb\n", "\tb\0\n"))
    with pytest.raises(ModelError, match=r"m\.arpa:10: a zero byte; the file is damaged or not"):
        read_arpa(tmp_path / "m.arpa")


def test_windows_line_ends_are_read(tmp_path: Path) -> None:
    (tmp_path / "m.arpa").write_bytes(SMALL.replace("\n", "\r\n").encode())
    assert score(read_arpa(tmp_path / "m.arpa"), "a b") == pytest.approx([-0.2, -0.4])


def test_a_file_without_unk_gives_it_what_kenlm_gives(tmp_path: Path) -> None:
    text = SMALL.replace("-1.0\t<unk>\n", "").replace("ngram 1=5", "ngram 1=4")
    (tmp_path / "m.arpa").write_text(text)
    assert score(read_arpa(tmp_path / "m.arpa"), "a zebra")[1] == pytest.approx(-100.3)


def test_an_ngram_whose_end_is_missing_is_found_all_the_same(tmp_path: Path) -> None:
    """SRILM may prune `a b` and keep `<s> a b`: then p(b | a) is a back-off, as before."""
    text = SMALL.replace("ngram 2=3\n", "ngram 2=2\nngram 3=1\n").replace("-0.4\ta b\n", "")
    text = text.replace("\n\\end\\", "\n\\3-grams:\n-0.05\t<s> a b\n\n\\end\\")
    (tmp_path / "m.arpa").write_text(text)
    trie = read_arpa(tmp_path / "m.arpa")
    assert score(trie, "a b") == pytest.approx([-0.2, -0.05])
    assert score(trie, "b a b")[2] == pytest.approx(-0.3 - 0.8)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\\data\\", "data", "no line"),
        ("ngram 2=3", "ngram two=3", ":3: 'ngram two=3'"),
        ("ngram 2=3", "ngram 2=4", ":12: only 3 2-grams follow"),
        ("ngram 2=3", "ngram 2=2", ":12: more than 3 2-grams follow"),
        ("ngram 2=3", f"ngram 2={'9' * 5000}", ":3: 'ngram 2=999"),
        ("ngram 1=5", "ngram 1=0", ":4: .* there are no words"),
        ("-0.4\ta b", "-0.4\t<s> a", "the 2-gram '<s> a' occurs twice"),
        ("-0.4\ta b", "-inf\ta b", ":14: .* is not a 2-gram"),
        ("-0.4\ta b", "-0.4\ta b\tnan", ":14: .* is not a 2-gram"),
        ("-0.8\tb", "-0.8\t", ":10: .* is not a 1-gram"),
        ("-0.4\ta b", "-0.4 a b", ":14: '-0.4 a b' is not a 2-gram"),
        ("-0.4\ta b", "-0.4\ta b c", ":14: .* is not a 2-gram"),
        ("-0.4\ta b", "x\ta b", ":14: .* is not a 2-gram"),
        ("-0.4\ta b", "0.4\ta b", ":14: .* is not a 2-gram"),
        ("-0.4\ta b", "-0.4\ta q", ":14: 'a q' has a word that is not among the 1-grams"),
        ("-0.8\tb", "-0.8\ta", "the word 'a' occurs twice"),
        ("\\end\\", "", "cut off: it ends at line 17 without"),
        ("\\2-grams:", "", ":13: .* is not a 1-gram"),
        ("\\2-grams:", "\\3-grams:", r":12: '.*3-grams:' where .*2-grams: should be"),
        ("a b", "a" * 70_000, "a line of more than 65,536 bytes|is not a 2-gram"),
    ],
)
def test_a_damaged_arpa_file_is_refused_with_the_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    (tmp_path / "m.arpa").write_text(SMALL.replace(old, new, 1))
    with pytest.raises(ModelError, match=message):
        read_arpa(tmp_path / "m.arpa")


@pytest.mark.parametrize("size", [1, 7, 40, 100])
def test_a_file_is_the_same_model_in_blocks_of_any_size(
    golden: Trie, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(arpa, "BLOCK", size)
    (tmp_path / "m.arpa").write_text(SMALL.replace("-0.4\ta b\n", "-0.4\ta b\n\n"))
    assert score(read_arpa(tmp_path / "m.arpa"), "a b") == pytest.approx([-0.2, -0.4])
    (tmp_path / "n.arpa").write_text(SMALL.replace("-0.4\ta b", "x\ta b"))
    with pytest.raises(ModelError, match=r":14: .* is not a 2-gram"):
        read_arpa(tmp_path / "n.arpa")


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
class TestBombs:
    """The head promises billions, and a small file holds them."""

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("-0.8\tb\n", "the word 'b' occurs twice"),
            ("-0.4\ta b\n", "2-gram 'a b' occurs twice"),
        ],
    )
    def test_a_file_that_repeats_itself_is_refused_at_once(
        self, tmp_path: Path, pack: Callable[[bytes], bytes], line: str, message: str
    ) -> None:
        head, rest = SMALL.replace("=5", "=8000000").replace("=3", "=8000000").split(line)
        if "2-gram" in message:
            head = head.replace("1=8000000", "1=5")
        bomb = pack(head.encode() + line.encode() * 500_000 + rest.encode())
        (tmp_path / "m.arpa.gz").write_bytes(bomb)
        with pytest.raises(ModelError, match=message):
            read_arpa(tmp_path / "m.arpa.gz")

    @pytest.mark.parametrize("counts", [("=5", "=900000000"), ("=3", "=900000000")])
    def test_a_packed_file_that_promises_far_too_much_is_refused_unread(
        self, tmp_path: Path, pack: Callable[[bytes], bytes], counts: tuple[str, str]
    ) -> None:
        (tmp_path / "m.arpa.gz").write_bytes(pack(SMALL.replace(*counts).encode()))
        with pytest.raises(ModelError, match=r"900,000,00\d n-grams are far more than a real file"):
            read_arpa(tmp_path / "m.arpa.gz")
        # what stands in a plain file fits it
        (tmp_path / "m.arpa").write_text(SMALL.replace(*counts))
        with pytest.raises(ModelError, match="but the header says 900,000,000; copy or make it"):
            read_arpa(tmp_path / "m.arpa")

    def test_a_file_that_unfolds_too_far_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
    ) -> None:
        monkeypatch.setattr(unpack, "FREE", 100_000)
        monkeypatch.setattr(arpa, "RATIO", 2)
        monkeypatch.setattr(arpa, "BLOCK", 1 << 16)
        head, rest = SMALL.replace("1=5", "1=900000").split("-0.8\tb\n")
        words = "".join(f"-0.8\tb{number}\n" for number in range(100_000))
        (tmp_path / "m.arpa.gz").write_bytes(pack(f"{head}{words}{rest}".encode()))
        with pytest.raises(ModelError, match=r"unpacks to more than [\d,]+ bytes"):
            read_arpa(tmp_path / "m.arpa.gz")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["m.arpa.gz", "m.arpa.xz", "m.pngm"])
def test_a_bomb_of_20_megabytes_takes_less_than_a_gigabyte(tmp_path: Path, name: str) -> None:
    """Some 20 gigabytes when they are unpacked, put together from many copies of one member."""
    pack = gzip.compress if name.endswith("gz") else lzma.compress
    head = SMALL.split("-0.4\ta b\n")[0].replace("2=3", "2=99000000000").encode()
    member = pack(b"-0.4\ta b\n" * 12_000_000)
    start = b"" if name == "m.pngm" else pack(head)
    with (tmp_path / name).open("wb") as file:
        file.write(start)
        for _ in range(20_000_000 // len(member)):
            file.write(member)
    script = (
        "import resource, sys; from pathlib import Path\n"
        "from priscian.errors import ModelError\n"
        "from priscian.models.ngram import load_ngram\n"
        "try:\n    load_ngram(Path(sys.argv[1]))\n"
        "except ModelError as error:\n    print(error)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / name)],
        capture_output=True,
        text=True,
        check=True,
    )
    said, kilobytes = done.stdout.splitlines()
    told = ("far more than a real file", "unpacks to more than")
    assert any(part in said for part in told)
    assert int(kilobytes) < 1_000_000


def test_a_truncated_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.arpa.gz").write_bytes(gzip.compress(SMALL.encode())[:60])
    with pytest.raises(ModelError, match="cannot be unpacked"):
        load_ngram(tmp_path / "m.arpa.gz")


def test_a_model_file_that_is_cut_off_is_refused(golden: Trie, tmp_path: Path) -> None:
    path = tmp_path / "m.pngm"
    save_trie(golden, {}, path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ModelError, match="cut off after"):
        load_ngram(path)


def test_a_model_file_with_a_changed_byte_names_the_section(golden: Trie, tmp_path: Path) -> None:
    path = tmp_path / "m.pngm"
    save_trie(golden, {}, path)
    data = bytearray(path.read_bytes())
    data[200] ^= 1
    path.write_bytes(data)
    with pytest.raises(ModelError, match="checksum of its section 'vocabulary' is wrong"):
        load_ngram(path)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.pngm").write_text("hello")
    with pytest.raises(ModelError, match=r"is not a \.pngm model"):
        load_ngram(tmp_path / "m.pngm")
    (tmp_path / "m.arpa").write_bytes(b"\x00\x01")
    with pytest.raises(ModelError, match="not an ARPA file"):
        load_ngram(tmp_path / "m.arpa")
