"""The beam search against brute-force enumeration of all trees, one action at a time."""

from __future__ import annotations

import math
from itertools import product

import pytest

torch = pytest.importorskip("torch")

from tests.models.networks.simple_rnng import SimpleRnng  # noqa: E402

from priscian.errors import ScoreError, UsageError  # noqa: E402
from priscian.models.networks.beam import read_texts, shrunk  # noqa: E402
from priscian.models.networks.rnng import Rnng, RnngShape  # noqa: E402
from priscian.models.rnng import Beam  # noqa: E402

UNBOUNDED = Beam(10**9, 0, 10**9)
LABELS = ("S", "NP")


def toy(seed: int, history: str = "stack", words: int = 2, **more: int) -> Rnng:
    """A grammar of 2 words and 2 labels whose random weights decide clearly."""
    torch.manual_seed(seed)
    limits = {"most_open": 3, "most_opening": 2, **more}
    sizes = {"embedding": 4, "hidden": 3, "layers": 2, "dropout": 0.0, "history": history}
    network = Rnng(RnngShape(words + 1, LABELS, **sizes, **limits)).double().eval()  # type: ignore[arg-type]
    with torch.no_grad():
        for value in network.parameters():
            value.mul_(2.0)
    return network


def log_sum(values: list[float]) -> float:
    most = max(values)
    return most + math.log(math.fsum(math.exp(value - most) for value in values))


def masses(network: Rnng, words: tuple[int, ...]) -> tuple[float, float]:
    """log p of a beginning, and of the whole sentence, by enumeration."""
    simple = SimpleRnng(network)
    found = list(simple.analyses(words))
    ended = [logp + simple.finish(partial) for partial, logp in found]
    return log_sum([logp for _, logp in found]), log_sum(ended)


@pytest.mark.parametrize(
    ("seed", "history", "words", "most_open"),
    [
        (2, "stack", (1, 0), 3),
        (3, "full", (0, 1), 3),
        (6, "stack", (0, 1, 1), 2),
        pytest.param(1, "stack", (0, 1, 1), 3, marks=pytest.mark.slow),
        pytest.param(4, "stack", (1, 0, 0, 1), 2, marks=pytest.mark.slow),
        pytest.param(5, "full", (0, 0, 1, 0), 2, marks=pytest.mark.slow),
    ],
)
def test_an_unbounded_beam_equals_enumeration(
    seed: int, history: str, words: tuple[int, ...], most_open: int
) -> None:
    network = toy(seed, history, most_open=most_open)
    (found,) = read_texts(network, [words], UNBOUNDED)
    before = 0.0
    for length, logp in enumerate(found.logps, 1):
        begun, ended = masses(network, words[:length])
        assert logp == pytest.approx(begun - before, abs=1e-6)
        before = begun
    assert found.end == pytest.approx(ended - before, abs=1e-6)


@pytest.mark.parametrize("seed", [1, 2])
def test_finished_and_unfinished_mass_sum_to_one(seed: int) -> None:
    network = toy(seed, most_open=2)
    most = 4
    texts = [t for n in range(1, most + 1) for t in product(range(2), repeat=n)]
    finished, unfinished = [], []
    for text, found in zip(texts, read_texts(network, texts, UNBOUNDED), strict=True):
        mass = math.exp(math.fsum(found.logps))
        if len(text) < most:
            finished.append(mass * math.exp(found.end))
        else:
            unfinished.append(mass)
    assert math.fsum(finished + unfinished) == pytest.approx(1.0, abs=1e-9)
    assert 0.01 < math.fsum(finished) < 0.99


@pytest.mark.parametrize("beam", [Beam(5, 1, 3), Beam(20, 5, 10), Beam(1, 0, 1)])
def test_surprisals_are_never_negative_and_a_narrower_beam_finds_less(beam: Beam) -> None:
    network = toy(7, words=6)
    texts = [tuple((n * k + k) % 6 for n in range(9)) for k in range(1, 6)]
    wide = read_texts(network, texts, Beam(300, 5, 100))
    for narrow, better in zip(read_texts(network, texts, beam), wide, strict=True):
        assert all(logp <= 0 for logp in (*narrow.logps, narrow.end))
        assert math.fsum(narrow.logps) <= math.fsum(better.logps) + 1e-9


