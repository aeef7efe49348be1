"""Suites from a model to a run folder: options, failures, exports."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import polars
import pytest
from tests.run_folders import regions_of
from tests.small_suites import choice, garden, save

from priscian.bridges.exports import export
from priscian.datasets.generation import read_sg
from priscian.datasets.syntaxgym import read_suite
from priscian.errors import DataError, ModelError, PriscianWarning, RunError, UsageError
from priscian.models import parse_model, traits_of
from priscian.records import Text
from priscian.runs import Result, SuiteOptions, SuitesSummary, load_run, score
from priscian.runs.cite import keys_of
from priscian.runs.kinds.suites import find_punctuation
from priscian.scoring import ScoreStore, score_texts

# random weights do worse than guessing, and are told so
pytestmark = pytest.mark.filterwarnings("ignore:.*worse than guessing")


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    return save(tmp_path / "small", garden(), choice(), garden("mvrr", 4), garden("mvrr_mod", 4))


@pytest.fixture
def model(causal: Callable[..., Path]) -> str:
    return f"hf:{causal('gpt2')}?name=tiny"


def only(model: str, data: Path, **options: str) -> Result:
    return score(model, f"sg:{data}", suites=SuiteOptions(**options)).results[0]


def surprisal_table(path: Path, suites: Path, leave_out: str = "", spoil: str = "") -> Path:
    """Every word of every sentence with as many bits as it has letters."""
    lines = ["sentence\ttoken\tsurprisal"]
    for file in sorted(suites.glob("*.json")):
        for item in read_suite(file).items:
            for sentence in item.conditions.values():
                if leave_out and leave_out in sentence.text:
                    continue
                for word in sentence.text.split():
                    bits = "many" if spoil and spoil == word else str(len(word))
                    lines.append(f"{sentence.text}\t{word}\t{bits}")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


class TestFolder:
    def test_a_run_has_summary_items_and_regions(
        self, suites: Path, model: str, tmp_path: Path
    ) -> None:
        run = score(model, f"sg:{suites}", out=tmp_path / "run")
        place = tmp_path / "run/tiny/small"
        summary = json.loads((place / "summary.json").read_text())
        assert summary == json.loads(json.dumps(run.results[0].summary.to_dict()))
        assert summary["suites"].keys() == {"garden", "choice", "mvrr", "mvrr_mod"}
        accuracies = [s["accuracy"] for s in summary["suites"].values()]
        assert summary["sg"]["score"] == pytest.approx(sum(accuracies) / 4)
        assert summary["suites"]["mvrr"]["chance"] == pytest.approx(7 / 24)
        assert summary["circuits"].keys() == {"Garden-Path Effects"}
        assert summary["modifiers"]["mvrr"]["modified_suite"] == "mvrr_mod"
        items = polars.read_parquet(place / "items.parquet")
        assert len(items) == 3 + 2 + 4 + 4
        regions = polars.read_parquet(place / "regions.parquet")
        assert len(regions) == (3 + 4 + 4) * 4 * 6 + 2 * 2 * 3
        used = items.filter(polars.col("item") == "choice/1")["values"].to_list()[0]
        kept = regions.filter((polars.col("item") == "choice/1") & (polars.col("region") == 2))[
            "surprisal"
        ].to_list()
        assert [v["surprisal"] for v in used] == kept
        assert keys_of(load_run(tmp_path / "run").info).count("sg") == 1

    def test_every_distinct_text_is_scored_once(
        self, suites: Path, model: str, tmp_path: Path
    ) -> None:
        score(model, f"sg:{suites}", out=tmp_path / "run")
        facts = load_run(tmp_path / "run").info.models["tiny"]
        texts = {s.text for f in suites.glob("*.json") for s in read_suite(f).sentences()}
        assert facts.computed == facts.texts == len(texts) == 16 + 4

    def test_region_bits_are_the_models_own(self, suites: Path, model: str) -> None:
        found = only(model, suites / "choice.json")
        text = Text("The nurse has forgotten")
        with ScoreStore() as store:
            told = score_texts(model, [text], store).scores[text]
        wanted = -sum(p for s, p in zip(told.starts, told.logps, strict=True) if 9 <= s < 13)
        value = regions_of(found, "choice/1")["good"]["2"]
        assert value == pytest.approx(wanted / math.log(2))

    def test_a_finished_run_is_resumed_only_with_the_same_rules(
        self, suites: Path, model: str, tmp_path: Path
    ) -> None:
        score(model, f"sg:{suites}", out=tmp_path / "run")
        score(model, f"sg:{suites}", out=tmp_path / "run", resume=True)
        with pytest.raises(RunError, match="other settings \\(sg\\)"):
            score(model, f"sg:{suites}", out=tmp_path / "run", resume=True,
                  suites=SuiteOptions(predictions="all"))  # fmt: skip

    def test_suites_and_pairs_may_share_a_run(self, suites: Path, pairs: Path, model: str) -> None:
        run = score(model, [f"sg:{suites}", f"pairs:{pairs}"])
        assert [r.kind for r in run] == ["suites", "pairs"]
        assert run["tiny", "small"].methods == ()


class TestOptions:
    def test_eos_adds_the_end_to_the_last_filled_region(self, suites: Path, model: str) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        without = regions_of(only(model, suites / "choice.json"), "choice/1")["good"]
        ended = only(model, suites / "choice.json", eos="last-region")
        with_end = regions_of(ended, "choice/1")["good"]
        folder = parse_model(model).id
        tokenizer = AutoTokenizer.from_pretrained(folder)
        network = AutoModelForCausalLM.from_pretrained(folder)
        end = tokenizer.bos_token_id
        ids = torch.tensor([[end, *tokenizer("The nurse has forgotten")["input_ids"]]])
        with torch.inference_mode():
            logp = network(ids).logits[0, -1].log_softmax(-1)[end].item()
        assert with_end["3"] - without["3"] == pytest.approx(-logp / math.log(2), abs=1e-3)
        assert {r: with_end[r] for r in "12"} == pytest.approx({r: without[r] for r in "12"})

    def test_a_model_without_an_end_is_refused(
        self, suites: Path, masked: Callable[..., Path]
    ) -> None:
        with (
            pytest.warns(PriscianWarning, match="is bidirectional"),
            pytest.raises(
                ModelError, match="no probability for the end of a text; leave out `eos="
            ),
        ):
            score(f"mlm:{masked()}", f"sg:{suites}", suites=SuiteOptions(eos="last-region"))

    def test_punctuation_is_apart_for_word_models_unless_told(self) -> None:
        ngram, hf = (parse_model(m) for m in ("ngram:x.arpa", "hf:gpt2"))
        assert find_punctuation("auto", traits_of(ngram)) == "detached"
        assert find_punctuation("auto", traits_of(hf)) == "attached"
        assert find_punctuation("detached", traits_of(hf)) == "detached"

    def test_punctuation_changes_what_is_scored(self, suites: Path, model: str) -> None:
        together = only(model, suites / "garden.json")
        apart = only(model, suites / "garden.json", punctuation="detached")
        shown = [r.expect(SuitesSummary).punctuation for r in (together, apart)]
        assert shown == ["attached", "detached"]
        assert regions_of(together, "garden/1") != regions_of(apart, "garden/1")

    def test_a_selection_keeps_published_suites_and_tells_what_lacks(
        self, suites: Path, model: str
    ) -> None:
        with pytest.warns(PriscianWarning, match="has 2 of the 31 suites"):
            found = only(model, suites, suites="31")
        assert found.summary.by_set().keys() == {"mvrr", "mvrr_mod"}

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"predictions": "one"}, "`predictions=` takes"),
            ({"eos": "on"}, "`eos=` takes"),
            ({"punctuation": "off"}, "`punctuation=` takes"),
            ({"suites": "30"}, "`suites=` takes"),
        ],
    )
    def test_impossible_options_are_refused(
        self, suites: Path, model: str, options: dict[str, str], says: str
    ) -> None:
        with pytest.raises(UsageError, match=says):
            score(model, f"sg:{suites}", suites=SuiteOptions(**options))

    def test_other_measures_make_no_sense_of_regions(self, suites: Path, model: str) -> None:
        with pytest.raises(UsageError, match="suites are judged by surprisal"):
            score(model, f"sg:{suites}", measure="surprisal_per_token")


class TestPrecomputed:
    def test_a_table_is_scored_as_a_model(self, suites: Path, tmp_path: Path) -> None:
        file = surprisal_table(tmp_path / "letters.tsv", suites)
        found = only(f"surprisals:{file}", suites / "choice.json")
        assert regions_of(found, "choice/1")["good"] == {"1": 8.0, "2": 3.0, "3": 9.0}
        assert found.frame()["item_correct"].to_list() == [1.0, 0.0]  # has is shorter than have

    def test_a_sentence_that_lacks_spoils_its_suite_alone(
        self, suites: Path, tmp_path: Path
    ) -> None:
        file = surprisal_table(tmp_path / "letters.tsv", suites, leave_out="nurse have")
        run = score(f"surprisals:{file}", f"sg:{suites}", out=tmp_path / "run")
        assert run.results[0].summary.by_set().keys() == {"garden", "mvrr", "mvrr_mod"}
        (line,) = run.failures
        assert "choice.json: item 1, condition 'bad': " in line
        assert "letters.tsv: no surprisals of the sentence 'The nurse have forgotten'" in line

    def test_a_surprisal_that_is_no_number_spoils_its_suite_alone(
        self, suites: Path, tmp_path: Path
    ) -> None:
        file = surprisal_table(tmp_path / "letters.tsv", suites, spoil="forgotten")
        (line,) = score(f"surprisals:{file}", f"sg:{suites}").failures
        assert "choice.json: item 1, condition 'good': " in line
        assert "the surprisal of 'forgotten' is 'many'; write a number" in line

    def test_if_no_suite_can_be_judged_the_first_reason_is_the_error(
        self, suites: Path, tmp_path: Path
    ) -> None:
        file = surprisal_table(tmp_path / "letters.tsv", suites, leave_out="nurse have")
        with pytest.raises(DataError, match="no surprisals of the sentence"):
            only(f"surprisals:{file}", suites / "choice.json")

    def test_a_table_without_ends_cannot_give_them(self, suites: Path, tmp_path: Path) -> None:
        file = surprisal_table(tmp_path / "letters.tsv", suites)
        with pytest.raises(DataError, match="is not one token of its own; use `eos=exclude`"):
            only(f"surprisals:{file}", suites / "choice.json", eos="last-region")

    def test_a_table_that_is_not_there_is_one_line(self, suites: Path) -> None:
        with pytest.raises(ModelError, match=r"no table gone\.tsv"):
            score("surprisals:gone.tsv", f"sg:{suites}")


class TestExport:
    def test_evaluated_suites_have_every_regions_value(
        self, suites: Path, model: str, tmp_path: Path
    ) -> None:
        score(model, f"sg:{suites}", out=tmp_path / "run", limit=1)
        made = export(load_run(tmp_path / "run"), "syntaxgym", tmp_path / "out")
        assert {p.name for p in made} == {f"{n}.json" for n in ("garden", "choice", "mvrr",
                                                               "mvrr_mod")}  # fmt: skip
        data = json.loads((tmp_path / "out/tiny/small/choice.json").read_text())
        frame = polars.read_parquet(tmp_path / "run/tiny/small/regions.parquet")
        kept = frame.filter(polars.col("item") == "choice/1")["surprisal"].to_list()
        written = [
            region["metric_value"]["sum"]
            for condition in data["items"][0]["conditions"]
            for region in condition["regions"]
        ]
        assert written == kept
        assert data["meta"]["model"] == "tiny"

    def test_suites_that_have_changed_are_not_exported(
        self, suites: Path, model: str, tmp_path: Path
    ) -> None:
        score(model, f"sg:{suites}", out=tmp_path / "run")
        changed = choice()
        changed["items"][0]["conditions"][0]["regions"][0]["content"] = "The lawyer"
        save(suites, changed)
        with pytest.raises(RunError, match="choice has changed since"):
            export(load_run(tmp_path / "run"), "syntaxgym", tmp_path / "out")

    def test_csv_has_the_values_as_json_and_pair_formats_have_no_place(
        self, suites: Path, model: str, tmp_path: Path
    ) -> None:
        score(model, f"sg:{suites}", out=tmp_path / "run")
        (made,) = export(load_run(tmp_path / "run"), "csv", tmp_path / "out")
        cell = polars.read_csv(made)["values"][0]
        assert json.loads(cell)[0].keys() == {"condition", "region", "surprisal"}
        with pytest.raises(RunError, match="has only suites, which lm-eval cannot hold"):
            export(load_run(tmp_path / "run"), "lm-eval", tmp_path / "out")

    def test_a_run_of_pairs_has_no_suites_to_export(
        self, pairs: Path, model: str, tmp_path: Path
    ) -> None:
        score(model, f"pairs:{pairs}", out=tmp_path / "run")
        with pytest.raises(RunError, match="has no result on suites; score `on=sg:PATH`"):
            export(load_run(tmp_path / "run"), "syntaxgym", tmp_path / "out")


def test_our_own_suites_are_read_with_their_circuits() -> None:
    found, refused = read_sg("", 2)
    assert refused == []
    assert all(s.taxonomy and len(s) == 2 for s in found)
