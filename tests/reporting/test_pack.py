"""What is packed can be unpacked: sentences to the letter, surprisals to their step."""

from __future__ import annotations

import base64
import gzip
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priscian.reporting.items import ABSENT, RIGHT, TIE, WRONG, Answers, Items
from priscian.reporting.pack import STEP, cut, index_words, pack_answers, pack_texts, pack_tokens
from priscian.runs import TokenTable


class Blob:
    """The reverse of `pack_columns`, as unpack.js does it."""

    def __init__(self, text: str) -> None:
        self.bytes = gzip.decompress(base64.b64decode(text))
        length = int.from_bytes(self.bytes[:4], "little")
        self.head: dict[str, Any] = json.loads(self.bytes[4 : 4 + length])
        self.at = 4 + length

    def take(self, count: int, size: int = 1) -> list[int]:
        planes = self.bytes[self.at : self.at + count * size]
        self.at += count * size
        return [sum(planes[k * count + i] << 8 * k for k in range(size)) for i in range(count)]


def items_of(pairs: list[tuple[str, str]]) -> Items:
    ids = [f"s/{i}" for i in range(len(pairs))]
    return Items((("s", len(pairs)),), ids, [g for g, _ in pairs], [b for _, b in pairs], ())


def unpack_texts(text: str) -> list[tuple[str, str]]:
    blob = Blob(text)
    n, words = blob.head["items"], blob.head["words"]
    lengths = blob.take(n, 2)
    good = blob.take(sum(lengths), 3)
    begins, ends, middle_lengths = blob.take(n, 2), blob.take(n, 2), blob.take(n, 2)
    middles = blob.take(sum(middle_lengths), 3)
    found = []
    for length, begin, end, size in zip(lengths, begins, ends, middle_lengths, strict=True):
        one, good = good[:length], good[length:]
        middle, middles = middles[:size], middles[size:]
        two = [*one[:begin], *middle, *one[length - end :]]
        found.append((" ".join(words[c] for c in one), " ".join(words[c] for c in two)))
    return found


class TestTexts:
    @settings(max_examples=60)
    @given(st.lists(st.tuples(st.text(" abé🦆.\n", max_size=12), st.text(" abé🦆.\n", max_size=12)),
                    min_size=1, max_size=6))  # fmt: skip
    def test_any_sentences_come_back_to_the_letter(self, pairs: list[tuple[str, str]]) -> None:
        items = items_of(pairs)
        assert unpack_texts(pack_texts(items, index_words(items.texts))) == pairs

    def test_ids_that_count_from_0_are_not_stored(self) -> None:
        items = items_of([("a b", "a c")] * 3)
        assert Blob(pack_texts(items, index_words(items.texts))).head["ids"] is None
        odd = Items(items.sets, ["s/0", "s/x", "s/2"], items.good, items.bad, ())
        assert Blob(pack_texts(odd, index_words(odd.texts))).head["ids"] == ["0", "x", "2"]


def test_answers_keep_their_state_and_difference() -> None:
    state = np.array([WRONG, RIGHT, TIE, ABSENT], np.uint8)
    blob = Blob(pack_answers([Answers("m", state, np.array([-3.21, 250.0, 0.0, math.nan]))]))
    assert blob.take(4) == [WRONG, RIGHT, TIE, ABSENT]
    delta = [d - (1 << 24) if d >> 23 else d for d in blob.take(4, 3)]
    (step,) = blob.head["steps"]
    assert [round(d * step, 2) for d in delta] == [pytest.approx(-3.21, abs=0.011), 250.0, 0.0, 0.0]


def test_a_difference_that_rounds_to_nothing_keeps_its_sign() -> None:
    state = np.array([WRONG, RIGHT, TIE], np.uint8)
    blob = Blob(pack_answers([Answers("m", state, np.array([-1e-5, 1e-5, 1e-9]))]))
    blob.take(3)
    assert [d - (1 << 24) if d >> 23 else d for d in blob.take(3, 3)] == [-1, 1, 0]


def table_of(texts: list[list[tuple[int, float]] | None]) -> TokenTable:
    """Tokens as (start, bits) for each text; None is a text that was not scored."""
    counts = [len(t or ()) for t in texts]
    flat = [token for t in texts for token in t or ()]
    return TokenTable(
        np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        np.array([s for s, _ in flat], np.int32),
        np.array([b for _, b in flat], np.float32),
        np.array([t is not None for t in texts]),
    )


class TestPieces:
    def test_a_token_begins_at_its_first_visible_character(self) -> None:
        texts = ["The keys", "A key"]
        table = table_of([[(0, 1.0), (3, 2.0), (6, 3.0)], [(0, 1.0), (1, 2.0)]])
        pieces = cut(texts, index_words(texts), table)
        assert pieces.begins.tolist() == [0, 4, 6, 0, 2]
        assert pieces.later == {index_words(texts).names.index("keys"): [0, 2]}
        assert not pieces.first
        assert not pieces.odd

    def test_tokens_of_one_character_are_one_piece_with_the_sum_of_their_bits(self) -> None:
        pieces = cut(["🦆 a", "b c"], index_words(["🦆 a", "b c"]),
                     table_of([[(0, 1.5), (0, 2.0), (1, 4.0)], [(0, 1.0), (2, 1.0)]]))  # fmt: skip
        assert pieces.begins.tolist() == [0, 2, 0, 2]
        assert pieces.bits.tolist() == [3.5, 4.0, 1.0, 1.0]

    def test_a_word_that_once_falls_apart_otherwise_makes_its_text_odd(self) -> None:
        texts = ["x abab", "y abab", "z abab", "w abab"]
        usual = [(0, 1.0), (2, 1.0), (4, 1.0)]
        table = table_of([usual, usual, usual, [(0, 1.0), (2, 1.0), (5, 1.0)]])
        assert cut(texts, index_words(texts), table).odd == {3: [0, 2, 5]}


