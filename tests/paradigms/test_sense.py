"""Who does what to whom, how many and where makes sense: kinds of odd content stay out."""

from __future__ import annotations

import pytest

from priscian.grammar import Pair
from priscian.lexicon import load_lexicon
from priscian.paradigms import generate

LEXICON = load_lexicon()
VERBS = {verb.lemma: verb for verb in LEXICON.all_verbs}
JOBS = {noun.lemma for noun in LEXICON.all_nouns if "occupation" in noun.sorts}


def stretch(pair: Pair, name: str):
    ((start, end),) = [(a, b) for label, a, b in pair.good.marks if label == name]
    return pair.good.words[start:end]


def verbs(words):
    return [VERBS[word.lemma] for word in words if word.category == "verb"]


def nouns(words):
    return [word.lemma for word in words if word.category == "noun"]


@pytest.mark.parametrize(
    "uid", ["principle_A_domain_1", "principle_A_domain_3", "principle_A_reconstruction"]
)
def test_two_people_known_by_their_work_need_a_reason_to_meet(uid):
    for pair in generate(uid, 400, 51):
        jobs = [lemma for lemma in nouns(pair.good.words) if lemma in JOBS]
        assert len(jobs) <= 1, pair.good.text


@pytest.mark.parametrize(
    "uid",
    ["determiner_noun_agreement_1", "causative", "left_branch_island_echo_question", "transitive"],
)
def test_nothing_is_in_progress_that_is_over_in_a_moment(uid):
    for pair in generate(uid, 400, 52):
        for word in pair.good.words:
            if word.tag == "verb.ing" and word.lemma in VERBS:
                flags = VERBS[word.lemma].flags
                assert not flags & {"momentary", "stirring", "perceiving"}, pair.good.text


@pytest.mark.parametrize("uid", ["superlative_quantifiers_1", "superlative_quantifiers_2"])
def test_people_keep_count_of_what_is_counted(uid):
    uncounted = LEXICON.select("home|vehicle|machine|place|kin").nouns
    for pair in generate(uid, 400, 53):
        (verb,) = verbs(pair.good.words)
        assert "tallied" in verb.flags, pair.good.text
        assert nouns(pair.good.words)[-1] not in {noun.lemma for noun in uncounted}, pair.good.text


def test_a_verdict_fits_the_verb_that_gives_it():
    classes = {a.lemma: a.classes for a in LEXICON.all_adjectives}
    for pair in generate("expletive_it_object_raising", 400, 54):
        (verb,) = verbs(stretch(pair, "verb"))
        judged = next(
            word.lemma
            for word in pair.good.words
            if word.category == "adj" and classes[word.lemma] & {"curious", "epistemic", "assured"}
        )
        if verb.lemma in {"acknowledge", "admit", "confirm", "discover", "know", "report"}:
            assert judged in {"true", "false"}, pair.good.text
        if "opinion" not in verb.flags:
            assert "curious" not in classes[judged], pair.good.text


LINKS = {
    "only_npi_scope": {
        "kindness": {"warmth", "contact"},
        "offense": {"coldness"},
        "encounter": {"warmth", "coldness", "contact"},
    },
    "sentential_negation_npi_scope": {
        "kindness": {"coldness", "contact"},
        "offense": {"warmth", "contact"},
        "encounter": {"warmth", "coldness", "contact"},
    },
}


@pytest.mark.parametrize("uid", LINKS)
def test_what_somebody_does_answers_what_passed_between_the_two(uid):
    for pair in generate(uid, 400, 55):
        before, after = verbs(pair.good.words)
        fitting = [LINKS[uid][kind] for kind in LINKS[uid] if kind in before.flags]
        assert any(after.flags & kinds for kinds in fitting), pair.good.text
        assert pair.good.words[-1].tag.startswith("pron.acc"), pair.good.text


@pytest.mark.parametrize("uid", ["passive_1", "animate_subject_passive", "transitive", "causative"])
def test_one_thing_is_handled_by_one_person(uid):
    alone = {verb.lemma for verb in LEXICON.verbs("singlehanded")}
    counted = {noun.lemma for noun in LEXICON.all_nouns if noun.count == "count"}
    for pair in generate(uid, 500, 64):
        heads = [w for w in pair.good.words if w.category in ("noun", "name")]
        (deed,) = (w for w in pair.good.words if w.category == "verb")
        if deed.lemma in alone and len(heads) == 2:
            doer, thing = reversed(heads) if "passive" in uid else heads
            one = thing.tag == "noun.sg" and thing.lemma in counted
            assert not (one and doer.tag.endswith("pl")), pair.good.text


@pytest.mark.parametrize(
    "uid",
    ["coordinate_structure_constraint_subject_extraction", "adjunct_island", "transitive"],
)
def test_people_are_told_to_do_what_is_advisable(uid):
    for pair in generate(uid, 500, 65):
        if any(word.lemma in ("should", "shouldn't") for word in pair.good.words):
            deed = next(w for w in pair.good.words if w.tag == "verb.bare")
            assert "advisable" in VERBS[deed.lemma].flags, pair.good.text


def test_what_is_called_itself_is_never_a_person_too():
    people = {"insurer", "publisher", "employer", "supplier", "manufacturer", "producer"}
    people |= {noun.lemma for noun in LEXICON.all_nouns if noun.person}
    assert not people & {noun.lemma for noun in LEXICON.select("@impersonal").nouns}
    for pair in generate("anaphor_gender_agreement", 1000, 66):
        if pair.good.words[-1].text == "itself":
            assert not people & set(nouns(pair.good.words)), pair.good.text


