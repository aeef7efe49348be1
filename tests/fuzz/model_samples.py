"""Small valid model files, tables of surprisals, corpora and word lists, and how each is read."""

from __future__ import annotations

import gzip
import hashlib
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from priscian.errors import DataError
from priscian.lexicon.reader import read_morphology, read_names
from priscian.models.convert.inert import InertError
from priscian.models.convert.torch_file import read_torch_file
from priscian.models.lstm import LstmModel
from priscian.models.ngram import NgramModel, load_ngram
from priscian.models.ngram.arpa import read_arpa
from priscian.models.ngram.trie_file import Writer, pack_model, read_file, save_trie
from priscian.models.plstm import Stored, write_model
from priscian.models.surprisals.table import read_surprisals
from priscian.records import Text
from priscian.training.corpora import read_sentences
from tests.fuzz import truths
from tests.fuzz.data_samples import NAMES, each, text_sample
from tests.fuzz.harness import Sample
from tests.fuzz.truths import REFUSED
from tests.small_lstm import PIECES, weights

WHOLE = bytes(range(64))
TEXTS = [Text("zq1zq zq2zq zq9zq"), Text("zq0zq, zq3zq.")]


def arpa() -> str:
    one = [f"-{1 + n / 10}\t{name}\t-0.{n + 1}\n" for n, name in enumerate(NAMES)]
    two = [f"-0.{n + 1}\t{a} {b}\n" for n, (a, b) in enumerate(pairwise(NAMES))]
    return (
        f"\\data\\\nngram 1={len(one) + 3}\nngram 2={len(two) + 1}\n\n\\1-grams:\n"
        f"-2\t<unk>\n-99\t<s>\t-0.5\n-1\t</s>\n{''.join(one)}\n"
        f"\\2-grams:\n-0.3\t<s> {NAMES[0]}\n{''.join(two)}\n\\end\\\n"
    )


def ngram_facts(model: NgramModel) -> Iterator[str]:
    """The probability and back-off of every word, and that texts get finite scores."""
    level = model.trie.levels[0]
    nodes = np.arange(len(model.trie.words))
    columns = (level.prob(nodes).tolist(), level.backoff(nodes).tolist())
    for word, prob, backoff in zip(model.trie.words, *columns, strict=True):
        yield f"{word} {prob} {backoff}"
    for scores in model.score(TEXTS):
        assert np.isfinite(scores.logps).all(), f"{scores}"


def unigrams(model: NgramModel) -> list[str]:
    """Each word with its probability and back-off, as `truths.arpa` has them."""
    level = model.trie.levels[0]
    columns = (
        level.probs,
        np.zeros_like(level.probs) if level.backoffs is None else level.backoffs,
    )
    return sorted(f"{w} {p} {b}" for w, p, b in zip(model.trie.words, *columns, strict=True))


def all_of(model: NgramModel) -> Iterator[str]:
    """Everything in a file that has checksums."""
    for level in model.trie.levels:
        for part in (level.words, level.probs, level.backoffs, level.begin):
            yield "" if part is None else hashlib.sha256(part.tobytes()).hexdigest()
    yield from map(str, model.score(TEXTS))


def pngm(folder: Path, *, packed: bool = False) -> None:
    (folder / "m.arpa").write_text(arpa())
    save_trie(read_arpa(folder / "m.arpa"), {"tokenisation": {"words": "ptb"}}, folder / "p.pngm")
    if packed:
        pack_model(folder / "p.pngm", folder / "m.pngm")
    else:
        (folder / "p.pngm").rename(folder / "m.pngm")


def plstm(folder: Path) -> None:
    write_model(folder / "m.plstm", Stored(PIECES, weights(), {"seed": "1"}))


def read_lstm(file: Path) -> list[str]:
    model = LstmModel(file)
    return [str(list(model.score(TEXTS))), str(model.pieces.tokens)]


def content(folder: Path) -> None:
    """What `damage_pngm` and `damage_plstm` take their damage from: a seed, not a model."""
    (folder / "seed").write_bytes(WHOLE)