def tokens_back(items: Items, text: str) -> list[list[list[tuple[int, int]]]]:
    """(begin, level) of every piece, by item and sentence; the algorithm of pairs.js."""
    words = index_words(items.texts)
    blob = Blob(text)
    later, counts = blob.take(len(words.names), 2), blob.take(len(items.ids), 2)
    levels = blob.take(sum(counts), 3)
    found = []
    for i, count in enumerate(counts):
        own, levels = levels[:count], levels[count:]
        cuts = []
        for side, sentence in enumerate((items.good[i], (items.bad or [])[i])):
            odd = blob.head["odd"].get(str(2 * i + side))
            begins, at = [], 0
            for k, word in enumerate(sentence.split(" ")):
                code = words.names.index(word)
                first = blob.head["first"].get(str(code), [0] if word else [])
                pattern = first if k == 0 else blob.head["patterns"][later[code]]
                begins += [at + p for p in pattern]
                at += len(word) + 1
            cuts.append(odd or begins)
        (a, b), (good, bad) = cuts, (items.good[i], (items.bad or [])[i])
        alike = next((k for k in range(min(len(good), len(bad))) if good[k] != bad[k]), 0)
        shared = 0
        while (blob.head["causal"] and shared + 1 < min(len(a), len(b)) and a[shared] == b[shared]
               and a[shared + 1] == b[shared + 1] and a[shared + 1] <= alike):  # fmt: skip
            shared += 1
        second = own[:shared] + own[len(a) :]
        found.append([list(zip(a, own[: len(a)], strict=True)), list(zip(b, second, strict=True))])
    return found


class TestTokens:
    PAIRS = (("The old keys are here.", "The old keys is here."), ("A cat ran.", "A cat run."))

    def table(self, *, causal: bool) -> TokenTable:
        rows = []
        for pair in self.PAIRS:
            for side, text in enumerate(pair):
                starts = [0, *(k + 1 for k, c in enumerate(text) if c == " "), len(text) - 1]
                bits = [2.0 + 0.3 * k for k in range(len(starts))]
                if not causal and side:
                    bits = [b + 1 for b in bits]
                rows.append(list(zip(starts, bits, strict=True)))
        return table_of(list(rows))

    @pytest.mark.parametrize("causal", [True, False])
    def test_every_token_comes_back_to_its_step(self, causal: bool) -> None:
        items = items_of(list(self.PAIRS))
        table = self.table(causal=causal)
        text = pack_tokens(items, index_words(items.texts), table)
        assert Blob(text).head["causal"] is causal
        flat = [token for item in tokens_back(items, text) for side in item for token in side]
        assert [begin for begin, _ in flat] == table.starts.tolist()
        for (_, level), bits in zip(flat, table.bits.tolist(), strict=True):
            assert level * STEP == pytest.approx(bits, abs=1.01 * STEP)

    @settings(max_examples=80)
    @given(
        st.lists(st.floats(0, 20), min_size=4, max_size=4), st.floats(-0.04, 0.04), st.booleans()
    )
    def test_sums_of_what_is_shown_never_contradict_the_verdict(
        self, bits: list[float], gap: float, causal: bool
    ) -> None:
        """Good and bad differ in their last word by `gap`, as little as that may be."""
        good, bad = "a b c d", "a b c e"
        other = [*bits[:3], bits[3] + gap] if causal else [b + gap / 4 for b in bits]
        if min(other) < 0:
            return
        items = items_of([(good, bad)])
        table = table_of([list(zip((0, 2, 4, 6), b, strict=True)) for b in (bits, other)])
        sums = [float(table.bits[k : k + 4].astype(np.float64).sum()) for k in (0, 4)]
        state = np.array([TIE if abs(sums[1] - sums[0]) < 1e-6 else sums[1] > sums[0]], np.uint8)
        text = pack_tokens(items, index_words(items.texts), table, state)
        (sides,) = tokens_back(items, text)
        shown = [sum(level for _, level in side) for side in sides]
        verdict = {1: RIGHT, -1: WRONG, 0: TIE}[int(np.sign(shown[1] - shown[0]))]
        assert verdict == state[0]

    def test_a_shared_beginning_is_stored_once(self) -> None:
        items = items_of(list(self.PAIRS))
        words = index_words(items.texts)
        once = Blob(pack_tokens(items, words, self.table(causal=True)))
        twice = Blob(pack_tokens(items, words, self.table(causal=False)))
        for blob in (once, twice):
            blob.take(len(words.names), 2)
        # The, old, keys and A, cat are shared
        assert once.take(2, 2) == [9, 6]
        assert twice.take(2, 2) == [12, 8]

    def test_an_item_that_was_not_scored_has_no_tokens(self) -> None:
        items = items_of(list(self.PAIRS))
        words = index_words(items.texts)
        blob = Blob(pack_tokens(items, words, table_of([None, None, [(0, 1.0)], [(0, 1.0)]])))
        blob.take(len(words.names), 2)
        assert blob.take(2, 2)[0] == 0
