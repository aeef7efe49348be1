"""lm-evaluation-harness: our pairs as its tasks, and our engine as its model."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

from priscian import export_tasks, load_model, score
from priscian.bridges.lm_eval import write_tasks
from priscian.bridges.lm_eval_engine import Engine, register
from priscian.cli.app import run as run_command
from priscian.errors import UsageError
from priscian.records import Item, ItemSet, Sentence

pytestmark = pytest.mark.filterwarnings("ignore:.*worse than guessing")
HARNESS = find_spec("lm_eval") is not None
needs_harness = pytest.mark.skipif(
    not HARNESS, reason="lm-evaluation-harness is not installed; pip install lm-eval"
)


def read_yaml(path: Path) -> dict[str, Any]:
    """Our YAML files: every value is JSON."""
    lines = (line.partition(": ") for line in path.read_text("utf-8").splitlines())
    return {key: msgspec.json.decode(value) for key, _, value in lines}


class TestTasks:
    def test_a_set_is_a_task_and_a_data_set_a_group(self, blimp: Path, tmp_path: Path) -> None:
        made = export_tasks(f"blimp:{blimp}", tmp_path / "tasks")
        assert sorted(made) == sorted((tmp_path / "tasks").iterdir())
        group = read_yaml(made[0])
        assert group["group"] == "priscian_tiny-blimp"
        assert group["task"] == [f"priscian_tiny-blimp_odd_{n}" for n in ("one", "plain", "two")]
        # the mean over sets, however many pairs each has
        (mean,) = group["aggregate_metric_list"]
        assert mean == {"metric": "acc", "aggregation": "mean", "weight_by_size": False}
        for name in group["task"]:
            task = read_yaml(tmp_path / "tasks" / f"{name}.yaml")
            rows = Path(task["dataset_kwargs"]["data_files"]["test"])
            assert (task["task"], rows.name, rows.is_absolute()) == (name, f"{name}.jsonl", True)
            assert (task["dataset_path"], task["target_delimiter"]) == ("json", "")

    def test_a_tie_counts_as_wrong_because_the_bad_sentence_is_the_first_choice(
        self, blimp: Path, tmp_path: Path
    ) -> None:
        made = export_tasks(f"blimp:{blimp}", tmp_path, limit=1, only="odd_one")
        assert len(made) == 3
        task = read_yaml(made[1])
        (doc,) = map(json.loads, made[2].read_text("utf-8").splitlines())
        assert doc["choices"] == [doc["sentence_bad"], doc["sentence_good"]]
        assert (task["doc_to_choice"], task["doc_to_target"]) == ("choices", 1)

    def test_names_have_no_comma_and_stay_different(self, tmp_path: Path) -> None:
        pair = {"good": Sentence("Owls hoot."), "bad": Sentence("Owls hoots.")}
        sets = [ItemSet(n, (Item(f"{n}/0", pair),)) for n in ("a,b", "a-b", "../a", "deu/SV-#")]
        made = write_tasks({"x,y": sets}, tmp_path / "tasks")
        assert len(made) == len(set(made)) == 9
        assert all("," not in p.name and p.parent == tmp_path / "tasks" for p in made)

    def test_tasks_of_two_data_sets_never_share_a_file(self, tmp_path: Path) -> None:
        def one(name: str, text: str) -> list[ItemSet]:
            pair = {"good": Sentence(text), "bad": Sentence(f"{text} not")}
            return [ItemSet(name, (Item(f"{name}/0", pair),))]

        data = {"a b": one("c", "One."), "a-b": one("c", "Two.")}
        data |= {"a": one("b_c", "Three."), "a_b": one("c", "Four.")}
        made = write_tasks(data, tmp_path / "tasks")
        assert len(set(made)) == len(made) == 12
        rows = [json.loads(p.read_text())["set"] for p in made if p.suffix == ".jsonl"]
        texts = [json.loads(p.read_text())["sentence_good"] for p in made if p.suffix == ".jsonl"]
        assert (rows, texts) == (["c", "c", "b_c", "c"], ["One.", "Two.", "Three.", "Four."])
        for group, task in zip(made[::3], made[1::3], strict=True):
            assert read_yaml(group)["task"] == [task.stem] == [read_yaml(task)["task"]]

    def test_suites_and_different_contexts_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="has no pairs; lm-eval tasks are made of pairs only"):
            export_tasks("generated-sg:1,2,number_src", tmp_path / "tasks")
        pair = {"good": Sentence("A.", context="x "), "bad": Sentence("B.", context="y ")}
        with pytest.raises(UsageError, match="s/0: its sentences have different contexts"):
            write_tasks({"d": [ItemSet("s", (Item("s/0", pair),))]}, tmp_path)

    def test_the_command_names_the_group(
        self, blimp: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "tasks"
        assert run_command(["export-tasks", "--on", f"blimp:{blimp}", "--out", str(out)]) == 0
        assert capsys.readouterr().out == f"{out / 'priscian_tiny-blimp.yaml'}: 3 tasks\n"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the engine uses of the harness's requests."""

    args: tuple[Any, ...]
    idx: int = 0
    doc_id: int | None = 0
    task_name: str | None = "toy"


