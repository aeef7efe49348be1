"""What a training reads, made once of its corpus: vocabulary, token ids, and facts for the card.

It is kept in `training/`, for a training that is resumed and for other processes. `prepared.json`
has the hash of every text that was read, and one of all that was made of them.
"""

from __future__ import annotations

import hashlib
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import structs

from priscian.errors import DataError, PriscianError, UsageError, counted
from priscian.files import read_json, regular, replacing, write_json
from priscian.models.vocabulary import Vocabulary, load_vocabulary
from priscian.training.amounts import parse_amount
from priscian.training.architectures import TREES
from priscian.training.corpora import hash_text
from priscian.training.recipe import SAVED, Recipe, old_names
from priscian.training.rows import Encoded
from priscian.training.sources import EncodedTrees, ParsedText, PlainText, TextSource, TreeText
from priscian.training.subsets import Mark, read_corpus, refuse_changed
from priscian.workers import Say

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
FOLDER = "training"
FILE = "prepared.json"
PARTS = ("main", "extra", "dev", "test")
MADE = (
    f"{FOLDER}/{FILE}", f"{FOLDER}/extra.npz",
    "vocabulary.json", "tokenizer.json", "tokenizer_config.json",
)  # fmt: skip
"""Files of the preparation that the next one may not write again."""


class PartFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a part that is held out."""

    sentences: Count
    words: Count
    unknown: Count
    left_out: Count


class ExtraFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Text that is mixed in."""

    files: tuple[Mark, ...] = ()
    sentences: Count = 0
    words: Count = 0


class PreparedFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`prepared.json`, most of which is also on the card."""

    files: tuple[Mark, ...]
    trees: tuple[Mark, ...] = ()
    """Trees of the text in `files`."""
    extra: ExtraFacts = ExtraFacts()
    sentences: Count
    words: Count
    left_out: Count
    vocabulary: Count
    network: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Keys of the network's shape that the corpus decides."""
    dev: PartFacts
    test: PartFacts
    recipe: str = ""
    """A hash of what else decides the text; empty in older folders."""
    digest: str = ""
    """A hash of the facts above, the vocabulary and the token ids; empty in older folders."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Vocabulary and encoded text, and what the card says about them."""

    vocabulary: Vocabulary
    main: Encoded
    extra: Encoded | None
    dev: Encoded
    test: Encoded
    facts: PreparedFacts

    def digest(self) -> str:
        """A hash of everything that is trained on, or said of it."""
        facts = structs.replace(self.facts, recipe="", digest="")
        found = hashlib.sha256(msgspec.json.encode(facts))
        found.update(self.vocabulary.as_text().encode("utf-8", "surrogatepass"))
        for name in PARTS:
            data: Encoded | None = getattr(self, name)
            for field, value in _arrays(data) if data is not None else ():
                array = np.ascontiguousarray(value)
                found.update(f"{name}.{field} {array.dtype.str} {array.shape}".encode())
                found.update(array.data)
        return found.hexdigest()


def source_of(recipe: Recipe) -> TextSource:
    """How the corpus of a recipe is read."""
    if recipe.architecture in TREES:
        if recipe.corpus.trees_of:
            return ParsedText(recipe.text, recipe.network, recipe.corpus.files)
        return TreeText(recipe.text, recipe.network)
    if recipe.corpus.trees_of:
        raise UsageError(
            f"corpus.trees_of is for grammars; leave it out to train {recipe.architecture}"
        )
    return PlainText(recipe.text, limited=recipe.architecture == "gpt2")


