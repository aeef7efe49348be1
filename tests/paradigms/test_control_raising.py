"""Control and raising: classes that exclude each other, and expletives that agree."""

from __future__ import annotations

from priscian.lexicon import features, load_lexicon
from priscian.paradigms import generate

LEXICON = load_lexicon()
VERBS = {verb.lemma: verb for verb in LEXICON.all_verbs}


def verbs(frame):
    return {predicate.lemma for predicate in LEXICON.predicates(frame).entries}


def adjectives(kind):
    return {adjective.lemma for adjective in LEXICON.adjectives("pred", kind).entries}


def part(side, name):
    (found,) = ((start, end) for label, start, end in side.marks if label == name)
    return side.words[slice(*found)]


def changed(pair):
    ((good, bad),) = (
        (a, b) for a, b in zip(pair.good.words, pair.bad.words, strict=True) if a != b
    )
    return good, bad


def test_verbs_that_some_speakers_use_with_expletives_are_no_control_verbs():
    raised = {"allow", "ask", "command", "direct", "enable", "encourage", "force", "need", "order"}
    raised |= {"instruct", "permit", "push", "request", "require", "urge", "want"}
    assert not raised & verbs("ctrl_obj")
    assert not verbs("raise_obj") & verbs("ctrl_obj")
    raised = {"deserve", "fail", "help", "manage", "need", "promise", "struggle", "threaten"}
    assert not raised & verbs("ctrl_subj")
    assert not verbs("raise_subj") & verbs("ctrl_subj")


def test_classes_of_adjectives_exclude_each_other():
    raising, control, tough = adjectives("raising"), adjectives("control"), adjectives("tough")
    assert not raising & control
    assert not raising & tough
    assert not control & tough
    assert not control & {"able", "ready", "free"}


def test_there_is_no_place_after_a_control_verb():
    for pair in generate("existential_there_object_raising", 300, 31):
        good, bad = changed(pair)
        assert "raise_obj" in VERBS[good.lemma].frames
        frames = VERBS[bad.lemma].frames.keys()
        assert "ctrl_obj" in frames
        # *enlisted there to be a soldier*
        assert not {"unerg", "unacc", "optobj", "alt"} & frames


def test_the_verb_after_there_agrees_with_the_pivot():
    for pair in generate("existential_there_subject_raising", 300, 32):
        finite = part(pair.good, "predicate")[0]
        pivot = next(w for w in part(pair.good, "embedded") if w.category == "noun")
        shown = features(finite.tag).get("number")
        assert shown in (None, features(pivot.tag)["number"]), pair.good.text


def test_expletive_it_cannot_be_somebody_who_is_certain():
    for pair in generate("expletive_it_object_raising", 300, 33):
        adjective = next(w for w in part(pair.good, "embedded") if w.category == "adj")
        assert adjective.lemma not in {"certain", "sure", "sad", "lucky", "suspicious", "clear"}


def test_tough_adjectives_leave_a_gap_that_no_other_reading_fills():
    for pair in generate("tough_vs_raising_1", 300, 34):
        tough, raised = changed(pair)
        assert tough.lemma in adjectives("tough")
        assert raised.lemma in adjectives("raising")
        # *due to sabotage*, *apt to criticize*
        assert raised.lemma not in {"apt", "due", "known", "liable", "meant"}
        assert "strict" in VERBS[pair.good.words[-1].lemma].flags


def test_nothing_is_missing_after_a_raising_adjective():
    for pair in generate("tough_vs_raising_2", 300, 35):
        to, verb, *rest = part(pair.good, "embedded")
        assert to.text == "to"
        assert rest
        # *easy to call a cab*
        assert "ditrans" not in VERBS[verb.lemma].frames