def test_what_happens_by_itself_needs_no_adverb():
    for pair in generate("inchoative", 400, 67):
        (verb,) = verbs(pair.good.words)
        assert "adverbial" not in verb.flags, pair.good.text


@pytest.mark.parametrize("uid", ["anaphor_gender_agreement", "anaphor_number_agreement"])
def test_what_people_hardly_do_to_themselves_is_left_out(uid):
    for pair in generate(uid, 400, 69):
        (verb,) = verbs(pair.good.words)
        assert "selfless" not in verb.flags, pair.good.text


def test_a_participle_describes_a_thing():
    """*The bitten waitress was slim* says two things that have nothing to do with each other."""
    living = {noun.lemma for noun in LEXICON.select("animate&!(royal|villain)").nouns}
    for pair in generate("irregular_past_participle_adjectives", 300, 70):
        assert nouns(pair.good.words)[0] not in living - {"chicken", "turkey"}, pair.good.text


def test_nobody_does_again_and_again_what_happens_once():
    for pair in generate("npi_present_1", 400, 71):
        habits = {a.lemma for a in LEXICON.adverbs("habit")}
        if habits & {word.lemma for word in pair.good.words}:
            (verb,) = verbs(pair.good.words)
            assert "once" not in verb.flags, pair.good.text


@pytest.mark.parametrize("uid", ["wh_vs_that_with_gap", "wh_island"])
def test_one_asks_for_what_is_worth_finding_out(uid):
    for pair in generate(uid, 400, 68):
        assert "noteworthy" in verbs(pair.good.words)[-1].flags, pair.good.text


@pytest.mark.parametrize("uid", ["principle_A_c_command", "principle_A_domain_2"])
def test_what_people_do_to_themselves_is_worth_telling(uid):
    for pair in generate(uid, 400, 56):
        last = verbs(pair.good.words)[-1]
        company = pair.good.words[-1].text == "itself"
        assert company or "to_oneself" in last.flags, pair.good.text


def test_stacked_relatives_are_light():
    """The inner one has a singular subject, mostly a name: *the man who Emma met that ate it*."""
    named = 0
    pairs = list(generate("wh_questions_subject_gap_long_distance", 300, 57))
    for pair in pairs:
        words = stretch(pair, "object")
        start = next(i for i, word in enumerate(words) if word.category == "rel")
        inner = words[start + 1 :]
        assert not any(word.tag == "noun.pl" for word in inner), pair.good.text
        named += any(word.category == "name" for word in inner)
    assert named > 0.6 * len(pairs)


@pytest.mark.parametrize(
    "uid", ["existential_there_quantifiers_1", "existential_there_object_raising"]
)
def test_what_anybody_is_seen_doing_is_done_in_public(uid):
    label = "activity" if uid.endswith("1") else "embedded"
    for pair in generate(uid, 400, 58):
        words = stretch(pair, label)
        verb = next(VERBS[w.lemma] for w in words if w.tag == "verb.ing")
        after = words[[w.tag for w in words].index("verb.ing") + 1 :]
        uses = verb.frames.get("trans", ()) + verb.frames.get("optobj", ())
        if after and after[0].category != "prep" and any(u.subject.admits_names for u in uses):
            narrow = any(not u.subject.admits_names for u in uses)
            assert narrow or "in_public" in verb.flags, pair.good.text


def test_a_place_is_named_for_what_lasts_there():
    near = {words[0].text for words in (p.words for p in LEXICON.prepositions("vicinity"))}
    for pair in generate("existential_there_subject_raising", 400, 59):
        words = stretch(pair, "embedded")
        at = [word.tag for word in words].index("verb.ing")
        verb, after = VERBS[words[at].lemma], words[at + 1 :]
        if after and after[0].text in near and "pp" not in verb.frames:
            assert "pastime" in verb.flags, pair.good.text


def test_what_is_left_out_is_understood():
    for pair in generate("drop_argument", 400, 60):
        (verb,) = verbs(pair.good.words)
        assert "unspoken" in verb.flags, pair.good.text


def test_only_work_is_costly_or_tedious():
    costly = {"complicated", "costly", "cumbersome", "expensive", "tedious", "tiresome"}
    for pair in generate("tough_vs_raising_1", 400, 61):
        words = stretch(pair, "predicate")
        if words[-1].lemma in costly:
            (verb,) = verbs(stretch(pair, "embedded"))
            assert "labor" in verb.flags, pair.good.text


def test_of_somebody_one_knows_a_deed_of_attitudes_are_told():
    present = attitudes = 0
    for pair in generate("distractor_agreement_relative_clause", 400, 62):
        word = stretch(pair, "predicate")[0]
        if word.tag.startswith("verb.pres"):
            present += 1
            attitudes += "attitude" in VERBS[word.lemma].flags
            assert VERBS[word.lemma].flags & {"attitude", "timeless", "stirring"}, pair.good.text
    assert attitudes > 0.6 * present


def test_nobody_has_several_mothers():
    sole = {noun.plural.text for noun in LEXICON.all_nouns if "sole" in noun.flags and noun.plural}
    for uid in ("distractor_agreement_relative_clause", "existential_there_quantifiers_2"):
        for pair in generate(uid, 300, 63):
            assert not sole & {word.text for word in pair.good.words}, pair.good.text
