"""Texts without the places of files."""

from __future__ import annotations

import pytest

from priscian.files import hide_paths, hide_place


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("hf:/data/jane/models/gpt@1", "hf:gpt@1"),
        ("priscian report /data/jane/runs/a --out=/tmp/x.html", "priscian report a --out=x.html"),
        ("'/data/jane d/a b.json'", "'a b.json'"),
        ("~/runs/a and ~jane/b", "a and b"),
        (r"sg:C:\\Users\\jane\\suites", "sg:suites"),
        ("surprisals:/data/x.tsv?unit=nats&name=a/b", "surprisals:x.tsv?unit=nats&name=a/b"),
        ("EleutherAI/pythia-70m", "EleutherAI/pythia-70m"),
        ("runs/a/b", "runs/a/b"),
        ("doi:10.18653/v1/2020.acl-main.158", "doi:10.18653/v1/2020.acl-main.158"),
        ("https://arxiv.org/abs/1912.00582", "https://arxiv.org/abs/1912.00582"),
        ("accuracy / chance, 3/4 of it", "accuracy / chance, 3/4 of it"),
        ("file:///data/jane/x.html", "x.html"),
    ],
)  # fmt: skip
def test_a_path_becomes_the_name_of_its_file(text: str, shown: str) -> None:
    assert hide_paths(text) == shown


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("sg:/data/jane doe/suites", "sg:suites"),
        ("/data/jane/gpt@step1?dtype=bfloat16", "gpt@step1?dtype=bfloat16"),
        ("hf:EleutherAI/pythia-70m@step1000", "hf:EleutherAI/pythia-70m@step1000"),
        ("generated:3,10", "generated:3,10"),
        ("~/corpora/own.jsonl", "own.jsonl"),
        ("blimp:data/seed7", "blimp:data/seed7"),
    ],
)
def test_a_string_keeps_all_but_the_folders(spec: str, shown: str) -> None:
    assert hide_place(spec) == shown
