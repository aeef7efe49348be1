"""A study as one TOML file: the task, the items, the lists, the checks and the pages.

Every field has a default except the name, the task and the items, so that a short file is a
complete study. What a number may be is in its type. Default texts and the words of the pages are
data files of the package, and so are the presets.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, Struct

from priscian.errors import DataError, UnknownNameError
from priscian.files import decode_toml, read_text
from priscian.files.convert import convert_table

FILE = "study.toml"
PRESETS = ("blimp-validation", "likert", "me", "yesno", "fc")
ENGLISH = "en"
DATA = resources.files("priscian.judge")
Task = Literal["choice", "likert", "magnitude", "binary"]
TASKS: tuple[Task, ...] = get_args(Task)
Platform = Literal["none", "prolific", "mturk", "sona"]
QUESTIONS = ("age", "gender", "native_languages", "other_languages", "country", "education",
             "comments")  # fmt: skip
"""What participants may be asked about themselves; nothing unless the study lists it."""
Number = Annotated[int, Meta(ge=0, le=100_000)]
Seconds = Annotated[float, Meta(ge=0, le=100_000)]
Minutes = Annotated[float, Meta(gt=0, le=sys.float_info.max)]
AtLeastOne = Annotated[int, Meta(ge=1)]


class StudyTable(Struct, frozen=True, kw_only=True):
    """A table of the file."""


class StudyItems(StudyTable, frozen=True, kw_only=True):
    """What is judged: a data string, or a table beside the study file."""

    source: str = ""
    """`blimp:DIR`, `pairs:FILE`, `graded:FILE`, `generated:SEED,N`."""
    table: str = ""
    """CSV with id, set, condition, lexicalisation, and sentence, or good and bad."""
    per_set: Number = 0
    """Items of each set, drawn by the study's seed; 0 for all."""


class Scale(StudyTable, frozen=True, kw_only=True):
    """How answers are given."""

    points: Annotated[int, Meta(ge=2, le=9)] = 7
    """One key of the keyboard for each."""
    low: str = "completely unacceptable"
    high: str = "completely acceptable"
    yes: str = "Yes, acceptable"
    no: str = "No, not acceptable"
    modulus: Annotated[float, Meta(gt=0, lt=1e9)] = 100.0
    reference: str = ""
    """Magnitude estimation: the sentence that has the modulus."""


class Lists(StudyTable, frozen=True, kw_only=True):
    """How items are divided over sittings."""

    per_sitting: Number = 0
    """Items of a sitting; 0 for all of them."""
    number: Number = 0
    """Lists of each part of the items; 0 for as many as there are conditions."""
    table: str = ""
    """Lists of your own: CSV with list, item, and condition, or side of the good sentence."""
    from_url: bool = False
    """Accept `?list=3` in the address of the study."""


class Extra(StudyTable, frozen=True, kw_only=True):
    """Fillers or practice trials: a table like that of the items."""

    table: str = ""
    per_sitting: Number = 0
    """How many of them each sitting has, drawn at random; 0 for all."""


class Question(StudyTable, frozen=True, kw_only=True):
    """A question about the instructions."""

    question: str
    options: tuple[str, ...]
    answer: str


class CheckTexts(StudyTable, frozen=True, kw_only=True):
    """What instructed checks say; `{answer}` stands for the answer. Empty: the default texts."""

    choose: tuple[str, ...] = ()
    """Of a pair, the sentence to choose; each has one of `avoid` beside it."""
    avoid: tuple[str, ...] = ()
    likert: str = ""
    binary: str = ""
    magnitude: str = ""


class Checks(StudyTable, frozen=True, kw_only=True):
    """Attention checks."""

    instructed: Number = 0
    """Trials that say what to answer."""
    texts: CheckTexts = CheckTexts()
    gold: str = ""
    """A table of sentences with a column `answer`: 1, yes, 5-7; pairs need none."""
    gold_per_sitting: Number = 0
    honeypot: bool = True
    """A field that people do not see; filling it in is noted and excludes nobody by itself."""
    comprehension: tuple[Question, ...] = ()
    tries: AtLeastOne = 2


class Order(StudyTable, frozen=True, kw_only=True):
    """Rules for the order of trials."""

    between_same_set: Number = 1
    """At least so many trials between two of the same set."""
    same_in_a_row: Number = 4
    """At most so many trials of one condition, or with the good sentence on one side, in a row."""


class Targets(StudyTable, frozen=True, kw_only=True):
    """When enough people have taken part."""

    sittings_per_list: Number = 0
    """0 for no limit."""
    sittings_per_person: AtLeastOne = 1
    stale_after: Minutes = 60.0
    """Minutes without a request after which the place of a sitting is given to others."""
    resume_within: Minutes = 1440.0
    """Minutes after which somebody who comes back begins the sitting again."""