def prepare(recipe: Recipe, say: Say, hashes: Mapping[str, str] | None = None) -> Prepared:
    """Read and encode the corpus; every file is read once, and hashed as it is read."""
    source = source_of(recipe)
    say("reading the corpus")
    texts, _ = _names(recipe)
    corpus = read_corpus(
        list(map(Path, texts)), source=source, mixed_in=list(map(Path, recipe.corpus.extra))
    )
    size = None if recipe.corpus.size == "all" else parse_amount(recipe.corpus.size, "size")
    sentences = corpus.subset(size, recipe.corpus.order_seed)
    say(f"{len(sentences) + len(corpus.extra):,} sentences; learning the vocabulary")
    learn_on = sentences
    if recipe.text.vocabulary == "shared":
        learn_on = corpus.subset(None, recipe.corpus.order_seed)
    learnt = source.learn([*learn_on, *corpus.extra])
    say(f"{learnt.vocabulary.size:,} tokens in the vocabulary; encoding")
    main = source.encode(learnt, sentences)
    extra = source.encode(learnt, corpus.extra, "extra text") if corpus.extra else None
    held: dict[str, Encoded] = {}
    about: dict[str, PartFacts] = {}
    for name, part in (("dev", corpus.dev), ("test", corpus.test)):
        held[name] = source.encode(learnt, part, f"{name} part")
        about[name] = PartFacts(**source.facts(learnt, part), left_out=held[name].left_out)
    facts = PreparedFacts(
        recipe=_decided_by(recipe),
        files=corpus.files,
        trees=source.trees,
        extra=ExtraFacts(
            files=corpus.extra_files,
            sentences=len(corpus.extra),
            words=sum(map(source.count, corpus.extra)),
        ),
        sentences=len(sentences),
        words=sum(map(source.count, sentences)),
        left_out=main.left_out,
        vocabulary=learnt.vocabulary.size,
        network={key: tuple(value) for key, value in learnt.network.items()},
        dev=about["dev"],
        test=about["test"],
    )
    if main.left_out:
        fitting = " or without a fitting tree" * (recipe.architecture in TREES)
        say(
            f"{counted(main.left_out, 'sentence')} left out of training, of more than "
            f"{recipe.text.max_length} tokens{fitting}; raise text.max_length to train on longer "
            "ones"
        )
    refuse_others(recipe, facts, hashes or {})
    made = Prepared(learnt.vocabulary, main, extra, held["dev"], held["test"], facts)
    return _sealed(made)


def _sealed(made: Prepared) -> Prepared:
    facts = structs.replace(made.facts, digest=made.digest())
    return Prepared(made.vocabulary, made.main, made.extra, made.dev, made.test, facts)


def keep(ready: Prepared, folder: Path) -> None:
    """Write what was prepared, `prepared.json` last."""
    if not has_begun(folder):
        for name in MADE:  # of an earlier start that failed, with another recipe
            (folder / name).unlink(missing_ok=True)
    ready.vocabulary.save(folder)
    for name in PARTS:
        data: Encoded | None = getattr(ready, name)
        if data is not None:
            with replacing(folder / FOLDER / f"{name}.npz") as made, made.open("wb") as file:
                np.savez(file, **dict(_arrays(data)))
    write_json(folder / FOLDER / FILE, msgspec.to_builtins(ready.facts))


def is_prepared(folder: Path) -> bool:
    """Whether an earlier start has prepared its text, whichever it was."""
    return (folder / FOLDER / FILE).is_file()


def has_begun(folder: Path) -> bool:
    """Whether a folder holds more of a training than its prepared text."""
    return (folder / SAVED).is_file() or (folder / FOLDER / "state.pt").is_file()


def read_prepared(recipe: Recipe, folder: Path) -> Prepared | None:
    """What an earlier start made of the same files; None if it is to be made.

    Of a training that has begun, it is an error if a file has changed since; a file that is not
    there any more has not changed.
    """
    if not is_prepared(folder):
        return None
    if not has_begun(folder):  # nothing depends on it yet
        try:
            facts = _read_facts(folder)
            same = facts.recipe == _decided_by(recipe) and not _changed(recipe, facts)
            return load_prepared(recipe, folder) if same else None
        except PriscianError:
            return None
    facts = _read_facts(folder)
    # of one that is saved it is known that it is the same, though amounts may be written otherwise
    known = (folder / SAVED).is_file() or facts.recipe == _decided_by(recipe)
    changed = [name for name in _changed(recipe, facts) if Path(name).is_file()]
    if changed or not known:
        raise UsageError(
            f"{', '.join(changed) or 'the recipe'} has changed since the training in {folder} "
            "began; restore what it was, or name a new `out=`"
        )
    return load_prepared(recipe, folder)


