"""Sentences of a paragraph."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from priscian.training.corpora import _BREAK, _NO_BREAK, split_sentences

PIECES = (
    "A", "Z", "a", "the", "Mr", "Messrs", "vs", "No", "xMr", "éSt", "_A", "1B", ".", ".", "!", "?",
    " ", " ", "\n", "\u00a0", '"', "'", "”", "’", ")", "]", "“", "(", "[", "-", "\u0301",
)  # fmt: skip


def split_by_reading_back_to_the_last_cut(paragraph: str) -> list[str]:
    found, begun = [], 0
    for gap in _BREAK.finditer(paragraph):
        if not _NO_BREAK.search(paragraph, begun, gap.start()):
            found.append(paragraph[begun : gap.end(1)])
            begun = gap.end()
    return [s.strip() for s in (*found, paragraph[begun:]) if s.strip()]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_a_few_characters_before_a_gap_decide_as_the_whole_sentence_does(paragraph: str) -> None:
    assert split_sentences(paragraph) == split_by_reading_back_to_the_last_cut(paragraph)


@pytest.mark.parametrize("word", ["A. ", "Mr. ", 'Messrs." ', "No. ("])
def test_many_abbreviations_in_a_row_are_split_in_linear_time(word: str) -> None:
    begun = time.process_time()
    split_sentences(word * (200_000 // len(word)))
    assert time.process_time() - begun < 5  # 0.4 s; a scan from the last cut takes minutes
