"""The span parser's network and its loss, against the equations written out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

torch = pytest.importorskip("torch")

from priscian.models.networks.span_parser import (  # noqa: E402
    SpanParser,
    SpanParserShape,
    all_spans,
)
from priscian.models.parser import Parser, ParserWords  # noqa: E402
from priscian.models.plstm import BYTES, WordPieces  # noqa: E402
from priscian.training.parser.job import Lesson  # noqa: E402
from priscian.training.parser.treebank import example_of  # noqa: E402
from priscian.trees.reader import parse_tree  # noqa: E402

PIECES = WordPieces(("<s>", *BYTES, "the", "dog", "cat", "see", "##s"), (("s", "##e"),))
SENTENCES = [["The", "dog", "sees", "cats"], ["the", "cat", "sees", "1,000"]]
LABELS, TAGS = ("NP", "S VP"), ("NN", "DT")


@pytest.fixture(params=[True, False], ids=["with a reader", "without"])
def network(request: pytest.FixtureRequest) -> SpanParser:
    torch.manual_seed(3)
    words = learnt()
    shape = SpanParserShape(
        labels=LABELS, tags=TAGS, **words.sizes, piece_width=12, reader_units=10, filters=8,
        context=6, hidden=7, span=9, read_along=request.param,
    )  # fmt: skip
    made = SpanParser(shape)
    torch.nn.init.normal_(made.pieces)
    return made.eval()


def learnt() -> ParserWords:
    return ParserWords.learn(SENTENCES, PIECES, least=1)


def test_a_span_scores_by_the_difference_of_states_at_its_gaps(network: SpanParser) -> None:
    with torch.no_grad():
        states = network.states(learnt().batch(SENTENCES))
        begins, ends = all_spans(4)
        scores = network.span_scores(network.gap_vectors(states), begins, ends)
    ahead, back = states[1].chunk(2, 1)  # (words + 2, hidden) of the second sentence
    for number, (i, j) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
        # the gap before word i + 1 lies between positions i and i + 1, for the edge has one
        difference = torch.cat([ahead[j] - ahead[i], back[i + 1] - back[j + 1]])
        hidden = torch.relu(network.gaps.weight @ difference + network.gaps.bias)
        expected = network.labels.weight @ hidden + network.labels.bias
        assert torch.allclose(scores[1, number], expected, atol=1e-5)


def test_a_sentence_scores_the_same_in_any_batch(network: SpanParser) -> None:
    words = learnt()
    with torch.no_grad():
        both = network.states(words.batch(SENTENCES))
        for number, sentence in enumerate(SENTENCES):
            alone = network.states(words.batch([sentence]))
            assert torch.allclose(alone[0], both[number], atol=1e-6)


def labelled_trees(begin: int, end: int) -> Iterator[dict[tuple[int, int], int]]:
    """Every binary tree with a label or none (-1) on each span."""
    inner: list[dict[tuple[int, int], int]] = [{}] if end - begin == 1 else []
    for middle in range(begin + 1, end):
        for left, right in product(labelled_trees(begin, middle), labelled_trees(middle, end)):
            inner.append(left | right)
    for tree, label in product(inner, (-1, 0, 1)):
        yield {**tree, (begin, end): label}


def test_the_loss_is_the_margin_to_the_worst_of_all_trees(network: SpanParser) -> None:
    words = learnt()
    example = example_of(parse_tree("(NP (DT the) (S (VP (NN dog) (NP (NN cat)))))"))
    lesson = Lesson(network, words, [example])
    loss, _ = lesson(torch.zeros(1, 4, dtype=torch.long))
    with torch.no_grad():
        states = network.states(words.batch([example.words]))
        begins, ends = (part.tolist() for part in all_spans(3))
        scored = network.span_scores(network.gap_vectors(states), *all_spans(3))[0].tolist()
        tags = network.tag_scores(states)[0]
        gold_tags = torch.tensor([TAGS.index(tag) for tag in example.tags])
        tagging = float(torch.nn.functional.cross_entropy(tags, gold_tags))
    scores = dict(zip(zip(begins, ends, strict=True), scored, strict=True))
    gold = {(0, 3): 0, (1, 3): 1, (2, 3): 0}

    def value(tree: dict[tuple[int, int], int]) -> float:
        return sum(scores[span][label] for span, label in tree.items() if label >= 0)

    margins = [
        value(tree) + sum(gold.get(span, -1) != label for span, label in tree.items())
        for tree in labelled_trees(0, 3)
        if tree[0, 3] >= 0
    ]
    expected = (max(margins) - value(gold)) / 3 + network.shape.tagging * tagging
    assert float(loss.detach()) == pytest.approx(expected, abs=1e-3)


def test_the_tree_of_a_parser_is_the_best_of_all_trees(network: SpanParser) -> None:
    words = learnt()
    [tree] = Parser(network, words).parse([["the", "dog", "sees"]])
    with torch.no_grad():
        states = network.states(words.batch([["the", "dog", "sees"]]))
        begins, ends = (part.tolist() for part in all_spans(3))
        scored = network.span_scores(network.gap_vectors(states), *all_spans(3))[0].tolist()
    scores = dict(zip(zip(begins, ends, strict=True), scored, strict=True))

    def value(spans: dict[tuple[int, int], int]) -> float:
        return sum(scores[span][label] for span, label in spans.items() if label >= 0)

    best = max((t for t in labelled_trees(0, 3) if t[0, 3] >= 0), key=value)
    labelled = {span: LABELS[label] for span, label in best.items() if label >= 0}
    assert example_of(tree).spans == labelled


def test_words_never_seen_have_pieces_characters_and_a_shape() -> None:
    words = learnt()
    kind = words.type_of("Zebra", False)
    assert kind.known == 0
    assert len(kind.pieces) == 5
    assert words.type_of("dog", False).pieces == (PIECES.tokens.index("dog"),)
    assert words.type_of("x" * 50, False).characters[0:1] == (2,)
    assert len(words.type_of("x" * 50, False).characters) == 22
