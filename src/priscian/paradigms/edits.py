"""What may differ between the two sentences of a pair, and the proof that nothing else does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from priscian.errors import GrammarError
from priscian.lexicon import Word, features

Words = Sequence[Word]


class Edit(Protocol):
    """A kind of difference; `fault` says how two sentences fail to show it, or nothing."""

    @property
    def kind(self) -> str: ...

    def fault(self, good: Words, bad: Words) -> str: ...


def prove(edit: Edit, good: Words, bad: Words, uid: str = "") -> None:
    """Raise GrammarError unless the pair shows exactly this edit: a paradigm has a bug."""
    fault = edit.fault(good, bad)
    if fault:
        raise GrammarError(
            f"{uid or 'pair'}: not the declared edit ({edit.kind}): {fault}\n"
            f"  good: {_text(good)}\n  bad:  {_text(bad)}"
        )


def differences(left: Word, right: Word) -> frozenset[str]:
    """The features in which two words differ; one that only one of them has does not count."""
    found = set()
    if left.lemma != right.lemma:
        found.add("lemma")
    ours, theirs = features(left.tag), features(right.tag)
    found.update(name for name in ours.keys() & theirs.keys() if ours[name] != theirs[name])
    if not found and left.text != right.text:
        found.add("spelling")
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Substitution:
    """One word for another at the same place, which differ in these features and no others.

    `Substitution("number")` is *was/were* or *boy/boys*; `Substitution("lemma")` another word of
    the same category and form. Features in `maybe` may differ too. `words` of them are replaced.
    """

    what: frozenset[str]
    maybe: frozenset[str]
    words: int

    def __init__(self, *what: str, maybe: Sequence[str] = (), words: int = 1) -> None:
        object.__setattr__(self, "what", frozenset(what))
        object.__setattr__(self, "maybe", frozenset(maybe))
        object.__setattr__(self, "words", words)

    @property
    def kind(self) -> str:
        features = ", ".join(sorted(self.what)) or " or ".join(sorted(self.maybe))
        return f"{self.words}-word substitution of {features}"

    def fault(self, good: Words, bad: Words) -> str:
        if len(good) != len(bad):
            return f"{len(good)} words against {len(bad)}"
        changed = [(a, b) for a, b in zip(good, bad, strict=True) if a is not b and a != b]
        if len(changed) != self.words:
            return f"{len(changed)} words differ, not {self.words}"
        for left, right in changed:
            fault = self.misfit(left, right)
            if fault:
                return fault
        return ""

    def misfit(self, left: Word, right: Word) -> str:
        """How two words differ in other features than declared, or nothing."""
        found = differences(left, right)
        if left.text == right.text:
            return f"{left.text!r} looks the same on both sides"
        if not self.what <= found or not found <= self.what | self.maybe:
            return (
                f"{left.text!r} and {right.text!r} differ in {', '.join(sorted(found))}, "
                f"not in {', '.join(sorted(self.what))}"
            )
        return ""


@dataclass(frozen=True, slots=True)
class SpanSubstitution:
    """One unbroken stretch of at most this many words for another as long."""

    words: int

    @property
    def kind(self) -> str:
        return f"substitution of a stretch of up to {self.words} words"

    def fault(self, good: Words, bad: Words) -> str:
        if len(good) != len(bad):
            return f"{len(good)} words against {len(bad)}"
        start, end = changed_stretch(good, bad)
        if start == end:
            return "the sentences are equal"
        if end - start > self.words:
            return f"{end - start} words differ"
        return ""


@dataclass(frozen=True, slots=True)
class Reordering:
    """The same words in another order; with features, one of them is replaced as well."""

    what: frozenset[str]
    maybe: frozenset[str]

    def __init__(self, *what: str, maybe: Sequence[str] = ()) -> None:
        object.__setattr__(self, "what", frozenset(what))
        object.__setattr__(self, "maybe", frozenset(maybe))

    @property
    def kind(self) -> str:
        if not self.what:
            return "reordering"
        return f"reordering and substitution of {', '.join(sorted(self.what))}"

    def fault(self, good: Words, bad: Words) -> str:
        if len(good) != len(bad):
            return f"{len(good)} words against {len(bad)}"
        ours, theirs = Counter(good), Counter(bad)
        gone, come = list((ours - theirs).elements()), list((theirs - ours).elements())
        if not self.what:
            if gone or come:
                return f"{_text(gone)!r} against {_text(come)!r}"
            if [w.text for w in good] == [w.text for w in bad]:
                return "the sentences are equal"
            return ""
        if len(gone) != 1 or len(come) != 1:
            return f"{_text(gone)!r} against {_text(come)!r}; one word may be replaced"
        return Substitution(*self.what, maybe=tuple(self.maybe)).misfit(gone[0], come[0])


@dataclass(frozen=True, slots=True)
class Exchange:
    """One word left out in one place and one put in elsewhere, by category: two local edits."""

    out: str
    into: str

    @property
    def kind(self) -> str:
        return f"{self.out} left out, {self.into} put in"

    def fault(self, good: Words, bad: Words) -> str:
        if len(good) != len(bad):
            return f"{len(good)} words against {len(bad)}"
        start, end = changed_stretch(good, bad)
        if end - start < 2:
            return f"{end - start} words differ, not two places"
        if list(good[start + 1 : end]) == list(bad[start : end - 1]):
            left_out, put_in = good[start], bad[end - 1]
        elif list(good[start : end - 1]) == list(bad[start + 1 : end]):
            left_out, put_in = good[end - 1], bad[start]
        else:
            return "more than one word is left out or put in"
        if left_out.category != self.out or put_in.category != self.into:
            return f"{left_out.text!r} left out and {put_in.text!r} put in"
        return ""


def changed_stretch(good: Words, bad: Words) -> tuple[int, int]:
    """Where equally long sentences differ: from the first differing word to behind the last."""
    start, end = 0, len(good)
    while start < end and good[start] == bad[start]:
        start += 1
    while end > start and good[end - 1] == bad[end - 1]:
        end -= 1
    return start, end


def _text(words: Words) -> str:
    return " ".join(word.text for word in words)