def load_prepared(recipe: Recipe, folder: Path) -> Prepared:
    """What was prepared, whole and as it was written."""
    place = folder / FOLDER
    facts = _read_facts(folder)
    main, dev, test = (_load(place / f"{name}.npz") for name in ("main", "dev", "test"))
    extra = _load(place / "extra.npz") if recipe.corpus.extra else None
    try:
        vocabulary = load_vocabulary(folder)
    except PriscianError as error:
        raise _damaged(place, str(error)) from None
    ready = Prepared(vocabulary, main, extra, dev, test, facts)
    if not facts.digest:  # kept by an older version
        return _sealed(ready)
    if ready.digest() != facts.digest:
        raise _damaged(place, "its files are not those that were prepared together")
    return ready


def refuse_others(recipe: Recipe, facts: PreparedFacts, hashes: Mapping[str, str]) -> None:
    """Refuse files that are not those whose hashes are given, by their names in the recipe."""
    for names, kept in _kept(recipe, facts):
        refuse_changed(names, kept, hashes)


def _names(recipe: Recipe) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts of a corpus, and the files with their trees."""
    corpus = recipe.corpus
    return (corpus.trees_of, corpus.files) if corpus.trees_of else (corpus.files, ())


def _decided_by(recipe: Recipe) -> str:
    """What the prepared text depends on, beside the files: tables of the recipe."""
    tables = old_names(recipe.to_dict())
    limits = [tables["network"].get(key) for key in ("most_open", "most_opening")]  # of trees
    parts = [tables["architecture"], tables["corpus"], tables["text"], limits]
    return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()


def _kept(recipe: Recipe, facts: PreparedFacts) -> list[tuple[tuple[str, ...], tuple[Mark, ...]]]:
    """Files of a recipe, with their hashes; older versions kept fewer of these."""
    texts, trees = _names(recipe)
    return [(texts, facts.files), (trees, facts.trees), (recipe.corpus.extra, facts.extra.files)]


def _changed(recipe: Recipe, facts: PreparedFacts) -> list[str]:
    """Files that are not what they were; one that is not there has changed."""
    return [
        name
        for names, marks in _kept(recipe, facts)
        for name, (_, mark) in zip(names, marks, strict=False)
        if not Path(name).is_file() or hash_text(Path(name)) != mark
    ]


def _read_facts(folder: Path) -> PreparedFacts:
    file = folder / FOLDER / FILE
    try:
        return read_json(file, PreparedFacts)
    except DataError as error:
        raise _damaged(folder / FOLDER, str(error)) from None


def _damaged(place: Path, reason: str) -> DataError:
    return DataError(
        f"the prepared text in {place} is damaged ({reason[:200]}); delete {place / FILE}, "
        "and it is made again"
    )


def _arrays(data: Encoded) -> Iterator[tuple[str, Any]]:
    return ((field.name, getattr(data, field.name)) for field in fields(data))


def _load(path: Path) -> Encoded:
    try:
        with regular(path).open("rb") as file, np.load(file, allow_pickle=False) as saved:
            kind = EncodedTrees if "labels" in saved else Encoded
            found = [saved[field.name] for field in fields(kind)]
            return kind(*found[:2], *map(int, found[2:]))
    except (OSError, EOFError, ValueError, KeyError, TypeError, RuntimeError, zipfile.BadZipFile,
            zlib.error, struct.error, tokenize.TokenError, OverflowError,
            MemoryError) as error:  # fmt: skip
        raise _damaged(path.parent, f"{path.name}: {error}") from None
