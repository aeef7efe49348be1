"""Studies in other languages: their texts, and who counts as a native speaker."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from priscian.cli import run
from priscian.errors import DataError
from priscian.judge.check import notes, problems
from priscian.judge.exclusion import exclusions
from priscian.judge.frozen import build
from priscian.judge.languages import names_any
from priscian.judge.opening import freeze_study, open_store
from priscian.judge.sitting import enter
from priscian.judge.store import Arrival, Sitting
from priscian.judge.study import PRESETS, parse_study, preset, texts
from tests.judge.client import begin, fields, serve, walk
from tests.judge.studies import make

MINIMAL = 'name = "x"\ntask = "{task}"\nlanguage = "{language}"\n[items]\nsource = "generated:1"\n'


class TestNames:
    @pytest.mark.parametrize(
        "said",
        ["English", "american english", "English (US)", "English and Spanish", "English; French",
         "English.", "en", "EN", "eng", "en-GB", "en_US", "en (US)", "French/English", "Englisch",
         "Spanish & English", "inglés", "ingles", "British  English", "I speak English"],
    )  # fmt: skip
    def test_english_in_many_words(self, said: str) -> None:
        assert names_any(said, ["English"])
        assert names_any(said, ["German", "en"])

    @pytest.mark.parametrize(
        "said",
        ["", "Spanish", "Englishman", "engl", "not English", "English (not native), German", "enm",
         "Bengali", "English is not my native language", "French, no English", "?"],
    )  # fmt: skip
    def test_what_is_not_english(self, said: str) -> None:
        assert not names_any(said, ["English"])

    def test_names_in_the_language_itself(self) -> None:
        for said, wanted in (
            ("Deutsch (Österreich)", "German"), ("中文", "Chinese"), ("Mandarin", "Chinese"),
            ("हिन्दी", "Hindi"), ("русский язык", "ru"), ("Swiss German", "German"),
            ("Bavarian", "Bavarian"), ("العربية", "Arabic"),
        ):  # fmt: skip
            assert names_any(said, [wanted]), said

    def test_a_word_that_is_also_a_code_counts_only_alone(self) -> None:
        assert not names_any(
            "I am English, it is so", ["Amharic", "Italian", "Icelandic", "Somali"]
        )
        assert names_any("am", ["Amharic"])


class TestNativeSpeakers:
    RULES = "[exclusion]\nnative = ['English']\n"
    ASKED = "demographics = ['native_languages', 'comments']"

    def test_the_reason_tells_another_language_from_no_answer(self, tmp_path: Path) -> None:
        frozen = freeze_study(make(tmp_path, "choice", self.RULES, self.ASKED))
        store = open_store(tmp_path)
        people = {}
        for name, said in (("a", "English (US)"), ("b", "Welsh"), ("c", " "), ("d", None)):
            with store.backend.transaction():
                sitting = enter(store, frozen, Arrival("x", name))
                assert isinstance(sitting, Sitting)
                about = {} if said is None else {"about": {"native_languages": said}}
                store.note(sitting.id, about, "complete")
            people[sitting.person] = name
        found = exclusions(frozen, store.sittings(), [])
        store.close()
        assert {people[e.person]: e.reason for e in found} == {
            "b": "native language",
            "c": "native language not given",
            "d": "native language not given",
        }

    def test_the_question_must_be_answered_where_the_rule_needs_it(self, tmp_path: Path) -> None:
        served = serve(make(tmp_path, "choice", self.RULES, self.ASKED))
        place = begin(served.client)
        page = walk(served.client, place, lambda shown: "left")
        assert re.search(r'<input name="native_languages"[^>]* required', page.text)
        assert page.text.count("(optional)") == 1
        sent = {**fields(page), "native_languages": " ", "comments": "A remark"}
        refused = served.client.post(place, data=sent)
        assert refused.status_code == 422
        assert "Please answer this question" in refused.text
        assert "A remark" in refused.text
        done = served.client.post(place, data={**sent, "native_languages": "English"})
        assert done.status_code == 303
        assert 'id="code"' in served.client.get(place).text
        served.close()

    def test_without_the_rule_the_question_is_optional(self, tmp_path: Path) -> None:
        served = serve(make(tmp_path, "choice", "", self.ASKED))
        place = begin(served.client)
        page = walk(served.client, place, lambda shown: "left")
        assert " required" not in page.text
        assert served.client.post(place, data=fields(page)).status_code == 303
        served.close()

    def test_a_language_that_nobody_may_write_is_noted(self) -> None:
        study = parse_study(
            MINIMAL.format(task="choice", language="en").replace(
                "[items]", 'demographics = ["native_languages"]\n[items]'
            )
            + '[exclusion]\nnative = ["Englsh", "German"]\n'
        )
        assert not list(problems(study))
        [note] = notes(study)
        assert "'Englsh' is not in the table of languages" in note


class TestTexts:
    def test_german_has_every_text(self) -> None:
        import tomllib
        from importlib import resources

        own = tomllib.loads(
            (resources.files("priscian.judge") / "data" / "texts.de.toml").read_text("utf-8")
        )
        english = texts()
        for table, entries in english.items():
            assert own[table].keys() >= entries.keys(), table
            for name, said in entries.items():
                mine = own[table][name]
                assert mine != said, (table, name)
                assert type(mine) is type(said)
                holes = re.findall(r"\{\w+\}", " ".join(said) if isinstance(said, list) else said)
                assert all(hole in mine for hole in holes)

    @pytest.mark.parametrize("task", ["choice", "likert", "binary", "magnitude"])
    def test_checks_are_in_the_language_of_the_study(self, tmp_path: Path, task: str) -> None:
        frozen = build(make(tmp_path, task, "[checks]\ninstructed = 3\n", 'language = "de-AT"'))
        checks = [m for m in frozen.materials.values() if m.kind == "check"]
        said = " ".join(text for m in checks for text in m.conditions.values())
        assert "Bitte wählen Sie" in said if task in ("choice", "likert") else "Bitte" in said
        assert "Please" not in said
        assert "This is a check" not in said

    def test_checks_can_have_texts_of_their_own(self, tmp_path: Path) -> None:
        tables = '[checks]\ninstructed = 1\n[checks.texts]\nlikert = "Valitse {answer}."\n'
        frozen = build(make(tmp_path / "one", "likert", tables, 'language = "fi"'))
        checks = [m for m in frozen.materials.values() if m.kind == "check"]
        assert all(m.conditions["sentence"] == f"Valitse {m.answer}." for m in checks)
        pairs = '[checks]\ninstructed = 1\n[checks.texts]\nchoose = ["Tämä."]\navoid = ["Ei tämä."]'
        frozen = build(make(tmp_path / "two", "choice", pairs, 'language = "fi"'))
        checks = [m for m in frozen.materials.values() if m.kind == "check"]
        assert {tuple(m.conditions.values()) for m in checks} == {("Tämä.", "Ei tämä.")}
        bad = tables.replace("{answer}", "{kolme} {")
        with pytest.raises(DataError, match=r"checks.texts.likert: does not say what to answer"):
            build(make(tmp_path / "three", "likert", bad, 'language = "fi"'))

    def test_pages_and_errors_of_a_german_study_are_german(self, tmp_path: Path) -> None:
        tables = "[checks]\ninstructed = 1\n"
        served = serve(make(tmp_path, "binary", tables, 'language = "de"\ntitle = "Eine Studie"'))
        english = [said for said in texts()["words"].values() if len(said) > 12]
        seen = [served.client.get("/")]
        place = begin(served.client)
        seen += [served.client.get(place), served.client.get("/nichts"), served.client.get("/s/no")]
        seen.append(walk(served.client, place, lambda shown: "yes"))
        for page in seen:
            assert '<html lang="de" ' in page.text
            for said in english:
                assert said not in page.text
        assert "Ja, akzeptabel" in seen[1].text
        assert "Diese Seite gibt es nicht." in seen[2].text
        served.close()

    def test_an_english_error_keeps_its_own_words_unless_the_study_has_some(
        self, tmp_path: Path
    ) -> None:
        served = serve(make(tmp_path / "one", "choice"))
        assert "There is no such page." in served.client.get("/s/no").text
        served.close()
        served = serve(make(tmp_path / "two", "choice", '[words]\nerror_404 = "Gone."\n'))
        assert "Gone." in served.client.get("/s/no").text
        served.close()

    def test_what_is_still_english_is_noted(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = make(tmp_path, "likert", "[checks]\ninstructed = 1\n", 'language = "fi"')
        assert run(["judge", "check", str(folder)]) == 0
        said = capsys.readouterr().out
        assert "note: the study is in fi, but participants read these in English: words: " in said
        for name in ("agree", "consent.text", "pages.instructions", "pages.end", "scale.low",
                     "checks.texts.likert"):  # fmt: skip
            assert name in said
        assert said.strip().endswith("no problems")

    @pytest.mark.parametrize("name", PRESETS)
    def test_a_german_preset_is_told_of_its_own_english_texts(self, name: str) -> None:
        study = parse_study(preset(name).replace('language = "en"', 'language = "de"'))
        [note] = notes(study)
        assert "English: title; question" in note
        assert "words" not in note
        assert "consent" not in note
        assert not list(notes(parse_study(preset(name))))

    def test_a_scale_has_labels_in_the_language_of_the_study(self) -> None:
        german = parse_study(MINIMAL.format(task="likert", language="de"))
        assert german.scale.low == "völlig inakzeptabel"
        own = parse_study(MINIMAL.format(task="likert", language="de") + '[scale]\nlow = "nein"\n')
        assert (own.scale.low, own.scale.high) == ("nein", "völlig akzeptabel")
        assert parse_study(MINIMAL.format(task="likert", language="fi")).scale.low == (
            "completely unacceptable"
        )


def test_a_study_may_have_a_name_in_any_script(tmp_path: Path) -> None:
    from tests.judge.test_security import login

    folder = make(tmp_path)
    file = folder / "study.toml"
    file.write_text(file.read_text().replace('"small"', '"判断 Ä"'), "utf-8")
    served = serve(folder)
    assert login(served) == 303
    done = served.client.get("/admin/export.zip")
    assert done.status_code == 200
    said = done.headers["content-disposition"]
    assert said == (
        "attachment; filename=\"__ _.zip\"; filename*=UTF-8''%E5%88%A4%E6%96%AD%20%C3%84.zip"
    )
    served.close()