class Exclusion(StudyTable, frozen=True, kw_only=True):
    """Rules that are declared before and applied at export; 0 or an empty list is off."""

    failed_checks: Number = 0
    """People who failed so many attention checks or gold sentences."""
    native: tuple[str, ...] = ()
    """Native languages that count, by name or code; needs the question native_languages."""
    median_time_below: Seconds = 0.0
    """Seconds."""
    shortest_time_below: Seconds = 0.0
    """Seconds: anyone with one answer that was faster."""
    total_time_below: Seconds = 0.0
    """Seconds of a sitting by the server's clock, from the instructions to the last answer."""
    one_side_above: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    """Forced choices: sittings with more than this share of answers on one side, such as 0.9."""
    implausible: bool = False
    """Sittings whose times cannot be true by the server's clock."""
    flat: bool = True
    """People who gave one answer throughout, on a scale."""
    incomplete: bool = True
    repeated: bool = True
    """Sittings of one person beyond those allowed."""


class Consent(StudyTable, frozen=True, kw_only=True):
    """What people agree to before they begin."""

    text: str = ""
    retention: str = ""
    """How long data are kept, in words."""
    contact: str = ""


class Codes(StudyTable, frozen=True, kw_only=True):
    """Where participants come from, and what they take back."""

    kind: Platform = "none"
    required: bool = True
    """Refuse people who do not bring an id of the platform."""
    complete: str = ""
    failed: str = ""
    no_consent: str = ""
    sona_url: str = ""
    experiment_id: str = ""
    credit_token: str = ""


class Pages(StudyTable, frozen=True, kw_only=True):
    """Markdown; HTML in it is refused."""

    welcome: str = ""
    instructions: str = ""
    end: str = ""


class Study(StudyTable, frozen=True, kw_only=True):
    """A whole study."""

    name: str
    task: Task
    items: StudyItems
    title: str = ""
    question: str = ""
    language: str = "en"
    seed: int = 1
    scale: Scale = Scale()
    lists: Lists = Lists()
    fillers: Extra = Extra()
    practice: Extra = Extra()
    checks: Checks = Checks()
    order: Order = Order()
    targets: Targets = Targets()
    exclusion: Exclusion = Exclusion()
    consent: Consent = Consent()
    demographics: tuple[str, ...] = ()
    platform: Codes = Codes()
    pages: Pages = Pages()
    words: Mapping[str, str] = {}
    """Words of the pages in another language; `priscian judge new` lists them."""


def read_study(folder: Path) -> Study:
    """The study of a folder, or of a file."""
    file = folder / FILE if folder.is_dir() or not folder.suffix else folder
    if not file.is_file():
        raise DataError(f"no study {str(file)!r}; make one with priscian judge new")
    return parse_study(read_text(file), str(file))


def parse_study(text: str, where: str = FILE) -> Study:
    """A study from the text of its file; `where` names the file in errors."""
    tables = decode_toml(text, where)
    language, scale = tables.get("language", ENGLISH), tables.get("scale", {})
    if isinstance(language, str) and isinstance(scale, dict):  # labels that the file does not give
        tables["scale"] = {**texts(language)["scale"], **scale}
    try:
        return convert_table(Study, tables, "", where)
    except UnknownNameError as error:  # the file is wrong, not the command
        raise DataError(str(error)) from None


def preset(name: str) -> str:
    """The text of a study that runs as it is once it names its items."""
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESETS)
    return (DATA / "presets" / f"{name}.toml").read_text("utf-8")


@cache
def texts(language: str = ENGLISH) -> Mapping[str, Any]:
    """Tables of `data/texts.toml`, in the language of a tag (`de-AT`) if we have it."""
    own = spoken(language)
    name = "texts.toml" if own == ENGLISH else f"texts.{own}.toml"
    tables = tomllib.loads((DATA / "data" / name).read_text("utf-8"))
    if own == ENGLISH:
        return tables
    return {name: {**table, **tables.get(name, {})} for name, table in texts().items()}


def spoken(language: str) -> str:
    """The language that default texts have for a tag: its own if we have it, else English."""
    main = language.split("-")[0].lower()
    return main if main.isalpha() and (DATA / "data" / f"texts.{main}.toml").is_file() else ENGLISH


def words(study: Study) -> dict[str, str]:
    """Every word of the interface, with those of the study in place of ours."""
    return {**texts(study.language)["words"], **study.words}


def page_language(study: Study) -> str:
    """The language of the pages around the sentences."""
    own = study.words or spoken(study.language) != ENGLISH
    return study.language if own else ENGLISH