def test_an_empty_text_cannot_end_since_every_tree_has_a_word() -> None:
    (empty,) = read_texts(toy(7), [()], Beam(20, 5, 10))
    assert empty.end == -math.inf


def test_a_beam_may_grow_by_rounding_only() -> None:
    assert [shrunk(x) for x in (-2.0, 1e-7, -math.inf)] == [-2.0, 0.0, -math.inf]
    for wrong in (0.1, math.nan):
        with pytest.raises(ScoreError, match="copy or train it again"):
            shrunk(wrong)


@pytest.mark.parametrize("history", ["stack", "full"])
def test_batching_and_sharing_change_nothing(history: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = toy(9, history, words=6).float()
    texts = [(0, 1, 2, 3), (0, 1, 2, 4, 5), (0, 1), (5,), (3, 3, 3, 3, 3, 3), (0, 1, 2, 3)]
    beam = Beam(20, 3, 6)
    together = read_texts(network, texts, beam)
    alone = [read_texts(network, [text], beam)[0] for text in texts]
    monkeypatch.setattr("priscian.models.networks.beam.TOGETHER", 2)
    by_twos = read_texts(network, texts, beam)
    for one, two, three in zip(together, alone, by_twos, strict=True):
        assert one.logps == pytest.approx(two.logps, abs=1e-4)
        assert one.logps == pytest.approx(three.logps, abs=1e-4)
        assert one.end == pytest.approx(two.end, abs=1e-4)
        assert one.actions == two.actions == three.actions


@pytest.mark.parametrize("beam", [Beam(8, 2, 4), Beam(12, 0, 12), Beam(6, 5, 3)])
def test_a_bounded_beam_equals_a_search_of_one_hypothesis_at_a_time(beam: Beam) -> None:
    network = toy(5, words=6, most_open=6)
    texts = [(0, 1, 2, 3, 4, 5), (0, 1, 2, 5), (4, 4)]
    for text, found in zip(texts, read_texts(network, texts, beam), strict=True):
        assert found.logps == pytest.approx(SimpleRnng(network).read(text, beam), abs=1e-9)


def test_dropping_what_cannot_be_among_the_best_changes_nothing() -> None:
    network = toy(5, words=6, most_open=3)
    for text in [(0, 1, 2, 3), (4, 4), (5, 0, 1)]:
        beam = Beam(500, 5, 3)  # as many actions as there are
        (found,) = read_texts(network, [text], beam)
        assert found.logps == pytest.approx(
            SimpleRnng(network).read(text, beam, drop=False), abs=1e-9
        )


def test_words_do_not_depend_on_what_follows_them() -> None:
    network = toy(4, words=5)
    short, long = read_texts(network, [(1, 2, 3), (1, 2, 3, 4, 0, 1)], Beam(30, 5, 10))
    assert long.logps[:3] == pytest.approx(short.logps, abs=1e-12)


def test_the_best_tree_is_the_most_probable_of_all() -> None:
    network = toy(2, most_open=2)
    words = (0, 1, 0)
    simple = SimpleRnng(network)
    best = max(logp + simple.finish(partial) for partial, logp in simple.analyses(words))
    (found,) = read_texts(network, [words], UNBOUNDED)
    assert simple.logprob(list(found.actions), list(words)) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,5,10", "a beam of 0 finds nothing"),
        ("100,5,0", "a beam of 0"),
        ("100", "give three numbers, as beam=100,5,10"),
        ("100,x,10", "three numbers"),
        ("100,-5,10", "three numbers"),
        ("10001,5,10", "beam=10001,5,10: a beam this large is too slow; give numbers up to 10,000"),
        ("100,1000000,10", "up to 10,000"),
        ("1000000,1000000,1000000", "up to 10,000"),
        ("9" * 5000 + ",5,10", "up to 10,000"),
        ("5,1,10", "no more than 5 can shift a word; give beam=10,1,10"),
    ],
)
def test_beams_that_find_nothing_or_never_end_are_one_line(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Beam.parse(text)


def test_a_beam_of_10000_is_allowed() -> None:
    assert Beam.parse("10000,10000,10000") == Beam(10_000, 10_000, 10_000)
