"""Text whose sentences have trees in another file: how they are matched, and what has no tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from priscian.errors import DataError
from priscian.models.vocabulary import WordVocabulary
from priscian.models.vocabulary.tokenise import Tokenisation
from priscian.training.recipe import TextPart
from priscian.training.sources import ParsedText
from priscian.trees import TaggedWord, Tree
from priscian.trees.reader import bracketed


def parsed(folder: Path, sentences: list[str], text: TextPart | None = None) -> ParsedText:
    """Trees as `priscian parse` writes them, all flat."""
    lines = []
    for sentence in sentences:
        words = [form for form, _, _ in Tokenisation().split(sentence)]
        lines.append(bracketed(Tree("S", tuple(TaggedWord(word, "X") for word in words))))
    (folder / "trees.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return ParsedText(text or TextPart(min_count=1), {}, [folder / "trees.txt"])


@pytest.mark.parametrize(
    "sentence",
    [
        "He said `yes` to it.",
        "He said ``yes'' to it.",
        'He said “yes”, "no" and ‘perhaps’ – to `\'"\'` it.',
        "rock`n`roll (a-LRB-b) [c] {d}",
        "A ` alone.",
    ],
)
def test_the_words_of_a_text_are_found_in_the_tree_that_was_written_for_it(
    sentence: str, tmp_path: Path
) -> None:
    source = parsed(tmp_path, [sentence])
    learnt = source.learn([sentence])
    assert len(source.encode(learnt, [sentence])) == 1
    assert isinstance(learnt.vocabulary, WordVocabulary)
    words = [form for form, _, _ in Tokenisation().split(sentence)]
    assert all(learnt.vocabulary.knows(word) for word in words)


def long(words: int) -> str:
    return " ".join(["far"] * (words - 1)) + " ."


def test_sentences_that_were_too_long_to_parse_are_left_out_and_counted(tmp_path: Path) -> None:
    short = [long(5), long(7), long(10)]
    source = parsed(tmp_path, short, TextPart(min_count=1, max_length=20))
    part = [*short * 40, long(11), long(20), long(21)]
    learnt = source.learn(part)
    data = source.encode(learnt, part)
    assert (len(data), data.left_out) == (120, 3)
    assert source.facts(learnt, part)["sentences"] == 120


def test_a_tree_that_is_too_deep_for_the_grammar_is_left_out_and_counted(tmp_path: Path) -> None:
    lines = ["(S (X far) (X .))", "(S (A (B (C (X near))) (X .)))"]
    (tmp_path / "trees.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    source = ParsedText(TextPart(min_count=1), {"most_opening": 3}, [tmp_path / "trees.txt"])
    part = ["far.", "near."]
    learnt = source.learn(part)
    data = source.encode(learnt, part)
    assert (len(data), data.left_out) == (1, 1)
    assert source.facts(learnt, part)["sentences"] == 1


def test_a_tree_nested_more_than_200_deep_is_refused_with_a_remedy(tmp_path: Path) -> None:
    deep = "(S (A " + "(B " * 199 + "(X near)" + ")" * 199 + ") (X .))"
    (tmp_path / "trees.txt").write_text(f"(S (X far) (X .))\n{deep}\n", "utf-8")
    told = r"trees\.txt:2: .* more than 200 deep; add the closing bracket .* or delete the tree"
    with pytest.raises(DataError, match=told):
        ParsedText(TextPart(min_count=1), {}, [tmp_path / "trees.txt"])


def test_a_short_sentence_without_a_tree_is_named(tmp_path: Path) -> None:
    source = parsed(tmp_path, [long(5), long(10)])
    with pytest.raises(DataError, match=r"no tree in .*trees\.txt for the sentence 'far far"):
        source.learn([long(5), long(8)])


def test_a_corpus_with_many_words_outside_of_trees_is_refused(tmp_path: Path) -> None:
    source = parsed(tmp_path, [long(5)], TextPart(min_count=1, max_length=20))
    part = [*[long(5)] * 38, long(10), long(10)]  # 10 of 200 words, and 20 of 210
    learnt = source.learn(part)
    assert source.encode(learnt, part[:-1]).left_out == 1
    told = r"2 of 40 sentences of the dev part \(20 of 210 words\) have no tree .* `longest=20`"
    with pytest.raises(DataError, match=told):
        source.encode(learnt, part, "dev part")
