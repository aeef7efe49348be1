"""A study as one TOML file: the task, the items, the lists, the checks and the pages.

Unknown keys are refused with the nearest known name. Every field has a default except the name,
the task and the items, so that a short file is a complete study.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from priscian.errors import DataError, UnknownNameError
from priscian.files import decode_toml, read_text
from priscian.judge.texts import ENGLISH, texts

FILE = "study.toml"
Task = Literal["choice", "likert", "magnitude", "binary"]
TASKS: tuple[Task, ...] = get_args(Task)
Platform = Literal["none", "prolific", "mturk", "sona"]
QUESTIONS = ("age", "gender", "native_languages", "other_languages", "country", "education",
             "comments")  # fmt: skip
"""What participants may be asked about themselves; nothing unless the study lists it."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A table of the file."""


class Items(Part, frozen=True, kw_only=True):
    """What is judged: a data string, or a table beside the study file."""

    source: str = ""
    """`blimp:DIR`, `pairs:FILE`, `graded:FILE`, `generated:SEED,N`."""
    table: str = ""
    """CSV with id, set, condition, lexicalisation, and sentence, or good and bad."""
    per_set: int = 0
    """Items of each set, drawn by the study's seed; 0 for all."""


class Scale(Part, frozen=True, kw_only=True):
    """How answers are given."""

    points: int = 7
    low: str = "completely unacceptable"
    high: str = "completely acceptable"
    yes: str = "Yes, acceptable"
    no: str = "No, not acceptable"
    modulus: float = 100.0
    reference: str = ""
    """Magnitude estimation: the sentence that has the modulus."""


class Lists(Part, frozen=True, kw_only=True):
    """How items are divided over sittings."""

    per_sitting: int = 0
    """Items of a sitting; 0 for all of them."""
    number: int = 0
    """Lists of each part of the items; 0 for as many as there are conditions."""
    table: str = ""
    """Lists of your own: CSV with list, item, and condition, or side of the good sentence."""
    from_url: bool = False
    """Accept `?list=3` in the address of the study."""


class Extra(Part, frozen=True, kw_only=True):
    """Fillers or practice trials: a table like that of the items."""

    table: str = ""
    per_sitting: int = 0
    """How many of them each sitting has, drawn at random; 0 for all."""


class Question(Part, frozen=True, kw_only=True):
    """A question about the instructions."""

    question: str
    options: tuple[str, ...]
    answer: str


class CheckTexts(Part, frozen=True, kw_only=True):
    """What instructed checks say; `{answer}` stands for the answer. Empty: the default texts."""

    choose: tuple[str, ...] = ()
    """Of a pair, the sentence to choose; each has one of `avoid` beside it."""
    avoid: tuple[str, ...] = ()
    likert: str = ""
    binary: str = ""
    magnitude: str = ""


class Checks(Part, frozen=True, kw_only=True):
    """Attention checks."""

    instructed: int = 0
    """Trials that say what to answer."""
    texts: CheckTexts = CheckTexts()
    gold: str = ""
    """A table of sentences with a column `answer`: 1, yes, 5-7; pairs need none."""
    gold_per_sitting: int = 0
    honeypot: bool = True
    """A field that people do not see; filling it in is noted and excludes nobody by itself."""
    comprehension: tuple[Question, ...] = ()
    tries: int = 2


class Order(Part, frozen=True, kw_only=True):
    """Rules for the order of trials."""

    between_same_set: int = 1
    """At least so many trials between two of the same set."""
    same_in_a_row: int = 4
    """At most so many trials of one condition, or with the good sentence on one side, in a row."""


class Targets(Part, frozen=True, kw_only=True):
    """When enough people have taken part."""

    sittings_per_list: int = 0
    """0 for no limit."""
    sittings_per_person: int = 1
    stale_after: float = 60.0
    """Minutes without a request after which the place of a sitting is given to others."""
    resume_within: float = 1440.0
    """Minutes after which somebody who comes back begins the sitting again."""


class Exclusion(Part, frozen=True, kw_only=True):
    """Rules that are declared before and applied at export; 0 or an empty list is off."""

    failed_checks: int = 0
    """People who failed so many attention checks or gold sentences."""
    native: tuple[str, ...] = ()
    """Native languages that count, by name or code; needs the question native_languages."""
    median_time_below: float = 0.0
    """Seconds."""
    shortest_time_below: float = 0.0
    """Seconds: anyone with one answer that was faster."""
    total_time_below: float = 0.0
    """Seconds of a sitting by the server's clock, from the instructions to the last answer."""
    one_side_above: float = 0.0
    """Forced choices: sittings with more than this share of answers on one side, such as 0.9."""
    implausible: bool = False
    """Sittings whose times cannot be true by the server's clock."""
    flat: bool = True
    """People who gave one answer throughout, on a scale."""
    incomplete: bool = True
    repeated: bool = True
    """Sittings of one person beyond those allowed."""


class Consent(Part, frozen=True, kw_only=True):
    """What people agree to before they begin."""

    text: str = ""
    retention: str = ""
    """How long data are kept, in words."""
    contact: str = ""


class Codes(Part, frozen=True, kw_only=True):
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


class Pages(Part, frozen=True, kw_only=True):
    """Markdown; HTML in it is refused."""

    welcome: str = ""
    instructions: str = ""
    end: str = ""


class Study(Part, frozen=True, kw_only=True):
    """A whole study."""

    name: str
    task: Task
    items: Items
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
    _known(tables, Study, where, "")
    _speak(tables)
    try:
        return msgspec.convert(tables, Study, strict=True)
    except msgspec.ValidationError as error:
        raise DataError(f"{where}: {_readable(str(error))}") from None


def _speak(tables: dict[str, Any]) -> None:
    """Labels of the scale that the file does not give, in the language of the study."""
    language, scale = tables.get("language", ENGLISH), tables.setdefault("scale", {})
    if isinstance(language, str) and isinstance(scale, dict):
        tables["scale"] = {**texts(language)["scale"], **scale}


def _known(tables: Mapping[str, Any], kind: type[msgspec.Struct], where: str, path: str) -> None:
    """Refuse keys that do not exist, with the nearest that do."""
    fields = {f.encode_name: f.type for f in msgspec.structs.fields(kind)}
    for key, value in tables.items():
        if key not in fields:
            place = f" in [{path}]" if path else ""
            raise DataError(f"{where}: {UnknownNameError(f'key{place}', key, fields)}")
        below = fields[key]
        name = f"{path}.{key}".lstrip(".")
        if isinstance(below, type) and issubclass(below, Part) and isinstance(value, Mapping):
            _known(value, below, where, name)
        if name == "checks.comprehension" and isinstance(value, list):
            for question in value:
                if isinstance(question, Mapping):
                    _known(question, Question, where, name)


def _readable(problem: str) -> str:
    """msgspec says `Expected `int`, got `str` - at `$.scale.points``."""
    what, _, at = problem.partition(" - at `$.")
    return f"{at.rstrip('`')}: {what.lower().replace('`', '')}" if at else problem.replace("`", "")
