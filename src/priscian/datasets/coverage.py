"""What our paradigms, suites and textbook phenomena cover of a syntax textbook's topics.

The topics are those of Carnie (2012), as Hu et al. (2020, Table 5) list them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from priscian.datasets.graded_read import read_textbook
from priscian.datasets.reference import DATA
from priscian.errors import DataError
from priscian.files import read_tsv

TOPICS = DATA / "coverage_topics.tsv"
MAP = DATA / "coverage.tsv"
HEAD = DATA / "coverage_head.md"
KINDS = ("paradigm", "suite", "textbook")
OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of a chapter; `hu2020` says whether a suite of Hu et al. (2020) tests it."""

    key: str
    chapter: int
    title: str
    name: str
    hu2020: bool
    about: str


@dataclass(frozen=True, slots=True)
class Covered:
    """A topic and the names of what tests it."""

    topic: Topic
    paradigms: tuple[str, ...]
    suites: tuple[str, ...]
    textbook: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.paradigms or self.suites or self.textbook)


@dataclass(frozen=True, slots=True)
class Mapped:
    """A paradigm, suite or textbook phenomenon, and the keys of its topics; none: outside."""

    kind: str
    name: str
    topics: tuple[str, ...]


@cache
def topics() -> tuple[Topic, ...]:
    """The topics in the order of the chapters."""
    columns = ("chapter", "title", "key", "topic", "hu2020", "about")
    return tuple(
        Topic(
            row["key"],
            int(row["chapter"]),
            row["title"],
            row["topic"],
            row["hu2020"] == "yes",
            row["about"],
        )
        for _, row in read_tsv(TOPICS, columns)
    )


@cache
def mapped() -> tuple[Mapped, ...]:
    """Every row of the map, each name once for its kind."""
    keys = {topic.key for topic in topics()}
    found: dict[tuple[str, str], Mapped] = {}
    for line, row in read_tsv(MAP, ("kind", "name", "topics")):
        own = tuple(row["topics"].split())
        where = f"{MAP.name}:{line}: {row['name']}"
        if row["kind"] not in KINDS:
            raise DataError(f"{where}: unknown kind {row['kind']!r}; use {', '.join(KINDS)}")
        strangers = [key for key in own if key not in keys]
        if not own or (strangers and own != (OUTSIDE,)):
            raise DataError(
                f"{where}: topics {row['topics']!r}; use keys of {TOPICS.name}, or {OUTSIDE}"
            )
        if (row["kind"], row["name"]) in found:
            raise DataError(f"{where}: listed twice; join the two rows")
        own = () if own == (OUTSIDE,) else own
        found[row["kind"], row["name"]] = Mapped(row["kind"], row["name"], own)
    return tuple(found.values())


def coverage() -> tuple[Covered, ...]:
    """Every topic with what tests it.

    >>> found = {c.topic.key: c for c in coverage()}
    >>> found["pseudogapping"].textbook
    ('pseudogapping',)
    >>> "adjunct_island" in found["islands"].paradigms
    True
    """

    def names(kind: str, key: str) -> tuple[str, ...]:
        return tuple(m.name for m in mapped() if m.kind == kind and key in m.topics)

    return tuple(
        Covered(t, names("paradigm", t.key), names("suite", t.key), names("textbook", t.key))
        for t in topics()
    )


def outside(kind: str) -> tuple[str, ...]:
    """What belongs to no topic of the textbook."""
    return tuple(m.name for m in mapped() if m.kind == kind and not m.topics)


def covered_line() -> str:
    """How many topics are covered, and which are not."""
    found = coverage()
    left = [c.topic.name for c in found if not c]
    published = sum(c.topic.hu2020 for c in found)
    return (
        f"{len(found) - len(left)} of {len(found)} topics are covered "
        f"(suites of Hu et al.: {published}). Not covered: {', '.join(left) or 'none'}."
    )


def coverage_page() -> str:
    """The guide `docs/coverage.md`."""
    contested = {s.phenomenon for s in read_textbook(contested=True).sentences}
    lines = [HEAD.read_text("utf-8").format(line=covered_line()).rstrip()]
    title = ""
    for one in coverage():
        topic = one.topic
        if topic.title != title:
            title = topic.title
            lines.append(f"\n## {topic.chapter} {title}\n{_COLUMNS}")
        cells = [
            f"**{topic.name}**: {topic.about}",
            "yes" if topic.hu2020 else "",
            _listed(one.paradigms),
            _listed(one.suites),
            _listed(one.textbook, contested),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines.append("\n## Outside these topics")
    labels = ("Paradigms", "Suites", "Textbook phenomena")
    for kind, label in zip(KINDS, labels, strict=True):
        lines.append(f"- {label}: {_listed(outside(kind), contested) or 'none'}")
    return "\n".join(lines) + "\n"


def _listed(names: Iterable[str], contested: Iterable[str] = ()) -> str:
    return ", ".join(f"`{name}`{'†' if name in contested else ''}" for name in names)


_COLUMNS = "| topic | Hu et al. | paradigms | suites | textbook set |\n|---|---|---|---|---|"
