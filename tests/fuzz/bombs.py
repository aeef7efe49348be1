"""Files of at most 50 MB that stand for far more: each is refused, or read within 4 GB.

`python -m tests.fuzz.bombs NAME` reads one in this process and says what it took; without a name
it says what it took for all of them, each in a process of its own.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.peak_memory import peak_megabytes

LARGEST = 50_000_000
ROOM = 6 << 30
"""Bytes of address space for one reading."""
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Bomb:
    """How a file is made, and how it is read."""

    name: str
    make: Callable[[Path], object]
    read: Callable[[Path], Any]


BOMBS: dict[str, Bomb] = {}


def bomb(file: str, read: Callable[[Path], Any]) -> Callable[[Any], Any]:
    """Enter a function that writes a file, which `read` is then given."""

    def enter(make: Callable[[Path], object]) -> Callable[[Path], object]:
        name = make.__name__.replace("_", " ")
        BOMBS[name] = Bomb(
            name, lambda folder: make(folder / file), lambda folder: read(folder / file)
        )
        return make

    return enter


def repeated(path: Path, head: str, line: str, tail: str = "") -> None:
    """A file of `LARGEST` bytes of one line."""
    count = (LARGEST - len(head) - len(tail)) // len(line.encode())
    path.write_text(head + line * count + tail, "utf-8")


def numbered(path: Path, head: str, form: str, count: int = 10**8) -> None:
    """A file of lines that are all different, up to a number or to `LARGEST` bytes."""
    size = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(head)
        for number in range(count):
            line = form.format(number)
            size += len(line)
            if size > LARGEST:
                break
            file.write(line)


# ------------------------------------------------------------ readers, imported when they are used


def dataset(form: str) -> Callable[[Path], Any]:
    def read(path: Path) -> Any:
        from priscian.datasets import read_dataset

        return read_dataset(f"{form}:{path}")

    return read


def model(provider: str) -> Callable[[Path], Any]:
    def read(path: Path) -> Any:
        from priscian.records import Text
        from priscian.scoring import ScoreStore, score_texts

        return score_texts(f"{provider}:{path}", [Text("a b c")], ScoreStore()).scores

    return read


def folder_model(provider: str) -> Callable[[Path], Any]:
    return lambda path: model(provider)(path.parent)


def graded(path: Path) -> Any:
    from priscian.datasets.graded_read import read_graded

    return read_graded(path)


def choices(path: Path) -> Any:
    from priscian.datasets.choices import read_choices

    return read_choices(path)


def surprisals(path: Path) -> Any:
    from priscian.models.surprisals.table import read_surprisals
    from priscian.records import Text

    return read_surprisals(path).scores(Text("a " * 10))


def passages(path: Path) -> Any:
    from priscian.runs.surprisal import read_passages

    return read_passages(path)


def trees(path: Path) -> Any:
    from priscian.trees import read_trees

    return sum(1 for _ in read_trees(path))


def corpus(path: Path) -> Any:
    from priscian.training.corpora import read_sentences

    return sum(1 for _ in read_sentences([path], split=True))


def suite_file(path: Path) -> Any:
    from priscian.datasets import read_suite

    return read_suite(path)


def run_folder(path: Path) -> Any:
    from priscian.runs import load_run

    return [result.frame() for result in load_run(path.parent).results]


def recipe(path: Path) -> Any:
    from priscian.training.recipe import read_recipe

    return read_recipe(str(path))


def bag(path: Path) -> Any:
    from priscian.models.classifier.heads import read_bag

    return read_bag(path.parent)


def card(path: Path) -> Any:
    from priscian.models.classifier.folder import read_card

    return read_card(path.parent)


# ------------------------------------------------------------ tables


@bomb("t.csv", dataset("pairs"))
def csv_of_tiny_rows(path: Path) -> None:
    repeated(path, "good,bad\n", "a,b\n")


@bomb("t.csv", dataset("pairs"))
def csv_of_as_many_rows_as_may_be(path: Path) -> None:
    numbered(path, "good,bad\n", "a{0},b{0}\n", 1_999_000)


@bomb("t.csv", dataset("pairs"))
def csv_of_many_columns(path: Path) -> None:
    names = ["good", "bad", *map(str, range(10_000))]
    line = ",".join(["ab"] * len(names)) + "\n"
    repeated(path, ",".join(names) + "\n", line)


@bomb("t.csv", dataset("pairs"))
def csv_of_as_many_cells_as_may_be(path: Path) -> None:
    names = ["good", "bad", *map(str, range(8))]
    numbered(path, ",".join(names) + "\n", "a{0},b" + "," * 8 + "\n", 1_950_000)


@bomb("t.csv", dataset("pairs"))
def csv_with_one_cell(path: Path) -> None:
    path.write_text('good,bad\n"' + "a\n" * (LARGEST // 2 - 10) + '",b\n')


@bomb("t.tsv", surprisals)
def surprisals_of_as_many_rows_as_may_be(path: Path) -> None:
    numbered(path, "sentence_id\ttoken\tsurprisal\n", "{0}\ta\t1\n", 1_999_000)


@bomb("t.tsv", surprisals)
def surprisals_of_one_sentence(path: Path) -> None:
    repeated(path, "sentence\ttoken\tsurprisal\n", "a a a\ta\t1\n")


@bomb("t.csv", graded)
def graded_csv_of_many_rows(path: Path) -> None:
    numbered(path, "sentence,rating\n", "a{0},1\n")


@bomb("t.csv", graded)
def graded_answers_of_as_many_rows_as_may_be(path: Path) -> None:
    numbered(path, "sentence,participant,rating\n", "a{0},p{0},1\n", 1_999_000)


@bomb("t.csv", choices)
def choices_of_as_many_rows_as_may_be(path: Path) -> None:
    head = "set,item,rater,response\n"
    numbered(path, head, "s,{0},p{0},good\n", 1_999_000)


@bomb("t.jsonl", dataset("pairs"))
def jsonl_of_empty_objects(path: Path) -> None:
    repeated(path, "", "{}\n")


@bomb("t.jsonl", dataset("pairs"))
def jsonl_of_as_many_rows_as_may_be(path: Path) -> None:
    numbered(path, "", '{{"good":"a{0}","bad":"b"}}\n', 1_999_000)


@bomb("t.jsonl", dataset("blimp"))
def jsonl_with_empty_lists(path: Path) -> None:
    head = '{"sentence_good":"a","sentence_bad":"b","x":[[]'
    repeated(path, head, ",[]", "]}\n")


@bomb("t.jsonl", dataset("blimp"))
def jsonl_with_empty_objects_inside(path: Path) -> None:
    head = '{"sentence_good":"a","sentence_bad":"b","x":[{}'
    repeated(path, head, ',{"":1}', "]}\n")


@bomb("t.json", suite_file)
def suite_of_empty_objects(path: Path) -> None:
    head = '{"meta":{"name":"a","metric":"sum"},"region_meta":{},"predictions":[],"items":[{}'
    repeated(path, head, ",{}", "]}")


@bomb("t.json", suite_file)
def suite_of_many_items(path: Path) -> None:
    item = (
        '{"item_number":%d,"conditions":[{"condition_name":"a","regions":'
        '[{"region_number":1,"content":"b"}]}]}'
    )
    items = ",".join(item % n for n in range(LARGEST // 115))
    path.write_text(
        '{"meta":{"name":"a","metric":"sum"},"region_meta":{"1":"x"},'
        f'"predictions":[{{"type":"formula","formula":"(1;%a%) < 3"}}],"items":[{items}]}}'
    )


@bomb("t.csv", suite_file)
def suite_csv_of_many_rows(path: Path) -> None:
    head = "#Prediction (1;%a%) < 3\nitem_number,condition_name,region_number,region_name,content\n"
    numbered(path, head, "{0},a,1,x,b\n", 1_999_000)


def lists(path: Path, count: int) -> None:
    import polars as pl

    texts = {"good": ["It rains.", "a"], "bad": ["It rain.", "b"]}
    long = pl.Series("x", [np.zeros(count, np.int8), np.zeros(1, np.int8)])
    pl.DataFrame(texts).with_columns(long).write_parquet(path, row_group_size=2)


@bomb("t.parquet", dataset("pairs"))
def parquet_with_an_endless_list(path: Path) -> None:
    lists(path, 300_000_000)


@bomb("t.parquet", dataset("pairs"))
def parquet_with_a_list_as_long_as_may_be(path: Path) -> None:
    lists(path, 19_999_000)


@bomb("t.parquet", dataset("pairs"))
def parquet_with_a_text_in_every_row(path: Path) -> None:
    import polars as pl

    pl.DataFrame({"good": ["a " * 50_000] * 12_000, "bad": ["b"] * 12_000}).write_parquet(path)


@bomb("t.parquet", dataset("pairs"))
def parquet_with_a_text_in_every_list(path: Path) -> None:
    import polars as pl

    rows = 12_000
    many = pl.Series("x", [["a " * 10_000] * 5] * rows)
    pl.DataFrame({"good": ["a"] * rows, "bad": ["b"] * rows, "x": many}).write_parquet(path)


@bomb("t.parquet", dataset("pairs"))
def parquet_of_as_many_rows_as_may_be(path: Path) -> None:
    import polars as pl

    numbers = pl.int_range(0, 2_000_000, eager=True).cast(pl.String)
    more = {f"c{n}": pl.repeat("x", 2_000_000, eager=True) for n in range(8)}
    pl.DataFrame({"good": numbers, "bad": "b" + numbers, **more}).write_parquet(path)


# ------------------------------------------------------------ texts and trees


@bomb("t.txt", passages)
def texts_of_tiny_lines(path: Path) -> None:
    repeated(path, "", "a\n")


@bomb("t.txt", trees)
def trees_of_open_brackets(path: Path) -> None:
    repeated(path, "", "(" * 1000 + "\n")


@bomb("t.txt", trees)
def trees_of_tiny_trees(path: Path) -> None:
    repeated(path, "", "(S (A a))\n")


@bomb("t.txt.gz", trees)
def packed_trees(path: Path) -> None:
    packed(path, b"(S (A a) (B b))\n", 1 << 30)


@bomb("t.txt.xz", corpus)
def packed_corpus_of_one_line(path: Path) -> None:
    packed(path, b"a", 2 << 30)


def packed(path: Path, line: bytes, size: int) -> None:
    """So many bytes of one line, packed."""
    piece = line * ((1 << 20) // len(line))
    opened: Any = gzip.open if path.suffix == ".gz" else lzma.open
    how = {"compresslevel": 1} if path.suffix == ".gz" else {"preset": 0}
    with opened(path, "wb", **how) as file:
        for _ in range(size // len(piece)):
            file.write(piece)


# ------------------------------------------------------------ n-gram models


ARPA_HEAD = "\\data\\\nngram 1={}\n\n\\1-grams:\n"


@bomb("m.arpa", model("ngram"))
def arpa_of_many_words(path: Path) -> None:
    count = LARGEST // 11
    numbered(path, ARPA_HEAD.format(count), "-1\t{0:x}\n", count)
    with path.open("a") as file:
        file.write("\n\\end\\\n")


@bomb("m.arpa.gz", model("ngram"))
def packed_arpa_of_many_words(path: Path) -> None:
    count = 60_000_000
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(ARPA_HEAD.format(count).encode())
        for at in range(0, count, 100_000):
            file.write(b"".join(b"-1\t%x\n" % n for n in range(at, at + 100_000)))
            if path.stat().st_size > LARGEST:
                break


@bomb("m.arpa.gz", model("ngram"))
def packed_arpa_of_one_line(path: Path) -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(ARPA_HEAD.format(10**9).encode())
        for _ in range(1500):
            file.write(b"-1\ta\n" * 300_000)


@bomb("m.arpa.gz", model("ngram"))
def packed_arpa_of_many_bigrams(path: Path) -> None:
    words = [f"{n:x}" for n in range(4600)]
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(f"\\data\\\nngram 1={len(words)}\nngram 2={len(words) ** 2}\n\n".encode())
        file.write(("\\1-grams:\n" + "".join(f"-1\t{w}\t0\n" for w in words)).encode())
        file.write(b"\n\\2-grams:\n")
        for first in words:
            file.write("".join(f"-1\t{first} {w}\n" for w in words).encode())
        file.write(b"\n\\end\\\n")


def pngm(path: Path, vocabulary: bytes, pack: bool) -> None:
    from priscian.models.ngram.trie_file import Writer, pack_file

    with path.open("w+b") as file:
        writer = Writer(file)
        words = vocabulary.count(b"\n") + 1
        writer.add("vocabulary", np.frombuffer(vocabulary, np.uint8))
        writer.add("prob1", np.zeros(words if not pack else 1, np.uint8))
        writer.add("prob_codes1", np.zeros(1, np.float32))
        writer.finish({"order": 1, "tokenisation": {"words": "ptb"}})
    if pack:
        pack_file(path, path)


@bomb("m.pngm", model("ngram"))
def pngm_of_many_words(path: Path) -> None:
    listed = "\n".join(map("{:x}".format, range(LARGEST // 9)))
    pngm(path, b"<unk>\n<s>\n</s>\n" + listed.encode(), pack=False)


@bomb("m.pngm", model("ngram"))
def packed_pngm_of_empty_words(path: Path) -> None:
    pngm(path, b"<unk>\n<s>\n</s>" + b"\n" * 1_100_000_000, pack=True)


# ------------------------------------------------------------ our folders


@bomb("m.plstm", model("lstm"))
def plstm_with_a_long_header(path: Path) -> None:
    import hashlib
    import zlib

    tokens = ",".join(f'"{n:x}"' for n in range(4_000_000))
    header = f'{{"card":{{}},"tokens":[{tokens}],"merges":[],"arrays":{{}}}}'.encode()
    small = zlib.compress(header, 1)
    body = len(small).to_bytes(8, "little") + small
    digest = hashlib.sha256(body).hexdigest().encode()
    path.write_bytes(b"PRISCIAN-LSTM 1 " + digest + b"\n" + body)


def lstm_folder(folder: Path) -> None:
    from tests.fuzz.folder_samples import model as make

    make(folder)


@bomb("model.safetensors", folder_model("lstm"))
def safetensors_that_share_their_bytes(path: Path) -> None:
    lstm_folder(path.parent)
    entry = {"dtype": "F32", "shape": [5_000_000], "data_offsets": [0, 20_000_000]}
    head = json.dumps({f"a{n}": entry for n in range(3000)}).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + bytes(20_000_000))


@bomb("model.safetensors", folder_model("lstm"))
def safetensors_of_many_arrays(path: Path) -> None:
    lstm_folder(path.parent)
    entry = '"{:x}":{{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}'
    count = LARGEST // 60
    head = ("{" + ",".join(entry.format(n) for n in range(count)) + "}").encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head)


@bomb("vocabulary.json", folder_model("lstm"))
def vocabulary_of_many_words(path: Path) -> None:
    lstm_folder(path.parent)
    words = ",".join(f'"{n:x}"' for n in range(LARGEST // 9))
    facts = '"kind":"words","tokenisation":{"words":"ptb","case":"keep"},"classes":true'
    path.write_text(f'{{{facts},"words":["<s>","UNK",{words}]}}')


@bomb("tokenizer.json", folder_model("lstm"))
def tokenizer_of_many_pieces(path: Path) -> None:
    from tests.tiny import train_bpe

    lstm_folder(path.parent)
    facts = json.loads(train_bpe().to_str())
    known = facts["model"]["vocab"]
    known |= {f"{n:x}zq": len(known) + n for n in range(2_500_000)}
    path.write_text(json.dumps(facts))


@bomb("tokenizer.json", folder_model("lstm"))
def tokenizer_of_many_merges(path: Path) -> None:
    from tests.tiny import train_bpe

    lstm_folder(path.parent)
    facts = json.loads(train_bpe().to_str())
    facts["model"]["merges"] = [["a", "b"]] * (LARGEST // 13)
    path.write_text(json.dumps(facts, separators=(",", ":")))


@bomb("config.json", folder_model("lstm"))
def configuration_of_empty_lists(path: Path) -> None:
    lstm_folder(path.parent)
    repeated(path, '{"architecture":"lstm","x":[[]', ",[]", "]}")


@bomb("recipe.toml", recipe)
def recipe_of_many_tables(path: Path) -> None:
    numbered(path, "", "[a{0}]\nb=1\n")


@bomb("recipe.toml", recipe)
def recipe_with_a_long_key(path: Path) -> None:
    repeated(path, "a", ".a", " = 1\n")


@bomb("vocabulary.json", bag)
def bag_of_many_ngrams(path: Path) -> None:
    from priscian.models.safetensors_file import write_safetensors

    count = LARGEST // 9
    grams = ",".join(f'"{n:x}"' for n in range(count))
    path.write_text(f'{{"longest":3,"ngrams":[{grams}]}}')
    made = {"weights": np.zeros(count), "intercept": np.zeros(1)}
    write_safetensors(path.parent / "head.safetensors", made)


@bomb("classifier.json", card)
def classifier_of_many_restarts(path: Path) -> None:
    head = '{"method":"probe","data":"d","data_digest":"x","restarts":[{"number":1,"seed":1}'
    repeated(path, head, ',{"number":1,"seed":1}', "]}")


def saved_run(path: Path) -> None:
    from tests.fuzz.folder_samples import run

    run(path.parents[2] if path.parent.name == "pairs" else path.parent.parent)


@bomb("run/run.json", run_folder)
def run_with_empty_lists(path: Path) -> None:
    from tests.fuzz.folder_samples import run

    run(path.parent.parent)
    facts = path.read_text().rstrip()[:-1]
    repeated(path, facts + ', "more": [[]', ",[]", "]}")


@bomb("run/run.json", run_folder)
def run_with_endless_lists_in_its_items(path: Path) -> None:
    import polars as pl

    from tests.fuzz.folder_samples import run

    run(path.parent.parent)
    items = path.parent / "m" / "pairs" / "items.parquet"
    frame = pl.read_parquet(items)
    first = [np.zeros(300_000_000, np.int8)] + [np.zeros(1, np.int8)] * (len(frame) - 1)
    frame.with_columns(pl.Series("x", first)).write_parquet(items)


# ------------------------------------------------------------ Transformers


def string(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def gguf_of(path: Path, facts: bytes, count: int) -> None:
    kind = string("general.architecture") + struct.pack("<I", 8) + string("llama")
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, count + 1) + kind + facts)


@bomb("m.gguf", model("hf"))
def gguf_of_many_numbers(path: Path) -> None:
    count = LARGEST - 1000
    gguf_of(path, string("x") + struct.pack("<IIQ", 9, 0, count) + bytes(count), 1)


@bomb("m.gguf", model("hf"))
def gguf_of_as_many_texts_as_may_be(path: Path) -> None:
    count = 325_000
    gguf_of(path, string("x") + struct.pack("<IIQ", 9, 8, count) + string("") * count, 1)


@bomb("m.gguf", model("hf"))
def gguf_of_many_facts(path: Path) -> None:
    count = LARGEST // 22
    facts = b"".join(string(f"{n:x}") + struct.pack("<IB", 0, 1) for n in range(count))
    gguf_of(path, facts, count)


def transformer(file: str, **changes: Any) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        from tests.tiny import build_causal

        build_causal("llama", path.parent)
        found = path.parent / file
        found.write_text(json.dumps(json.loads(found.read_text()) | changes))

    return make


for key, value in {
    "num_hidden_layers": 10**12,
    "num_labels": 10**9,
    "vocab_size": 10**8,
    "hidden_size": 10**6,
    "max_position_embeddings": 10**9,
}.items():
    enter = transformer("config.json", **{key: value})
    enter.__name__ = f"transformer_of_{key}_{value}"
    bomb("config.json", folder_model("hf"))(enter)


def measure(name: str) -> dict[str, Any]:
    """Make and read one file; what was said, and what reading it took."""
    from priscian.errors import PriscianError

    found = BOMBS[name]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        maker = os.fork()  # what making takes does not count
        if not maker:
            code = 1
            try:
                found.make(folder)
                code = 0
            finally:
                os._exit(code)
        if os.waitpid(maker, 0)[1]:
            raise RuntimeError(f"{name} cannot be made")
        size = max(path.stat().st_size for path in folder.rglob("*"))
        resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
        begun = time.process_time()
        try:
            found.read(folder)
            said = "read"
        except PriscianError as error:
            said = f"refused: {str(error).replace(made, '…')}"
        except BaseException as error:
            said = f"failed: {type(error).__name__}: {error}"
        took = time.process_time() - begun
    return {
        "name": name, "bytes": size, "said": said, "seconds": round(took, 1),
        "megabytes": round(peak_megabytes()),
    }  # fmt: skip


def in_child(name: str) -> dict[str, Any]:
    """The same in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.fuzz.bombs", name],
        cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        return {"name": name, "said": f"died: {done.stderr[-500:]}", "seconds": 0, "megabytes": 0}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main(names: list[str]) -> Iterator[dict[str, Any]]:
    """Of one name what it took here; of several, or of none, each in a process of its own."""
    if len(names) == 1:
        yield measure(names[0])
    else:
        yield from map(in_child, names or BOMBS)


if __name__ == "__main__":
    for told in main(sys.argv[1:]):
        print(json.dumps(told, ensure_ascii=False), flush=True)