def seeded(folder: Path) -> Random | None:
    """Chance as the damaged seed has it; none while it is whole."""
    seed = (folder / "seed").read_bytes()
    return None if seed == WHOLE else Random(seed)


def damage_pngm(folder: Path) -> Any:
    """A model file with a damaged section, under the right checksum."""
    if not (folder / "m.pngm").is_file():
        pngm(folder)
    random = seeded(folder)
    if random is None:
        return load_ngram(folder / "m.pngm")
    contents = read_file(folder / "m.pngm")
    arrays = {name: np.array(values) for name, values in contents.arrays.items()}
    facts = dict(contents.facts)
    name = random.choice(sorted(arrays))
    data = bytearray(arrays[name].tobytes())
    for _ in range(random.choice((1, 1, 3))):
        data[random.randrange(len(data))] = random.choice((0, 255, random.randrange(256)))
    arrays[name] = np.frombuffer(bytes(data), arrays[name].dtype)
    if random.random() < 0.2:
        facts[random.choice(sorted(facts))] = random.choice((None, -1, 99, "x", [], {"words": 3}))
    with (folder / "n.pngm").open("w+b") as file:
        writer = Writer(file)
        for key, values in arrays.items():
            writer.add(key, values)
        writer.finish(facts)
    return load_ngram(folder / "n.pngm")


def damage_plstm(folder: Path) -> Any:
    """A model file with damage before it was compressed and summed."""
    if not (folder / "m.plstm").is_file():
        plstm(folder)
    random = seeded(folder)
    if random is None:
        return ()
    _, _, body = (folder / "m.plstm").read_bytes().partition(b"\n")
    length = int.from_bytes(body[:8], "little")
    header, rest = bytearray(zlib.decompress(body[8 : 8 + length])), bytearray(body[8 + length :])
    part = random.choice((header, rest))
    for _ in range(random.choice((1, 1, 3))):
        part[random.randrange(len(part))] = random.choice(b'0123456789"[],{}-ab\x00\x7c\xff')
    packed = zlib.compress(header)
    new = len(packed).to_bytes(8, "little") + packed + rest
    digest = hashlib.sha256(new).hexdigest().encode()
    (folder / "n.plstm").write_bytes(b"PRISCIAN-LSTM 1 " + digest + b"\n" + new)
    for scores in LstmModel(folder / "n.plstm").score(TEXTS):
        assert np.isfinite(scores.logps).all(), f"{scores}"
    return ()


def pickled(*, new: bool) -> Callable[[Path], object]:
    """A dictionary of two tensors as `torch.save` writes it."""

    def make(folder: Path) -> None:
        import torch

        arrays = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.ones(4)}
        torch.save(arrays, folder / "m.pt", _use_new_zipfile_serialization=new)

    return make


def read_pickled(folder: Path) -> list[str]:
    try:
        found = read_torch_file(folder / "m.pt").arrays()
    except InertError as error:  # the converters make their own error of it
        raise DataError(str(error)) from None
    return [f"{name} {array.shape}" for name, array in found.items() if array.size < 1000]


SURPRISALS = "sentence\ttoken\tsurprisal\n" + "".join(
    f"The {name} cat sat.\t{token}\t{n}.{k}\n"
    for n, name in enumerate(NAMES)
    for k, token in enumerate(("The", name, "cat", "sat", "."))
)
NUMBERED = "sentence_id,token,surprisal\n" + "".join(
    f"{n},{token}{'' if token == '<unk>' else name},{n}.{k}\n"
    for n, name in enumerate(NAMES)
    for k, token in enumerate(("The", "cat", "sat"))
)


def look_up(found: Any, sentence: Callable[[str], str]) -> Iterator[str]:
    for name in NAMES:
        try:
            scores = found.scores(Text(sentence(name)))
        except DataError:
            yield f"{name} {REFUSED}"
        else:
            yield f"{name} {scores}"


