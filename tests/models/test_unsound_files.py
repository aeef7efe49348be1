"""Model files whose checksums are right and whose contents are wrong: one line each."""

from __future__ import annotations

import hashlib
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.small_lstm import PIECES, weights

from priscian.errors import ModelError
from priscian.files import unpack
from priscian.models import plstm as model_file
from priscian.models.lstm import LstmModel
from priscian.models.ngram import load_ngram
from priscian.models.ngram.trie_file import Writer, pack_model, read_file
from priscian.models.plstm import Stored, WordPieces, read_model, write_model
from priscian.records import Text

Arrays = dict[str, Any]

ARPA = """\
\\data\\
ngram 1=6
ngram 2=4
ngram 3=2

\\1-grams:
-1.0\t<unk>
-99\t<s>\t-0.5
-0.7\t</s>
-0.6\ta\t-0.3
-0.8\tb\t-0.2
-0.9\tc

\\2-grams:
-0.2\t<s> a\t-0.1
-0.4\ta b\t-0.1
-0.3\tb a
-0.1\tb </s>

\\3-grams:
-0.2\t<s> a b
-0.4\ta b </s>

\\end\\
"""


@pytest.fixture(scope="module")
def ngram(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model as our own file."""
    from priscian.models.ngram.arpa import read_arpa
    from priscian.models.ngram.trie_file import save_trie

    folder = tmp_path_factory.mktemp("ngram")
    (folder / "m.arpa").write_text(ARPA)
    save_trie(read_arpa(folder / "m.arpa"), {"tokenisation": {"words": "ptb"}}, folder / "m.pngm")
    return folder / "m.pngm"


def rewrite(path: Path, new: Path, change: Callable[[Arrays, dict[str, Any]], object]) -> Path:
    """The same file with other contents, under right checksums."""
    contents = read_file(path)
    arrays = {name: np.array(values) for name, values in contents.arrays.items()}
    facts = dict(contents.facts)
    change(arrays, facts)
    with new.open("w+b") as file:
        writer = Writer(file)
        for name, values in arrays.items():
            writer.add(name, values)
        writer.finish(facts)
    return new


def put(name: str, at: int, value: float) -> Callable[[Arrays, dict[str, Any]], None]:
    def change(arrays: Arrays, facts: dict[str, Any]) -> None:
        arrays[name][at] = value

    return change


def cut(name: str) -> Callable[[Arrays, dict[str, Any]], None]:
    return lambda arrays, facts: arrays.update({name: arrays[name][:-1]})


def retype(name: str, dtype: str) -> Callable[[Arrays, dict[str, Any]], None]:
    return lambda arrays, facts: arrays.update({name: arrays[name].astype(dtype)})


class TestNgram:
    @pytest.mark.parametrize(
        ("change", "says"),
        [
            (lambda a, f: f.pop("order"), "lacks 'order'"),
            (lambda a, f: a.pop("begin1"), "lacks 'begin1'"),
            (lambda a, f: f.update(order=4), "lacks 'backoff3'"),
            (lambda a, f: f.update(order=-1), "its order is -1"),
            (lambda a, f: f.update(order="three"), "its order is 'three'"),
            (lambda a, f: f.update(tokenisation="ptb"), "does not say how it splits words"),
            (lambda a, f: a.update(vocabulary=a["vocabulary"][:-1]), "its vocabulary has a word"),
            (lambda a, f: a.update(vocabulary=a["vocabulary"][1:]), "does not begin with <unk>"),
            (put("vocabulary", 0, 255), "invalid start byte"),
            (cut("prob1"), "its 1-grams have 5 probabilities, not 6"),
            (cut("prob2"), "its 2-grams have 3 probabilities, not 4"),
            (cut("words3"), "the child ranges of 3-grams do not cover them"),
            (cut("backoff2"), "a wrong number of back-offs or child ranges"),
            (cut("begin1"), "a wrong number of back-offs or child ranges"),
            (put("prob1", 3, np.nan), "probabilities of 1-grams have an impossible value"),
            (put("prob2", 1, np.inf), "probabilities of 2-grams have an impossible value"),
            (put("prob2", 1, 1.0), "probabilities of 2-grams have an impossible value"),
            (put("prob3", 1, -np.inf), "probabilities of 3-grams have an impossible value"),
            (put("backoff1", 1, np.nan), "back-offs of 1-grams have an impossible value"),
            (put("words2", 0, 6), "word that is not in the vocabulary"),
            (put("begin1", 4, 99), "the child ranges of 2-grams are not in order"),
            (put("begin1", 6, 99), "the child ranges of 2-grams do not cover them"),
            (put("begin1", 0, 1), "the child ranges of 2-grams do not cover them"),
            (lambda a, f: a.update(begin1=np.array([0, 0, 0, 0, 4, 4, 4], "<u4")), "not sorted"),
            (retype("prob1", "<i4"), "are of a wrong type"),
            (retype("words2", "<f4"), "ids or places"),
            (retype("begin2", "<i8"), "ids or places"),
        ],
    )  # fmt: skip
    def test_contents_that_make_no_model_are_one_line(
        self, ngram: Path, tmp_path: Path, change: Any, says: str
    ) -> None:
        new = rewrite(ngram, tmp_path / "n.pngm", change)
        with pytest.raises(ModelError, match=says) as caught:
            load_ngram(new).score([Text("a b c d")])
        assert "\n" not in str(caught.value)

    def test_a_sound_copy_is_read(self, ngram: Path, tmp_path: Path) -> None:
        copy = rewrite(ngram, tmp_path / "n.pngm", lambda a, f: None)
        text = [Text("a b c d")]
        assert load_ngram(copy).score(text) == load_ngram(ngram).score(text)

    @pytest.mark.parametrize(
        "change",
        [
            put("begin1", 3, 200),
            put("words2", 0, 60_000),
            put("prob2", 0, 255),
            cut("prob_codes2"),
            cut("words3"),
            put("backoff_codes2", 0, np.nan),
        ],
    )
    def test_packed_contents_that_make_no_model_are_one_line(
        self, ngram: Path, tmp_path: Path, change: Any
    ) -> None:
        packed = tmp_path / "p.pngm"
        pack_model(ngram, packed)
        plain = tmp_path / "plain.pngm"
        plain.write_bytes(lzma.decompress(packed.read_bytes()))
        assert load_ngram(packed).score([Text("a b")]) == load_ngram(plain).score([Text("a b")])
        with pytest.raises(ModelError, match="is not a sound model"):
            load_ngram(rewrite(plain, tmp_path / "n.pngm", change))

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ('"dtype": "<f4"', '"dtype": "|O8"'),
            ('"dtype": "<f4"', '"dtype": "<c4"'),
            ('"offset": 64', '"offset": -4'),
            ('"offset": 64', '"offset": 6e9'),
            ('"sections": [', '"sectionz": ['),
            ('{"facts"', '["facts"'),
            ('"crc32"', '"crc64"'),
        ],
    )
    def test_a_description_that_cannot_be_meant_is_one_line(
        self, ngram: Path, tmp_path: Path, old: str, new: str
    ) -> None:
        data = ngram.read_bytes()
        size = int.from_bytes(data[-20:-12], "little")
        described = data[-20 - size : -20].decode().replace(old, new, 1).encode()
        tail = len(described).to_bytes(8, "little") + zlib.crc32(described).to_bytes(4, "little")
        (tmp_path / "n.pngm").write_bytes(data[: -20 - size] + described + tail + data[-8:])
        with pytest.raises(ModelError, match=r"is damaged: its (description|section)"):
            load_ngram(tmp_path / "n.pngm")

    def test_a_file_that_unfolds_without_end_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(unpack, "FREE", 1_000_000)
        (tmp_path / "n.pngm").write_bytes(lzma.compress(bytes(20_000_000)))
        with pytest.raises(ModelError, match="unpacks to more than 1,000,000 bytes"):
            load_ngram(tmp_path / "n.pngm")


class TestLstm:
    def test_a_sound_file_is_read(self, tmp_path: Path) -> None:
        write_model(tmp_path / "m.plstm", Stored(PIECES, weights(), {}))
        (scores,) = LstmModel(tmp_path / "m.plstm").score([Text("ab ba")])
        assert len(scores.logps) == 4
        assert np.isfinite(scores.logps).all()

    @pytest.mark.parametrize(
        ("pieces", "arrays", "says"),
        [
            (PIECES, weights(out__bias=(5,)), r"array 'out.bias' has the shape \(5,\), not \(4,\)"),
            (PIECES, weights(out__bias=None), "array 'out.bias' has the shape None"),
            (PIECES, weights(more=(5,)), "array 'more' has the shape"),
            (PIECES, weights(maps__0=(4, 2)), "array 'maps.0'"),
            (PIECES, weights(tables__0=None), "no tables or no layers"),
            (PIECES, weights(tables__0=(8,)), "a table is not a matrix"),
            (PIECES, weights(tables__1=(61, 2), biases__1=(61,)), "not for its 260 tokens"),
            (WordPieces(PIECES.tokens[1:], ()), weights(), "its tokens lack <s>"),
            (WordPieces((*PIECES.tokens[:-1], "<0xZZ>"), ()), weights(), "looks like a byte"),
            (WordPieces((*PIECES.tokens[:-1], ""), ()), weights(), "a token is empty"),
            (WordPieces(PIECES.tokens, (("a", ""),)), weights(), "a merge is not two pieces"),
        ],
    )
    def test_contents_that_make_no_model_are_one_line(
        self, tmp_path: Path, pieces: WordPieces, arrays: Arrays, says: str
    ) -> None:
        write_model(tmp_path / "m.plstm", Stored(pieces, arrays, {}))
        with pytest.raises(ModelError, match=f"not a sound model.*{says}"):
            read_model(tmp_path / "m.plstm")

    @pytest.mark.parametrize(
        ("header", "says"),
        [
            (b"{}", "its header cannot be read"),
            (b'{"card": {}, "tokens": [1], "merges": [], "arrays": {}}', "Expected `str`"),
            (b'{"card": {}, "tokens": [], "merges": [], "arrays": {"a": [-1]}}', "cannot be"),
            (b'{"card": {}, "tokens": [], "merges": [], "arrays": {"a": []}}', "cannot be"),
            (b'{"card": {}, "tokens": [], "merges": [], "arrays": {"a": [9, 9]}}', "cannot be"),
            (b'{"card": {}, "tokens": [], "merges": [], "arrays": {"a": [1]}}', "not fill"),
            (b'{"a": ' + b"[" * 100_000, "its header cannot be read"),
            (b" " * 3_000_000, "cut off or longer than 2,000,000 bytes"),
        ],
    )
    def test_a_header_that_cannot_be_meant_is_one_line(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, header: bytes, says: str
    ) -> None:
        monkeypatch.setattr(model_file, "LONGEST_HEADER", 2_000_000)
        packed = zlib.compress(header)
        body = len(packed).to_bytes(8, "little") + packed + bytes(8)
        digest = hashlib.sha256(body).hexdigest().encode()
        (tmp_path / "m.plstm").write_bytes(b"PRISCIAN-LSTM 1 " + digest + b"\n" + body)
        with pytest.raises(ModelError, match=f"not a sound model.*{says}"):
            read_model(tmp_path / "m.plstm")

    def test_a_value_that_is_not_finite_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "m.plstm"
        write_model(path, Stored(PIECES, weights(), {}))
        data = bytearray(path.read_bytes().partition(b"\n")[2])
        data[-2:] = b"\x00\x7c"  # infinity in float16
        digest = hashlib.sha256(data).hexdigest().encode()
        path.write_bytes(b"PRISCIAN-LSTM 1 " + digest + b"\n" + data)
        with pytest.raises(ModelError, match=r"'out.bias' has values that are not finite"):
            read_model(path)
