"""A run: what is computed, what its files hold, what is refused and what is warned of."""

from __future__ import annotations

import json
import math
import shutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import polars
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from priscian import load_run, read_dataset, score
from priscian.errors import (
    ModelError,
    OutputError,
    PriscianWarning,
    RunError,
    UnknownNameError,
    UsageError,
)
from priscian.models import model_key
from priscian.records import Text, TokenScores
from priscian.scoring import Options, ScoreStore
from priscian.scoring.plan import pack_bits
from priscian.stats.proportions import wilson

# a random model is no better than a guess, and Priscian says so
pytestmark = pytest.mark.filterwarnings("ignore:.*worse than guessing", "ignore:.*was not finished")


def token_logps(folder: Path, text: str) -> list[tuple[int, float]]:
    """Where each token starts and its log-probability, by Transformers alone."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    code = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    ids = torch.tensor([[0, *code["input_ids"]]])
    with torch.no_grad():
        logps = model(ids).logits[0, :-1].log_softmax(-1).gather(1, ids[0, 1:, None])[:, 0]
    return [(s, p) for (s, _), p in zip(code["offset_mapping"], logps.tolist(), strict=True)]


def weigh(folder: Path, factor: float) -> None:
    """Multiply the final layer norm, and so every logit."""
    path = folder / "model.safetensors"
    weights = {name: tensor.clone() for name, tensor in load_file(path).items()}
    weights["transformer.ln_f.weight"] *= factor
    save_file(weights, path, metadata={"format": "pt"})


class TestFiles:
    def test_items_hold_what_transformers_alone_says(
        self, causal: Callable[..., Path], blimp: Path, tmp_path: Path
    ) -> None:
        folder = causal("gpt2")
        run = score(f"hf:{folder}?name=tiny", f"blimp:{blimp}", out=tmp_path / "run")
        frame = polars.read_parquet(tmp_path / "run/tiny/tiny-blimp/items.parquet")
        assert frame.columns == [
            "model", "data", "field", "phenomenon", "set", "item", "method", "score_good",
            "score_bad", "delta", "correct", "tie", "oov_good", "oov_bad", "text_good", "text_bad",
        ]  # fmt: skip
        assert frame.equals(run.results[0].frame())
        counts = dict(frame.group_by("set", "method").len().select("set", "len").iter_rows())
        assert frame.height == 4 + 2 * 4 + 2 * 3
        assert counts == {"odd_plain": 4, "odd_one": 4, "odd_two": 3}
        for item in frame.iter_rows(named=True):
            for side in ("good", "bad"):
                text = item[f"text_{side}"]
                tokens = token_logps(folder, text)
                start, end = 0, len(text)
                if item["method"] != "full":
                    word = "have" if (item["method"], side) == ("one_prefix", "bad") else "has"
                    start = text.index(f" {word} ")
                    end = start + 1 + len(word)
                wanted = math.fsum(p for at, p in tokens if start <= at < end)
                assert item[f"score_{side}"] == pytest.approx(wanted, abs=1e-3)
            assert item["delta"] == pytest.approx(item["score_good"] - item["score_bad"])
            assert item["correct"] == float(item["delta"] > 1e-6)

    def test_the_summary_has_the_shape_that_is_promised(
        self, causal: Callable[..., Path], blimp: Path, tmp_path: Path
    ) -> None:
        run = score(f"hf:{causal('gpt2')}?name=tiny", f"blimp:{blimp}", out=tmp_path / "run")
        folder = tmp_path / "run/tiny/tiny-blimp"
        summary = json.loads((folder / "summary.json").read_text())
        assert summary == json.loads(json.dumps(run["tiny", "tiny-blimp"].summary.to_dict()))
        assert (summary["kind"], summary["format"]) == ("pairs", 2)
        assert (summary["model"], summary["data"]) == ("tiny", "tiny-blimp")
        methods = summary["methods"]
        assert set(methods) == {"full", "one_prefix", "two_prefix"}
        for method in methods.values():
            assert set(method) == {"overall", "fields", "phenomena", "levels", "paradigms"}
            cells = [method["overall"]]
            cells += [c for k in ("fields", "phenomena", "paradigms") for c in method[k].values()]
            assert all(set(cell) == {"accuracy", "n", "ties", "ci"} for cell in cells)
        assert set(methods["full"]["fields"]) == {"syntax", "morphology"}
        assert set(methods["full"]["phenomena"]) == {"islands", "binding", "agreement"}
        assert set(methods["one_prefix"]["paradigms"]) == {"odd_one"}
        assert set(methods["two_prefix"]["paradigms"]) == {"odd_two"}

        frame = polars.read_parquet(folder / "items.parquet")
        full = frame.filter(polars.col("method") == "full")
        means = dict(full.group_by("set").agg(polars.col("correct").mean()).iter_rows())
        for uid, cell in methods["full"]["paradigms"].items():
            assert cell["accuracy"] == pytest.approx(means[uid])
            assert cell["ci"] == pytest.approx(list(wilson(means[uid], cell["n"])))
        # unweighted mean of paradigms, though one has fewer items
        assert methods["full"]["overall"]["accuracy"] == pytest.approx(sum(means.values()) / 3)
        assert methods["full"]["overall"]["n"] == 11
        syntax = (means["odd_plain"] + means["odd_one"]) / 2
        assert methods["full"]["fields"]["syntax"]["accuracy"] == pytest.approx(syntax)

    def test_run_json_holds_what_is_needed_to_repeat_it(
        self, causal: Callable[..., Path], blimp: Path, tmp_path: Path
    ) -> None:
        folder = causal("gpt2")
        score(f"hf:{folder}?name=tiny", f"blimp:{blimp}", out=tmp_path / "run", limit=2, seed=5)
        run = json.loads((tmp_path / "run/run.json").read_text())
        assert run["status"] == "finished"
        request = run["request"]
        assert (request["limit"], request["seed"], request["tie"]) == (2, 5, "wrong")
        assert request["models"] == [f"hf:{folder}?name=tiny"]
        (sets,) = (d["sets"] for d in request["data"].values())
        want = {s.name: s.content_hash[:16] for s in read_dataset(f"blimp:{blimp}", limit=2).sets}
        assert {name: s["hash"] for name, s in sets.items()} == want
        model = run["models"]["tiny"]
        assert model["digest"] == model_key(f"hf:{folder}").digest
        assert model["computed"] == model["texts"] == 12
        assert model["plan"]["error"] <= 1e-4
        assert "<|endoftext|>" in model["notes"]["bos"]
        assert {"python", "torch", "transformers", "numpy"} <= set(run["environment"])

    def test_nothing_is_written_without_out(
        self, causal: Callable[..., Path], pairs: Path, in_folder: Path
    ) -> None:
        before = sorted(in_folder.rglob("*"))
        assert score(f"hf:{causal('gpt2')}", f"pairs:{pairs}").path is None
        assert sorted(in_folder.rglob("*")) == before


class TestSeveral:
    def test_models_of_one_label_get_folders_of_their_own(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        one = shutil.copytree(causal("gpt2"), tmp_path / "a/model")
        two = shutil.copytree(causal("gpt2", n_layer=1), tmp_path / "b/model")
        run = score([f"hf:{one}", f"hf:{two}"], f"pairs:{pairs}", out=tmp_path / "run")
        folders = sorted(p.name for p in (tmp_path / "run").iterdir() if p.is_dir())
        digests = sorted(f"model-{model_key(f'hf:{m}').digest[:6]}" for m in (one, two))
        assert folders == digests
        a, b = (r.frame()["score_good"].to_list() for r in run.results)
        assert a != b

    def test_labels_that_make_the_same_folder_name_are_told_apart(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        models = [f"hf:{causal('gpt2')}?name=a b", f"hf:{causal('gpt2', n_layer=1)}?name=a-b"]
        run = score(models, f"pairs:{pairs}", out=tmp_path / "run")
        assert len({r.model for r in run.results}) == 2
        assert len([p for p in (tmp_path / "run").iterdir() if p.is_dir()]) == 2

    def test_a_model_named_twice_is_scored_once(
        self, causal: Callable[..., Path], pairs: Path
    ) -> None:
        string = f"hf:{causal('gpt2')}"
        assert len(score([string, string, f"{string}?device=cpu"], f"pairs:{pairs}").results) == 1

    def test_two_models_on_two_data_sets(
        self, causal: Callable[..., Path], blimp: Path, pairs: Path, tmp_path: Path
    ) -> None:
        models = [f"hf:{causal('gpt2')}?name=one", f"hf:{causal('llama')}?name=two"]
        run = score(models, [f"blimp:{blimp}", f"pairs:{pairs}"], out=tmp_path / "run")
        found = {(r.model, r.data) for r in run.results}
        assert found == {(m, d) for m in ("one", "two") for d in ("tiny-blimp", "pairs")}
        made = {p.parent.relative_to(tmp_path / "run").as_posix()
                for p in (tmp_path / "run").glob("*/*/summary.json")}  # fmt: skip
        assert made == {f"{m}/{d}" for m, d in found}
        with pytest.raises(KeyError):
            run["three", "pairs"]

    def test_two_data_sets_of_one_name_are_refused(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        other = tmp_path / "other" / "pairs.csv"
        other.parent.mkdir()
        shutil.copy(pairs, other)
        with pytest.raises(UsageError, match=r"two data sets are called 'pairs'; rename"):
            score(f"hf:{causal('gpt2')}", [f"pairs:{pairs}", f"pairs:{other}"])

    def test_checkpoints_are_swept(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        for step, layers in (("step10", 1), ("step2", 2)):
            shutil.copytree(causal("gpt2", n_layer=layers), tmp_path / "run1" / step)
        run = score(f"hf:{tmp_path}/run1", f"pairs:{pairs}", revisions="step*")
        assert [r.model for r in run.results] == ["run1@step2", "run1@step10"]


class TestStore:
    def test_a_second_run_computes_nothing(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        string = f"hf:{causal('gpt2')}?name=m"
        for name in ("one", "two"):
            score(string, f"pairs:{pairs}", out=tmp_path / name)
        one, two = (
            json.loads((tmp_path / n / "run.json").read_text())["models"]["m"]
            for n in ("one", "two")
        )
        assert (one["computed"], two["computed"]) == (4, 0)

    def test_a_store_that_was_given_stays_open(
        self, causal: Callable[..., Path], pairs: Path
    ) -> None:
        store = ScoreStore()
        for _ in range(2):
            score(f"hf:{causal('gpt2')}", f"pairs:{pairs}", store=store)
        assert store.models()[0].texts == 4

    def test_measures_and_ties_need_no_model(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        store, folder = ScoreStore(), tmp_path / "model"
        shutil.copytree(causal("gpt2"), folder)
        plain = score(f"hf:{folder}", f"pairs:{pairs}", store=store).results[0].frame()
        broken = "priscian.models.ResolvedModel.load"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(broken, lambda spec: pytest.fail("the model was loaded"))
            mean = score(
                f"hf:{folder}", f"pairs:{pairs}", store=store, measure="surprisal_per_char"
            )
        for whole, part in zip(
            plain.iter_rows(named=True), mean.results[0].frame().iter_rows(named=True), strict=True
        ):
            length = len(whole["text_good"])
            assert part["score_good"] == pytest.approx(whole["score_good"] / length)


class TestResume:
    def test_an_existing_run_is_refused_and_resumed(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        string, out = f"hf:{causal('gpt2')}", tmp_path / "run"
        first = score(string, f"pairs:{pairs}", out=out).results[0].frame()
        with pytest.raises(RunError, match=r"is not empty; continue it with `resume=True`"):
            score(string, f"pairs:{pairs}", out=out)
        again = score(string, f"pairs:{pairs}", out=out, resume=True).results[0].frame()
        assert again.equals(first)

    @pytest.mark.parametrize(
        ("name", "change"),
        [("limit", {"limit": 1}), ("tie", {"tie": "half"}), ("seed", {"seed": 1}),
         ("measure", {"measure": "surprisal_per_token"})],
    )  # fmt: skip
    def test_other_settings_are_refused(
        self, name: str, change: dict[str, object], causal: Callable[..., Path], pairs: Path,
        tmp_path: Path,
    ) -> None:  # fmt: skip
        string, out = f"hf:{causal('gpt2')}", tmp_path / "run"
        score(string, f"pairs:{pairs}", out=out)
        with pytest.raises(RunError, match=rf"other settings \(.*{name}.*\).*another `out=`"):
            score(string, f"pairs:{pairs}", out=out, resume=True, **change)  # type: ignore[arg-type]

    def test_other_models_and_other_data_are_refused(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        string, out = f"hf:{causal('gpt2')}", tmp_path / "run"
        score(string, f"pairs:{pairs}", out=out)
        with pytest.raises(RunError, match=r"other settings \(models\)"):
            score(f"{string}?bos=none", f"pairs:{pairs}", out=out, resume=True)
        pairs.write_text(pairs.read_text() + "One more.,More one.\n")
        with pytest.raises(RunError, match=r"other settings \(data\)"):
            score(string, f"pairs:{pairs}", out=out, resume=True)

    def test_weights_that_have_changed_are_refused(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        folder, out = tmp_path / "model", tmp_path / "run"
        shutil.copytree(causal("gpt2"), folder)
        score(f"hf:{folder}", f"pairs:{pairs}", out=out)
        weigh(folder, 2.0)
        with pytest.raises(RunError, match=r"its files have changed; give another `out=`"):
            score(f"hf:{folder}", f"pairs:{pairs}", out=out, resume=True)

    def test_an_interrupted_run_goes_on_under_its_plan_and_ends_the_same(
        self, causal: Callable[..., Path], blimp: Path, tmp_path: Path
    ) -> None:
        string, data, few = f"hf:{causal('gpt2')}", f"blimp:{blimp}", Options(batch_tokens=24)
        calm = score(string, data, out=tmp_path / "calm", store=ScoreStore(), compute=few)

        def stop(name: str, done: int, total: int) -> None:
            if done > total // 2:
                raise KeyboardInterrupt

        store, out = ScoreStore(), tmp_path / "rough"
        with pytest.raises(KeyboardInterrupt):
            score(string, data, out=out, store=store, compute=few, watch=stop)
        kept = store.models()[0].texts
        total = len({t for r in calm.results[0].frame().iter_rows(named=True)
                     for t in (r["text_good"], r["text_bad"])})  # fmt: skip
        assert 0 < kept < total
        began = json.loads((out / "run.json").read_text())
        assert began["status"] == "running"
        rough = score(string, data, out=out, store=store, resume=True)  # other options: old plan
        ended = json.loads((out / "run.json").read_text())
        (before,), (after,) = began["models"].values(), ended["models"].values()
        assert after["plan"] == before["plan"]
        assert after["computed"] == total - kept
        assert rough.results[0].frame().equals(calm.results[0].frame())
        assert rough.results[0].overall == calm.results[0].overall

    def test_a_plan_of_another_version_or_another_size_is_refused(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        string, out = f"hf:{causal('gpt2')}?name=m", tmp_path / "run"
        score(string, f"pairs:{pairs}", out=out)
        path = out / "run.json"
        whole = json.loads(path.read_text())
        with ScoreStore(tmp_path / "empty.sqlite") as store:
            for change, told in (
                ({"colour": "red"}, r"saved plan is not from this version"),
                ({"pending": pack_bits([True] * 99)}, r"another number of texts; start a new run"),
            ):
                changed = json.loads(path.read_text())
                changed["models"]["m"]["plan"] = whole["models"]["m"]["plan"] | change
                path.write_text(json.dumps(changed))
                with pytest.raises(RunError, match=told):
                    score(string, f"pairs:{pairs}", out=out, resume=True, store=store)

    def test_a_store_that_was_pruned_meanwhile_is_filled_again(
        self, causal: Callable[..., Path], blimp: Path, tmp_path: Path
    ) -> None:
        string, out = f"hf:{causal('gpt2')}", tmp_path / "run"
        with ScoreStore(tmp_path / "s.sqlite") as store:
            score(string, f"blimp:{blimp}", limit=1, store=store)
            first = score(string, f"blimp:{blimp}", out=out, store=store)
            a = first.results[0].frame()
            store.prune([model_key(string).digest])
            again = score(string, f"blimp:{blimp}", out=out, store=store, resume=True)
        b = again.results[0].frame()
        assert a["score_good"].to_list() == pytest.approx(b["score_good"].to_list(), abs=1e-3)
        if not a.equals(b):  # the table of the first run is no longer there
            with pytest.raises(RunError, match="is not the file that belongs to this result"):
                first.results[0].frame()


class TestRefusals:
    def test_unknown_measures_and_tie_rules(self) -> None:
        with pytest.raises(UnknownNameError, match=r"did you mean surprisal"):
            score("hf:x", "pairs:y", measure="surprise")
        with pytest.raises(UsageError, match=r"no tie rule 'vote:2'"):
            score("hf:x", "pairs:y", tie="vote:2")

    def test_no_model_and_no_data(self, pairs: Path) -> None:
        with pytest.raises(UsageError, match=r"name at least one model"):
            score([], f"pairs:{pairs}")
        with pytest.raises(UsageError, match=r"name at least one data set"):
            score("hf:x", [])

    def test_a_full_disk_leaves_the_scores_and_says_so(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:  # fmt: skip
        def full(self: object, path: object) -> None:
            raise OSError(28, "No space left on device")

        string, store = f"hf:{causal('gpt2')}", ScoreStore()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(polars.DataFrame, "write_parquet", full)
            with pytest.raises(OutputError, match=r"No space left on device; free some space"):
                score(string, f"pairs:{pairs}", out=tmp_path / "run", store=store)
        assert store.models()[0].texts == 4
        assert not list((tmp_path / "run").rglob("summary.json"))
        run = score(string, f"pairs:{pairs}", out=tmp_path / "run", store=store, resume=True)
        assert len(run.results) == 1
        assert list((tmp_path / "run").rglob("summary.json"))


class TestAbsurdity:
    def test_worse_than_a_uniform_guess_is_said_loudly(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        folder = tmp_path / "model"
        shutil.copytree(causal("gpt2"), folder)
        weigh(folder, -20.0)
        with pytest.warns(PriscianWarning, match=r"worse than guessing among its 400 tokens.*bos"):
            score(f"hf:{folder}", f"pairs:{pairs}")

    def test_a_uniform_model_is_not_worse_than_guessing(
        self, causal: Callable[..., Path], pairs: Path, tmp_path: Path
    ) -> None:
        folder = tmp_path / "model"
        shutil.copytree(causal("gpt2"), folder)
        weigh(folder, 1e-4)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run = score(f"hf:{folder}", f"pairs:{pairs}")
        per_token = score(f"hf:{folder}", f"pairs:{pairs}", measure="surprisal_per_token")
        assert run.results[0].summary.headline.n == 2
        found = per_token.results[0].frame()["score_good"].to_list()
        assert found == pytest.approx([-math.log(400)] * 2, rel=1e-3)


class Broken:
    """A model that fails on the first text, or after some."""

    version = "1"

    def __init__(self, after: int = 0) -> None:
        self.after = after

    def score(self, texts: Sequence[Text]) -> Iterator[TokenScores]:
        for number, text in enumerate(texts):
            if number >= self.after:
                raise ModelError("the machine is on fire; put it out")
            yield TokenScores((0,), (len(text.text),), (-1.0,))


class TestFailures:
    def test_a_run_that_fails_before_its_first_score_leaves_no_folder(
        self, pairs: Path, tmp_path: Path
    ) -> None:
        for _ in range(2):
            with pytest.raises(ModelError, match="on fire"):
                score(Broken(), f"pairs:{pairs}", out=tmp_path / "run")
            assert not (tmp_path / "run").exists()

    def test_an_empty_folder_that_was_there_stays(self, pairs: Path, tmp_path: Path) -> None:
        (tmp_path / "run").mkdir()
        with pytest.raises(ModelError, match="on fire"):
            score(Broken(), f"pairs:{pairs}", out=tmp_path / "run")
        assert score("builtin:ngram", f"pairs:{pairs}", out=tmp_path / "run").finished

    def test_a_second_model_that_fails_is_told_of_when_the_run_is_resumed(
        self, pairs: Path, tmp_path: Path
    ) -> None:
        models = ["builtin:ngram", Broken()]
        with pytest.raises(ModelError, match="on fire"):
            score(models, f"pairs:{pairs}", out=tmp_path / "run")
        run = load_run(tmp_path / "run")
        assert (run.info.status, run.info.error) == ("failed", "the machine is on fire; put it out")
        assert [r.model for r in run] == ["builtin:ngram"]
        assert len(run.missing) == 1
        told = r"not finished: the machine is on fire; put it out\. 1 of 2 results exist"
        with (
            pytest.warns(PriscianWarning, match=told),
            pytest.raises(ModelError, match="on fire"),
        ):
            score(models, f"pairs:{pairs}", out=tmp_path / "run", resume=True)