class TestEngine:
    @pytest.fixture
    def model(self, causal: Callable[..., Path]) -> str:
        return f"hf:{causal('gpt2')}"

    def test_answers_are_the_sums_of_our_own_scores(self, model: str) -> None:
        pairs = [("", "The cat sleeps."), ("The dog", " sleeps."), ("The dog ", "sleeps.")]
        found = Engine(model=model).loglikelihood([Asked(p, n) for n, p in enumerate(pairs)])
        ours = load_model(model)
        wanted = [ours.logprob(text, context=context) for context, text in pairs]
        assert [total for total, _ in found] == pytest.approx(wanted, abs=1e-4)
        assert [greedy for _, greedy in found] == [False] * 3
        # a space at the end of a context belongs to what follows, as in the harness
        assert found[1][0] == pytest.approx(found[2][0], abs=1e-4)

    def test_stored_scores_are_used_without_loading_the_model(
        self, model: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = [Asked(("", "The cat sleeps."), n) for n in (0, 1)]
        first = Engine(model=model).loglikelihood(asked)
        monkeypatch.setattr(
            "priscian.models.ResolvedModel.load", lambda *spec: pytest.fail("loaded")
        )
        assert Engine(model=model).loglikelihood(asked) == first

    def test_rolling_is_the_sum_of_the_whole_text(self, model: str) -> None:
        (found,) = Engine(model=model).loglikelihood_rolling([Asked(("The cat sleeps.",))])
        assert found == pytest.approx(load_model(model).logprob("The cat sleeps."), abs=1e-4)

    def test_arguments_of_the_harness_name_the_model(self, causal: Callable[..., Path]) -> None:
        folder = causal("gpt2")
        engine = Engine(
            pretrained=str(folder), dtype="float32", batch_size=1, device="cuda:0", workers=1
        )
        assert str(engine.spec) == f"hf:{folder}?dtype=float32"
        for wrong in ({}, {"model": "a", "pretrained": "b"}):
            with pytest.raises(UsageError, match="needs one of model=STRING and pretrained=ID"):
                Engine(**wrong)

    def test_what_we_do_not_compute_is_refused(self, model: str) -> None:
        engine = Engine(model=model)
        with pytest.raises(UsageError, match="toy asks whether a text is the model's first choice"):
            engine.loglikelihood([Asked(("", "The cat."), 0, n) for n in (0, 1)])
        with pytest.raises(UsageError, match="toy needs generated text"):
            engine.generate_until([Asked(("The cat", {}))])


@pytest.mark.skipif(HARNESS, reason="lm-evaluation-harness is installed")
def test_without_the_harness_one_line_says_what_to_install(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(UsageError, match=r"pip install .*'.\[lm-eval\]'"):
        register()
    assert run_command(["lm-eval", "--", "--tasks", "x"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert run_command(["lm-eval", "--help"]) == 0
    assert "priscian lm-eval -- --model priscian" in capsys.readouterr().out
    assert run_command(["lm-eval"]) == 2
    assert "no arguments for lm-eval" in capsys.readouterr().err


@needs_harness
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
class TestInTheHarness:
    def test_both_models_give_our_accuracies_and_sums(
        self, causal: Callable[..., Path], blimp: Path, tmp_path: Path
    ) -> None:
        import lm_eval
        from lm_eval.tasks import TaskManager

        register()
        folder = causal("gpt2")
        made = export_tasks(f"blimp:{blimp}", tmp_path / "tasks")
        run = score(f"hf:{folder}", f"blimp:{blimp}", out=tmp_path / "run")
        own = {n: c.accuracy for n, c in run.results[0].summary.by_set("full").items()}
        sums = {
            (row["item"], side): row[f"score_{side}"]
            for row in run.results[0].choices("full").to_dicts()
            for side in ("good", "bad")
        }
        for model, arguments in (
            ("priscian", f"model=hf:{folder}"),
            ("hf", f"pretrained={folder},dtype=float32"),
        ):
            found = lm_eval.simple_evaluate(
                model=model,
                model_args=arguments,
                tasks=[made[0].stem],
                task_manager=TaskManager(include_path=str(tmp_path / "tasks")),
                device="cpu",
                bootstrap_iters=0,
            )
            for samples in found["samples"].values():
                task = f"priscian_tiny-blimp_{samples[0]['doc']['set']}"
                assert found["results"][task]["acc,none"] == own[samples[0]["doc"]["set"]]
                for sample in samples:
                    for side, answer in zip(("bad", "good"), sample["resps"], strict=True):
                        wanted = sums[sample["doc"]["item"], side]
                        assert float(answer[0][0]) == pytest.approx(wanted, abs=1e-4)

    def test_the_command_runs_the_harness(
        self, blimp: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        export_tasks(f"blimp:{blimp}", tmp_path / "tasks", limit=2)
        arguments = ["--model", "priscian", "--model_args", "model=builtin:ngram"]
        arguments += ["--include_path", str(tmp_path / "tasks"), "--tasks", "priscian_tiny-blimp"]
        assert run_command(["lm-eval", "--", *arguments]) == 0
        assert "priscian_tiny-blimp_odd_one" in capsys.readouterr().out
        assert run_command(["lm-eval", "--", *arguments[:-1], "no_such_task"]) == 2
        assert "priscian: lm-eval: " in capsys.readouterr().err
