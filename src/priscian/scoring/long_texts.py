"""Score texts of any length: those that do not fit a model's context with a sliding window."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from priscian.errors import TooLongError, UsageError
from priscian.models import (
    AnyModel,
    Encoding,
    LoadedModel,
    TorchModel,
    agreed,
)
from priscian.models.text_offsets import shorten
from priscian.records import Text, TokenScores
from priscian.scoring.engine import Progress, score_texts
from priscian.scoring.entropy import ENTROPY, missing_entropies, read_entropies, store_entropies
from priscian.scoring.store import ScoreStore

Encode = Callable[[Sequence[Text]], Sequence[Encoding]]


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text that is scored at once, and where it begins in the text."""

    text: Text
    start: int


def cut_windows(text: Text, encode: Encode, limit: int, stride: int | None = None) -> list[Window]:
    """Windows that cover a text; one, the text itself, if it fits.

    `stride` is the number of tokens that a window scores; half of what the model reads by default.
    """
    (whole,) = encode([text])
    if len(whole.ids) <= limit:
        return [Window(text, 0)]
    stride = max(1, limit // 2) if stride is None else stride
    if not 1 <= stride < limit:
        raise UsageError(f"a stride of {stride} tokens does not fit; give 1 to {limit - 1}")
    return list(_Cutter(text, encode, limit, stride))


def join_windows(windows: Sequence[Window], scores: Sequence[TokenScores]) -> TokenScores:
    """The scores of all windows as those of the whole text, with the channels of its tokens."""
    starts: list[int] = []
    ends: list[int] = []
    logps: list[float] = []
    channels: dict[str, list[float]] = {}
    for window, found in zip(windows, scores, strict=True):
        starts += [window.start + at for at in found.starts]
        ends += [window.start + at for at in found.ends]
        logps += found.logps
        for name, values in found.channels.items():
            if len(values) == len(found):
                channels.setdefault(name, []).extend(values)
    whole = {name: tuple(values) for name, values in channels.items()}
    return TokenScores(tuple(starts), tuple(ends), tuple(logps), whole)


class _Cutter:
    """Finds where one text, after its context, is split."""

    def __init__(self, text: Text, encode: Encode, limit: int, stride: int) -> None:
        self.whole = text.context + text.text
        self.first = len(text.context)  # the character that is scored first
        self.encode = encode
        self.limit, self.stride = limit, stride
        (code,) = encode([Text(self.whole)])
        self.ids = code.ids[code.first : code.first + len(code.starts)]
        self.front = code.first  # special tokens that open a text
        self.room = limit - (len(code.ids) - len(self.ids))  # special tokens take up space
        if self.room < 2:
            raise TooLongError(
                f"the model reads {limit} tokens, too few for {shorten(text.text)!r}; "
                "use a model with a longer context"
            )
        self.places: dict[int, int] = {}  # where the text may be cut before a token
        self.words: list[int] = []  # tokens that begin a word
        self.tokens: list[int] = []  # tokens that begin a character
        self._find_places(code)

    def _find_places(self, code: Encoding) -> None:
        whole, last = self.whole, 0
        for token, (start, end) in enumerate(zip(code.starts, code.ends, strict=True)):
            seen = _after_spaces(whole, start)
            if start >= last:
                self.tokens.append(token)
                self.places[token] = start
            place = seen
            while place and whole[place - 1].isspace():  # a space belongs to what follows
                place -= 1
            if place < seen < len(whole) and last <= place:
                self.words.append(token)
                self.places[token] = place
            last = max(last, end)

    def __iter__(self) -> Iterator[Window]:
        token, place = self._first_token(), self.first
        while token < len(self.ids):
            end, window = self._fit(token, place)
            yield window
            token, place = end, place + len(window.text.text)

    def _first_token(self) -> int:
        """The first token that belongs to the text and not to its context."""
        if not self.first:
            return 0
        return next(
            (t for t in self.tokens if _after_spaces(self.whole, self.places[t]) >= self.first),
            len(self.ids),
        )

    def _fit(self, token: int, place: int) -> tuple[int, Window]:
        """The longest window that scores from a given token on, and the token after it."""
        most = min(max(token + self.stride, self.room), len(self.ids))
        while most > token:
            end = self._last_cut(token, most)
            stop = self.places[end] if end < len(self.ids) else len(self.whole)
            found = self._read(token, place, end, stop)
            if found is not None:
                return end, Window(found, place - self.first)
            most = min(end, most) - 1
        raise TooLongError(
            f"a word does not fit the {self.limit} tokens that the model reads: "
            f"{shorten(self.whole[place:])!r}; use a model with a longer context"
        )

    def _last_cut(self, token: int, most: int) -> int:
        """The last position to split after a token: the end, before a word, or else inside one."""
        if most == len(self.ids):
            return most
        for cuts in (self.words, self.tokens):
            at = bisect_right(cuts, most) - 1
            if at >= 0 and cuts[at] > token:
                return cuts[at]
        at = bisect_right(self.tokens, token)
        return self.tokens[at] if at < len(self.tokens) else len(self.ids)

    def _read(self, token: int, place: int, end: int, stop: int) -> Text | None:
        """The window's text after as much context as fits; None if it does not fit at all.

        The context begins with the space before its first word if that gives the tokens of the
        whole text, and without it otherwise.
        """
        text = self.whole[place:stop]
        begin = max(0, end - self.room)
        while begin <= token:
            begin = self._first_cut(begin, token)
            start = min(self.places.get(begin, place), place)
            context = self.whole[start:place]
            ways = list(dict.fromkeys((Text(text, context), Text(text, context.lstrip()))))
            wanted = self.ids[begin:end]
            fits = {
                way: code.ids[self.front : self.front + len(wanted)] == wanted
                for way, code in zip(ways, self.encode(ways), strict=True)
                if len(code.ids) <= self.limit
            }
            if fits:
                return next((way for way, same in fits.items() if same), list(fits)[-1])
            begin += 1
        return None

    def _first_cut(self, least: int, most: int) -> int:
        """The first position after a token where a context may begin, if possible before a word."""
        if least == 0:
            return 0
        for cuts in (self.words, self.tokens):
            at = bisect_left(cuts, least)
            if at < len(cuts) and cuts[at] <= most:
                return cuts[at]
        return most


def _after_spaces(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


Settle = Callable[[Text, TokenScores], TokenScores]


@dataclass(frozen=True, slots=True)
class LongOptions:
    """How long texts are read, and what is computed besides log-probabilities.

    `stride` is the number of tokens that a window scores: half of what the model reads by default.
    `boundary` and `entropy` request these channels; `settle` is applied to the scores of every
    window before they are joined, with its channels.
    """

    stride: int | None = None
    boundary: bool = False
    entropy: bool = False
    settle: Settle = lambda text, scores: scores


@dataclass(frozen=True, slots=True)
class LongScores:
    """Scores of every text; the windows of those that did not fit; how many tokens fit."""

    scores: dict[Text, TokenScores]
    windows: dict[Text, int]
    limit: int | None = None


def score_long_texts(
    model: AnyModel,
    texts: Sequence[Text],
    store: ScoreStore,
    options: LongOptions,
    *,
    loaded: LoadedModel | None = None,
    progress: Progress = lambda done, total: None,
) -> LongScores:
    """Every text's token scores; the model is loaded only if a text is not in the store."""
    texts = list(dict.fromkeys(texts))
    resolved = agreed(model, loaded)
    key = resolved.key
    missing = store.missing(key, texts)
    if options.entropy:
        without = frozenset(missing_entropies(key, texts, store))
        missing = [gone or text in without for text, gone in zip(texts, missing, strict=True)]
    parts = {text: [Window(text, 0)] for text in texts}
    limit = None
    if any(missing):
        loaded = loaded or resolved.load()
        reader = loaded.model
        if isinstance(reader, TorchModel) and reader.context_length is not None:
            limit = reader.context_length - (1 if options.boundary else 0)  # that reads one more
            for text, gone in zip(texts, missing, strict=True):
                if gone:
                    parts[text] = cut_windows(text, reader.encode, limit, options.stride)
    asked = [window.text for windows in parts.values() for window in windows]
    entropies: dict[Text, tuple[float, ...]] = {}
    if options.entropy:
        entropies = read_entropies(key, asked, store)
        if lacking := [text for text in dict.fromkeys(asked) if text not in entropies]:
            loaded = loaded or resolved.load()
            entropies |= store_entropies(loaded, lacking, store)
    found = score_texts(
        resolved,
        asked,
        store,
        loaded=loaded,
        boundary=asked if options.boundary else (),
        progress=progress,
    ).scores
    settled = {text: options.settle(text, scores) for text, scores in found.items()}
    for text, values in entropies.items():
        settled[text] = replace(settled[text], channels={ENTROPY: values})
    whole = {
        text: join_windows(windows, [settled[w.text] for w in windows])
        for text, windows in parts.items()
    }
    return LongScores(whole, {t: len(w) for t, w in parts.items() if len(w) > 1}, limit)