def sums_of(found: Any, sentence: Callable[[str], str]) -> list[str]:
    """The surprisal of each sentence that can be looked up."""
    sums = []
    for name in NAMES:
        try:
            sums.append(repr(-sum(found.scores(Text(sentence(name))).logps)))
        except DataError:
            sums.append(REFUSED)
    return sums


def known_sums(by_text: Mapping[str, float], sentence: Callable[[str], str]) -> list[str]:
    """The same from the table."""
    return [repr(by_text[sentence(n)]) if sentence(n) in by_text else REFUSED for n in NAMES]


CORPUS = "".join(f"The {name} cat sat. It slept.\n\n" for name in NAMES)
FIRST_NAMES = "name\tkind\tgender\tnumber\n" + "".join(
    f"{name}\tfirst\t{'fm'[n % 2]}\tsg\n" for n, name in enumerate(NAMES)
)


def packed(name: str, content: str) -> Callable[[Path], object]:
    pack = gzip.compress if name.endswith(".gz") else lzma.compress
    return lambda folder: (folder / name).write_bytes(pack(content.encode()))


def sentences(file: Path) -> list[str]:
    return list(read_sentences([file], split=True))


def morphology(folder: Path) -> None:
    (folder / "irregular_plurals.tsv").write_text("lemma\tplural\tkind\nzq0zq\tzq0zqen\tzero\n")
    rows = "".join(f"{name}\t{name}ed\t{name}en\t\n" for name in NAMES)
    (folder / "irregular_verbs.tsv").write_text(f"lemma\tpast\tparticiple\tnote\n{rows}")
    (folder / "doubling.tsv").write_text("lemma\nzq1zq\n")


def whole(name: str, file: str, make: Callable[[Path], object], read: Any, facts: Any) -> Sample:
    """A sample with checksums."""
    return Sample(name, file, make, lambda folder: read(folder / file), facts, True, True)


MODELS: list[Sample] = [
    text_sample(
        "arpa",
        "m.arpa",
        arpa(),
        load_ngram,
        ngram_facts,
        unigrams,
        lambda folder: truths.arpa(folder / "m.arpa"),
    ),
    *(
        whole(f"arpa {end}", f"m.arpa.{end}", packed(f"m.arpa.{end}", arpa()), load_ngram, all_of)
        for end in ("gz", "xz")
    ),
    whole("pngm", "m.pngm", pngm, load_ngram, all_of),
    whole("pngm, packed", "m.pngm", lambda folder: pngm(folder, packed=True), load_ngram, all_of),
    Sample("pngm, contents", "seed", content, damage_pngm, ngram_facts, binary=True),
    whole("plstm", "m.plstm", plstm, read_lstm, list),
    Sample("plstm, contents", "seed", content, damage_plstm, list, binary=True),
    *(
        Sample(f"torch file, {name}", "m.pt", pickled(new=new), read_pickled, list, binary=True)
        for name, new in (("old format", False), ("zip", True))
    ),
    text_sample(
        "surprisals",
        "t.tsv",
        SURPRISALS,
        read_surprisals,
        lambda found: look_up(found, lambda name: f"The {name} cat sat."),
        lambda found: sums_of(found, lambda name: f"The {name} cat sat."),
        lambda folder: known_sums(
            truths.surprisals(truths.delimited(folder / "t.tsv", "\t"), "sentence"),
            lambda name: f"The {name} cat sat.",
        ),
    ),
    text_sample(
        "surprisals, numbered",
        "t.csv",
        NUMBERED,
        read_surprisals,
        lambda found: look_up(found, lambda name: f"The{name} cat{name} sat{name}"),
    ),
    text_sample("corpus", "c.txt", CORPUS, sentences, list),
    *(
        whole(f"corpus {end}", f"c.{end}", packed(f"c.{end}", CORPUS), sentences, list)
        for end in ("gz", "xz")
    ),
    text_sample("lexicon, names", "n.tsv", FIRST_NAMES, read_names, each),
    Sample(
        "lexicon, verbs",
        "irregular_verbs.tsv",
        morphology,
        read_morphology,
        lambda found: each(found.verbs.items()),
    ),
]
