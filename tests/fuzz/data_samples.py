"""Small valid files of every data format, made by us, and how each is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from priscian.analysis.blimp.model_summary import published
from priscian.analysis.sg.released import read_perplexities, read_suite_scores
from priscian.datasets import read_blimp, read_pairs, read_suite
from priscian.datasets.choices import MTURK, read_choices
from priscian.datasets.cola import FEATURES, SPLITS, read_cola_sets
from priscian.datasets.graded import read_type_pairs
from priscian.datasets.graded_read import read_graded, read_scores
from priscian.datasets.li_adger import PAIR_SCORES, PAIRS, RATINGS, SENTENCES, read_li_adger
from priscian.datasets.mapped_pairs import read_mapped
from priscian.files import delimited_text
from priscian.records import ItemSet
from priscian.trees import read_trees
from tests.fuzz import truths
from tests.fuzz.harness import Sample

NAMES = [f"zq{number}zq" for number in range(8)]
Rows = Sequence[dict[str, Any]]


def jsonl(rows: Rows) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def items_of(sets: Iterable[ItemSet]) -> list[str]:
    """What is said of each item; not its id, which may be its number in the file."""
    found = []
    for one in sets:
        for item in one.items:
            texts = {side: (s.text, s.context, s.spans) for side, s in item.conditions.items()}
            meta = {key: value for key, value in item.meta.items() if key != "item_number"}
            found.append(f"{texts} {meta}")
    return found


BLIMP: Rows = [
    {
        "sentence_good": f"The {name} boys are here.",
        "sentence_bad": f"The {name} boys is here.",
        "one_prefix_prefix": f"The {name} boys",
        "one_prefix_word_good": "are",
        "one_prefix_word_bad": "is",
        "field": "syntax",
        "linguistics_term": "agreement",
        "UID": "toy_agreement",
        "pairID": str(number),
        "note": {"made": [number, None, True]},
    }
    for number, name in enumerate(NAMES)
]
BLIMP_FRAME = pl.DataFrame([row | {"note": {"made": [1, 2]}} for row in BLIMP])
PAIRS_ROWS: Rows = [
    {
        "id": f"{name}",
        "good": f'The {name} "boys", they are here; é.',
        "bad": f"The {name} boys is here.",
        "prefix": f"The {name}" if number % 2 else "The",
        "phenomenon": "agreement",
        "context": f"It is {number}.",
    }
    for number, name in enumerate(NAMES)
]
PLAIN_PAIRS: Rows = [
    {k: v.replace('"', "") if isinstance(v, str) else v for k, v in row.items() if k != "prefix"}
    for row in PAIRS_ROWS
]


def suite() -> str:
    """A suite with one item per line."""
    items = []
    for number, name in enumerate(NAMES, 1):
        conditions = [
            {
                "condition_name": condition,
                "regions": [
                    {"region_number": 1, "content": f"The {name} boys"},
                    {"region_number": 2, "content": verb},
                    {"region_number": 3, "content": "here ."},
                ],
            }
            for condition, verb in (("good", "are"), ("bad", "is"))
        ]
        items.append(json.dumps({"item_number": number, "conditions": conditions}))
    head = {
        "meta": {"name": "toy", "metric": "sum", "comment": "", "reference": "", "author": ""},
        "region_meta": {"1": "start", "2": "verb", "3": "end"},
        "predictions": [{"type": "formula", "formula": "((2;%good%)+(3;%good%)) < (2;%bad%)"}],
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items()]
    return "{" + "".join(lines) + '"items": [\n' + ",\n".join(items) + "\n]}\n"


def labelled_csv() -> str:
    """Rows without a header, good and bad in turn; both lines of a pair have its mark."""
    return "".join(
        f"p,{name},The {name} boys are here.,1\np,{name},The {name} boys is here.,0\n"
        for name in NAMES
    )


EWOK_ROWS: Rows = [
    {
        "Domain": "toy",
        "Context1": f"The {name} boys are in.",
        "Context2": f"The {name} boys are out.",
        "Target1": "They see the hall.",
        "Target2": "They see the road.",
    }
    for name in NAMES
]


def suite_csv() -> str:
    rows = [
        {
            "item_number": number,
            "condition_name": condition,
            "region_number": region,
            "region_name": title,
            "content": f"{text} {name}",
        }
        for number, name in enumerate(NAMES, 1)
        for condition, verb in (("good", "are"), ("bad", "is"))
        for region, (title, text) in enumerate((("start", "The boys"), ("verb", verb)), 1)
    ]
    return "#Prediction (2;%good%) < (2;%bad%)\n" + delimited_text(rows)


GRADED: Rows = [
    {
        "id": f"a.{name}.{'g' if number % 2 else '*'}.01",
        "sentence": f"The {name} boys are here.",
        "rating": round(0.3 * number - 1, 2),
        "acceptable": number % 2,
        "phenomenon": "",
        "lexicalisation": "1",
        "dataset": "toy",
    }
    for number, name in enumerate(NAMES)
]
ANSWERS: Rows = [
    {
        "sentence": f"The {name} boys are here.",
        "participant": person,
        "rating": 1 + (number * 3 + len(person)) % 7,
        "task": "likert",
    }
    for number, name in enumerate(NAMES)
    for person in ("ann", "bo", "chris")
]


def li_adger(folder: Path) -> None:
    ids = [row["id"] for row in GRADED]
    sentences = [{"id": row["id"], "sentence": row["sentence"], "dataset": "LI"} for row in GRADED]
    ratings = [{"id": row["id"], "judgement": row["rating"]} for row in GRADED]
    pairs = [
        {"gramm_id": good, "ungramm_id": bad, "phenomenon": "p", "discard": ""}
        for bad, good in zip(ids[::2], ids[1::2], strict=True)
    ]
    scored = [
        row | {f"m_{side}": -1.5, f"m_zscores_{side}": 0.5}
        for row in pairs
        for side in ("gramm", "ungramm")
    ]
    for name, rows in ((SENTENCES, sentences), (RATINGS, ratings), (PAIRS, pairs)):
        (folder / name).write_text(delimited_text(rows))
    wide = {f"m{kind}_{side}": -1.5 for kind in ("", "_zscores") for side in ("gramm", "ungramm")}
    (folder / PAIR_SCORES).write_text(delimited_text([row | wide for row in scored[::2]]))


def graded_facts(found: Any) -> list[str]:
    facts = [repr(sentence) for sentence in found.sentences]
    return facts + [f"{pair}" for pair in found.pairs]


def cola(folder: Path, *, annotated: bool = False) -> None:
    rows = [
        {"": n, "sentence_source": "x1", "label": n % 2, "label_notes": "", "sentence": name}
        for n, name in enumerate(NAMES)
    ]
    for file in SPLITS.values():
        (folder / file).write_text(delimited_text(rows))
    if not annotated:
        return
    features = [
        {
            "Source": "x1",
            "Domain": "In" if n % 2 else "Out",
            "Acceptability": n % 2,
            "Sentence": f"{name} is.",
            "Simple": 1,
            "Question": n % 3 % 2,
        }
        for n, name in enumerate(NAMES)
    ]
    (folder / FEATURES["major"]).write_text(delimited_text(features, delimiter="\t"))


CHOICES: Rows = [
    {
        "set": "adjunct_island",
        "item": name,
        "rater": person,
        "response": "good" if number % 3 else "bad",
        "attention_check": 0,
        "order": number,
        "response_time": 1.5 * number + 1,
    }
    for number, name in enumerate(NAMES)
    for person in ("ann", "bo")
]


def mturk() -> str:
    rows = []
    for number, name in enumerate(NAMES):
        row = {"AssignmentStatus": "Approved", "anonCode": f"{name}"}
        for task in range(1, 6):
            row[f"Input.item_{task}_condition"] = f"adjunct_islandans{1 + number % 2}"
            row[f"Input.field_{task}_1"] = f"The {name} boys {task} are."
            row[f"Input.field_{task}_2"] = f"The {name} boys {task} is."
            row[f"Answer.Choice{task}"] = f"{1 + task % 2}. The {name}"
        rows.append(row)
    assert set(MTURK) <= set(rows[0])
    return delimited_text(rows)


def choices_facts(found: Any) -> list[str]:
    return [f"{j} {found.sets.get(j.target)}" for j in found.judgements]


SCORES: Rows = [{"id": name, "gpt": -3.5 * n, "lstm": 0.25 * n} for n, name in enumerate(NAMES)]
SUMMARY: Rows = [
    {"UID": name, "linguistics_term": "agreement", "gpt": n / 10, "lstm": 0.5}
    for n, name in enumerate(NAMES)
]
RESULTS: Rows = [
    {"model": f"{name}_bllip_0", "suite": suite, "item": item, "correct": str(item % 2 == 0)}
    for name in NAMES
    for suite in ("cleft", "mvrr")
    for item in range(2)
]
PERPLEXITIES: Rows = [
    {"model": name, "corpus": "bllip", "seed": 0, "test_ppl": 10.5 + n}
    for n, name in enumerate(NAMES)
]
SIZES: Rows = [
    {"model": name, "tokens": f"{n + 1}M", "run": "", "curve": "a"} for n, name in enumerate(NAMES)
]
PPL: Rows = [{"model": name, "perplexity": 10.5 + n} for n, name in enumerate(NAMES)]


def text_sample(
    name: str,
    file: str,
    content: str,
    read: Callable[[Path], Any],
    facts: Callable[[Any], Iterable[str]] = lambda found: (),
    plain: Callable[[Any], list[str]] | None = None,
    truth: truths.Truth | None = None,
) -> Sample:
    """A sample of one text file."""
    return Sample(
        name,
        file,
        lambda folder: (folder / file).write_text(content, "utf-8"),
        lambda folder: read(folder / file),
        facts,
        plain=plain,
        truth=truth,
    )


def pairs_sample(
    name: str,
    file: str,
    content: str,
    read: Callable[[Path], Any],
    rows: Callable[[Path], list[dict[str, Any]]],
    columns: tuple[str, str] = ("good", "bad"),
) -> Sample:
    """A sample of a table of pairs, whose sentences are known from another reading."""
    truth = truths.pairs(file, *columns, rows)
    return text_sample(name, file, content, read, items_of, truths.texts_of, truth)


def by_commas(path: Path) -> list[dict[str, str]]:
    return truths.delimited(path, ",")


def by_tabs(path: Path) -> list[dict[str, str]]:
    return truths.delimited(path, "\t")


def read_plain_parquet(folder: Path) -> list[ItemSet]:
    """The items of an uncompressed file: each of its sentences stands in the file."""
    file = folder / "toy.parquet"
    found, data = read_blimp(file), file.read_bytes()
    for text in truths.texts_of(found):
        assert text.partition(": ")[2].encode() in data, f"{text} is not in the file"
    return found


def rated(found: Any) -> list[str]:
    return [f"{s.text} {s.rating}" for s in found.sentences]


def ratings(folder: Path) -> list[str]:
    rows = by_commas(folder / "g.csv")
    return [f"{row['sentence']} {float(row['rating'])}" for row in rows]


def each(found: Iterable[Any]) -> list[str]:
    """Records that say themselves what they are."""
    return [str(one) for one in found]


def score_facts(found: Any) -> list[str]:
    return [f"{m.name} {key} {value}" for m in found for key, value in m.values.items()]


def summary_facts(found: Any) -> list[str]:
    return [f"{m} {uid} {v}" for m, own in found.accuracies.items() for uid, v in own.items()]


def read_sizes(file: Path) -> Any:
    from priscian.analysis.curves.sizes import read_sizes

    return read_sizes(file).items()


def read_perplexity(file: Path) -> Any:
    from priscian.analysis.sg.of_runs import read_perplexity

    return read_perplexity(file).items()


def one_suite(file: Path) -> list[ItemSet]:
    return [read_suite(file)]


def _li_adger(file: str) -> Sample:
    return Sample(
        f"li-adger {file}",
        file,
        li_adger,
        read_li_adger,
        lambda found: [*graded_facts(found.graded), *score_facts(found.scores)],
    )


def _cola(file: str) -> Sample:
    return Sample(
        f"cola {file}",
        file,
        lambda folder: cola(folder, annotated=file == FEATURES["major"]),
        lambda folder: read_cola_sets(folder, train=True),
        items_of,
    )


def texts_of(found: Any) -> list[str]:
    """Sentences alone: ratings are z-scored, so that every answer bears on every sentence."""
    return [sentence.text for sentence in found.sentences]


TYPE_PAIRS = ",\n".join(f'["{name}.g", "{name}.*"]' for name in NAMES)
TREES = "".join(
    f"(ROOT{name} (S (NP-SBJ (DT the) (NN {name})) (VP (VBZ {name}) (ADVP (RB {name}))) (. .)))\n"
    for name in NAMES
)

DATA: list[Sample] = [
    text_sample("trees", "t.txt", TREES, lambda file: list(read_trees(file)), each),
    pairs_sample(
        "blimp jsonl",
        "toy.jsonl",
        jsonl(BLIMP),
        read_blimp,
        truths.lines,
        ("sentence_good", "sentence_bad"),
    ),
    *(
        Sample(
            f"blimp parquet, {packing}",
            "toy.parquet",
            lambda folder, packing=packing: BLIMP_FRAME.write_parquet(
                folder / "toy.parquet", compression=packing
            ),
            (
                read_plain_parquet
                if packing == "uncompressed"
                else lambda folder: read_blimp(folder / "toy.parquet")
            ),
            binary=True,
            plain=lambda found: [str(sum(map(len, found)))],
            truth=lambda folder: ["8"],
        )
        for packing in ("zstd", "uncompressed")
    ),
    text_sample("climp", "c.csv", labelled_csv(), lambda p: read_mapped("climp", str(p)), items_of),
    text_sample(
        "ewok", "e.jsonl", jsonl(EWOK_ROWS), lambda p: read_mapped("ewok", str(p)), items_of
    ),
    pairs_sample("pairs csv", "p.csv", delimited_text(PAIRS_ROWS), read_pairs, by_commas),
    pairs_sample(
        "pairs tsv", "p.tsv", delimited_text(PLAIN_PAIRS, delimiter="\t"), read_pairs, by_tabs
    ),
    pairs_sample("pairs jsonl", "p.jsonl", jsonl(PAIRS_ROWS), read_pairs, truths.lines),
    text_sample("suite json", "s.json", suite(), one_suite, items_of),
    text_sample("suite csv", "s.csv", suite_csv(), one_suite, items_of),
    text_sample(
        "graded csv", "g.csv", delimited_text(GRADED), read_graded, graded_facts, rated, ratings
    ),
    text_sample("graded jsonl", "g.jsonl", jsonl(GRADED), read_graded, graded_facts),
    text_sample("graded answers", "a.csv", delimited_text(ANSWERS), read_graded, texts_of),
    *(_li_adger(file) for file in (SENTENCES, RATINGS, PAIRS, PAIR_SCORES)),
    *(_cola(file) for file in (SPLITS["train"], SPLITS["dev"], FEATURES["major"])),
    text_sample("choices", "c.csv", delimited_text(CHOICES), read_choices, choices_facts),
    text_sample("choices, mturk", "m.csv", mturk(), read_choices, choices_facts),
    text_sample("scores", "s.csv", delimited_text(SCORES), read_scores, score_facts),
    text_sample(
        "type pairs", "t.json", f'{{"type_pairs": [\n{TYPE_PAIRS}\n]}}\n', read_type_pairs, each
    ),
    text_sample("model summary", "m.jsonl", jsonl(SUMMARY), published, summary_facts),
    text_sample("released results", "r.csv", delimited_text(RESULTS), read_suite_scores, each),
    text_sample(
        "released perplexities", "p.csv", delimited_text(PERPLEXITIES), read_perplexities, each
    ),
    text_sample("training sizes", "sizes.csv", delimited_text(SIZES), read_sizes, each),
    text_sample(
        "perplexities", "ppl.tsv", delimited_text(PPL, delimiter="\t"), read_perplexity, each
    ),
]
