"""English inflection by rule, with tables for the exceptions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

VOWELS = "aeiou"
# Spelt with a vowel but spoken with a consonant ("a user"), and the reverse ("an hour").
CONSONANT_SOUND = re.compile(
    r"uni(?![nmd])|unanim|us[aeiu]|ut[aeio]|ub[iu]|uk|ugan|ur[aeiou]|eu|ew|one(?!r)|once"
)
VOWEL_SOUND = re.compile(r"hour|honest|honou?r|heir|herb(?!iv)")
SPELT_VOWEL = frozenset("AEFHILMNORSX")  # letters whose name begins with a vowel: an MRI, an X-ray


@dataclass(frozen=True, slots=True)
class Irregular:
    """Past and participle of a verb that does not form them by rule."""

    past: str
    participle: str
    variable: bool = False


@dataclass(frozen=True, slots=True)
class Morphology:
    """Inflects lemmas with the regular rules and tables of exceptions."""

    plurals: Mapping[str, str] = field(default_factory=dict)
    irregular_plurals: frozenset[str] = frozenset()
    verbs: Mapping[str, Irregular] = field(default_factory=dict)
    doubling: frozenset[str] = frozenset()

    def plural(self, lemma: str) -> str:
        """`child` gives `children`, `city` gives `cities`, `box` gives `boxes`."""
        return self.plurals.get(lemma) or _regular_plural(lemma)

    def third_singular(self, lemma: str) -> str:
        """`try` gives `tries`, `watch` gives `watches`."""
        if lemma == "have":
            return "has"
        if lemma.endswith("z") and self._doubles(lemma):
            return f"{lemma}zes"
        return _add_s(lemma)

    def past(self, lemma: str) -> str:
        """`break` gives `broke`, `stop` gives `stopped`."""
        irregular = self.verbs.get(lemma)
        return irregular.past if irregular else self._regular_past(lemma)

    def participle(self, lemma: str) -> str:
        """`break` gives `broken`, `stop` gives `stopped`."""
        irregular = self.verbs.get(lemma)
        return irregular.participle if irregular else self._regular_past(lemma)

    def gerund(self, lemma: str) -> str:
        """`run` gives `running`, `lie` gives `lying`, `see` gives `seeing`."""
        if lemma.endswith("ie"):
            return f"{lemma[:-2]}ying"
        if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")):
            if lemma in {"be", "singe", "tinge"}:
                return f"{lemma}ing"
            return f"{lemma[:-1]}ing"
        return f"{self._stem(lemma)}ing"

    def _regular_past(self, lemma: str) -> str:
        if lemma.endswith("e"):
            return f"{lemma}d"
        if _consonant_before(lemma, "y"):
            return f"{lemma[:-1]}ied"
        return f"{self._stem(lemma)}ed"

    def _stem(self, lemma: str) -> str:
        """The stem before -ed and -ing: `stopp`, `panick`, `open`."""
        if lemma.endswith("ic"):
            return f"{lemma}k"
        return lemma + lemma[-1] if self._doubles(lemma) else lemma

    def _doubles(self, lemma: str) -> bool:
        return lemma in self.doubling or _short_syllable(lemma)


def _short_syllable(lemma: str) -> bool:
    """One syllable that ends in a single vowel letter and a single consonant letter."""
    body = lemma.replace("qu", "q")
    if len(body) < 2 or body[-1] in "aeiouwxy" or body[-2] not in VOWELS:
        return False
    return not any(letter in "aeiouy" for letter in body[:-2])


def _consonant_before(lemma: str, last: str) -> bool:
    return lemma.endswith(last) and lemma[-2:-1] not in VOWELS


def _add_s(lemma: str) -> str:
    if _consonant_before(lemma, "y"):
        return f"{lemma[:-1]}ies"
    if lemma.endswith(("s", "x", "z", "sh", "ch")) or _consonant_before(lemma, "o"):
        return f"{lemma}es"
    return f"{lemma}s"


def _regular_plural(lemma: str) -> str:
    if lemma.endswith("z") and _short_syllable(lemma):
        return f"{lemma}zes"
    return _add_s(lemma)


def takes_an(word: str) -> bool:
    """True where the indefinite article is *an*: `hour`, `apple`, `MRI`; not `user`, `European`."""
    head = re.split(r"[-']", word, maxsplit=1)[0]
    if len(head) == 1 or (head.isupper() and len(head) <= 4):
        return head[:1].upper() in SPELT_VOWEL
    lower = word.lower()
    if lower[:1] in VOWELS:
        return not CONSONANT_SOUND.match(lower)
    return bool(VOWEL_SOUND.match(lower))


def possessive(text: str, plural: bool) -> str:
    """`boy's`, `children's`, `bosses'`, `James's`."""
    return f"{text}'" if plural and text.endswith("s") else f"{text}'s"


def surname_plural(name: str) -> str:
    """`Carters`, `Joneses`, `Kennedys`: names keep their spelling."""
    return f"{name}es" if name.endswith(("s", "x", "z", "ch", "sh")) else f"{name}s"
