"""`openai:URL` against a server that behaves like vLLM, llama-cpp-python or llama-server."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.hostile import answer as hostile_answer
from tests.hostile import hostile
from tests.models.remote.stand_in import StandInModel, StandInServer, answer

import priscian
from priscian.errors import BackendError, UsageError
from priscian.files.web import Reply, RequestLimits, WebError
from priscian.models import load, model_key
from priscian.models.remote import openai as http
from priscian.models.remote import provider as remote_model
from priscian.models.remote.backend import PromptEncoder
from priscian.models.remote.openai import Server
from priscian.records import Text
from priscian.scoring import score_texts
from priscian.scoring.store import ScoreStore

STYLES = ["vllm", "llama-cpp-python"]
TEXTS = [Text("She was looking at the painting."), Text("us!", context="Nobody admired ")]


def scores(string: str, texts: list[Text]) -> list[tuple[float, ...]]:
    return [s.logps for s in load(string).score(texts)]  # type: ignore[union-attr]


@pytest.mark.parametrize("style", STYLES)
def test_scores_are_those_of_the_model_for_the_texts_own_tokens(
    server: StandInServer, string: str, encoder: PromptEncoder, style: str
) -> None:
    server.style = style
    found = load(string).score(TEXTS)  # type: ignore[union-attr]
    for text, scored in zip(TEXTS, found, strict=True):
        encoding = encoder.encode([text])[0]
        row = encoder.rows([text], [encoding])[0]
        wanted = answer(server.model, row).logps[encoding.first :]
        assert scored.logps == pytest.approx(wanted)
        assert scored.ends[-1] == len(text.text)
        assert scored.starts == encoding.starts


def test_ids_are_sent_with_bos_once_at_temperature_1(
    server: StandInServer, string: str, encoder: PromptEncoder
) -> None:
    load(string).score(TEXTS[:1])  # type: ignore[union-attr]
    body, row = server.bodies[-1], encoder.row(TEXTS[0].text)
    assert body["prompt"][-1] == list(row.ids)
    assert row.ids.count(encoder.bos) == 1
    wanted = {"echo": True, "max_tokens": 1, "temperature": 1.0, "add_special_tokens": False}
    assert {name: body[name] for name in wanted} == wanted
    assert set(server.paths) == {"/v1/completions"}


def test_a_server_that_takes_text_only_gets_the_same_tokens(
    server: StandInServer, string: str
) -> None:
    server.style = "llama-cpp-python"
    model = load(string)
    assert model.notes["requests"] == "text, 1 in a request"  # type: ignore[union-attr]
    assert server.bodies[-1]["prompt"].startswith("<|endoftext|>")


FAULTS = [
    ("shifted left", "shifted by a token"),
    ("shifted right", "shifted by a token"),
    ("truncated echo", "truncated"),
    ("obedient", "change with the sampling temperature"),
    ("cold", "too strong"),
    ("hot", "too weak"),
    ("doubled bos", "BOS"),
    ("doubled bos, hidden", "nothing precedes it: it puts a BOS"),
    ("log10", "above 1"),
]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("fault", "said"), FAULTS, ids=[fault for fault, _ in FAULTS])
def test_a_planted_fault_is_refused_before_anything_is_scored(
    server: StandInServer, string: str, style: str, fault: str, said: str
) -> None:
    server.style, server.fault = style, fault
    with pytest.raises(BackendError, match=said):
        model_key(string)


def test_another_model_behind_the_same_url_has_another_key(
    server: StandInServer, string: str, models: list[StandInModel]
) -> None:
    first = model_key(string)
    assert model_key(string) == first
    server.model = models[1]
    second = model_key(string)
    assert second != first
    server.model = models[0]
    assert model_key(string) == first


def test_a_model_swapped_during_a_run_is_refused_and_what_was_scored_is_kept(
    server: StandInServer, string: str, models: list[StandInModel], tmp_path: Path
) -> None:
    texts = [Text(f"Some geese admired {n} lawyers.") for n in range(130)]
    store = ScoreStore(tmp_path / "scores.sqlite")
    done: list[int] = []

    def progress(now: int, total: int) -> None:
        done.append(now)
        if now >= 64:
            server.model = models[1]

    key = model_key(string)
    with pytest.raises(BackendError, match="other log-probabilities than when the run began"):
        score_texts(string, texts, store, progress=progress)
    assert max(done) == 64
    assert store.missing(key, texts).count(False) == 64
    server.model = models[0]
    scored = score_texts(string, texts, store)
    assert scored.computed == 66
    assert scored.key == key


def test_the_canary_runs_again_after_10000_texts(
    server: StandInServer, string: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_model, "EVERY", 3)
    model = load(string)
    model.score(TEXTS)  # type: ignore[union-attr]
    server.fault = "obedient"  # does not show in the run's own requests
    with pytest.raises(BackendError, match="sampling temperature"):
        model.score(TEXTS)  # type: ignore[union-attr]


def test_the_error_of_batching_is_in_the_plan(
    server: StandInServer, string: str, tmp_path: Path
) -> None:
    server.fault = "noisy"
    with pytest.raises(BackendError, match=r"differ from each alone by 0\.05 nats"):
        model_key(string)
    store = ScoreStore(tmp_path / "scores.sqlite")
    plan = score_texts(f"{string}&tolerance=0.1", TEXTS, store).plan
    assert plan is not None
    assert plan.error == pytest.approx(0.05)


def test_a_run_records_the_canary(server: StandInServer, string: str, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("good,bad\nThe geese sleep.,The geese sleeps.\nShe sees us.,She see us.\n")
    run = priscian.score(string, f"pairs:{pairs}", out=tmp_path / "run")
    assert run.results[0].overall is not None
    (model,) = json.loads((tmp_path / "run" / "run.json").read_text())["models"].values()
    assert model["notes"]["canary"] == "passed"
    assert len(model["key"]["canary"]) == 32
    assert model["key"]["revision"] == "r1"


class TestServersThatCannotBeUsed:
    def test_no_server(self, tokenizer_folder: Path) -> None:
        string = f"openai:http://127.0.0.1:9/v1?revision=r&tokenizer={tokenizer_folder}"
        with pytest.raises(BackendError, match=r"no server at http://127\.0\.0\.1:9/v1 .*start it"):
            model_key(string)

    def test_a_server_that_stops_during_a_run(self, server: StandInServer, string: str) -> None:
        model: Any = load(string)
        model.backend.server = Server("http://127.0.0.1:9/v1")
        with pytest.raises(BackendError, match=r"no server at .* kept: repeat the command"):
            model.score(TEXTS)

    def test_llama_server_scores_generated_tokens_only(
        self, server: StandInServer, string: str
    ) -> None:
        server.style = "llama-server"
        with pytest.raises(BackendError, match=r"no log-probabilities of the prompt.*llamacpp:"):
            model_key(string)

    def test_a_chat_server_has_no_completions(self, server: StandInServer, string: str) -> None:
        server.style = "chat-only"
        with pytest.raises(BackendError, match=r"answered 404 \(Not Found\); check the URL"):
            model_key(string)

    def test_a_model_that_is_not_served(self, server: StandInServer, string: str) -> None:
        with pytest.raises(BackendError, match=r"no model 'other' \(toy\); correct model="):
            model_key(f"{string}&model=other")

    def test_another_tokenizer_with_the_place_where_it_differs(
        self, server: StandInServer, string: str
    ) -> None:
        from tokenizers import Tokenizer, models, pre_tokenizers

        server.style = "llama-cpp-python"
        letters = {c: n for n, c in enumerate(pre_tokenizers.ByteLevel.alphabet())}
        server.tokenizer = Tokenizer(models.BPE(letters, []))
        server.tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        with pytest.raises(BackendError, match=r"token 1 is '<' there and '<\|endoftext\|>' here"):
            model_key(string)

    def test_ids_that_are_not_those_that_were_sent(
        self, server: StandInServer, string: str, models: list[StandInModel]
    ) -> None:
        server.fault = "other ids"
        with pytest.raises(BackendError, match="no value for token 2"):
            model_key(string)

    def test_a_server_that_stays_busy(
        self, server: StandInServer, string: str, tmp_path: Path
    ) -> None:
        texts = [Text(f"The old nurse will forget {n} kites.") for n in range(70)]
        store, key = ScoreStore(tmp_path / "s.sqlite"), model_key(string)

        def progress(done: int, total: int) -> None:
            server.fail_after = len(server.bodies) if done >= 64 else None

        with pytest.raises(BackendError, match=r"answered 503 \(overloaded\).*kept: repeat the"):
            score_texts(string, texts, store, progress=progress)
        assert store.missing(key, texts).count(False) == 64

    def test_a_server_that_does_not_answer_in_time(
        self, server: StandInServer, string: str
    ) -> None:
        server.delay = 0.3
        with pytest.raises(BackendError, match=r"within 0\.05 s; raise timeout="):
            model_key(f"{string}&timeout=0.05")


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_again(server: StandInServer, string: str, status: int) -> None:
    model = load(string)
    server.failures = [status, status]
    found = model.score(TEXTS)  # type: ignore[union-attr]
    assert len(found) == 2
    assert all(math.isfinite(p) for s in found for p in s.logps)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("revision=r1&", ""), "needs revision="),
        (("tokenizer=", "name="), "needs tokenizer="),
        (("revision=r1", "revision=r1&tolerance=0"), "tolerance=0 is not"),
        (("revision=r1", "revision=r1&parallel=0"), "parallel=0 must be"),
        (("revision=r1", "revision=r1&dtype=float32"), "no option 'dtype'"),
        (("http://127", "ftp://127"), "not the address of a server"),
        (("http://127", "http://me:word@127"), "without user name or password; set PRIS"),
        (("http://127", "http://me%40127"), "without user name or password; set PRIS"),
        (("/v1?", "/v1\x1b[2J?"), "not the address of a server"),
    ],
)
def test_wrong_model_strings_say_what_is_missing(
    string: str, change: tuple[str, str], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        load(string.replace(*change))


class TransformersBehind:
    """A real network behind the stand-in server."""

    def __init__(self, folder: Path) -> None:
        self.hf: Any = load(f"hf:{folder}")

    def distributions(self, ids: list[int], temperature: float = 1.0) -> list[Any]:
        import torch

        with torch.inference_mode():
            logits = self.hf.model(input_ids=torch.tensor([ids])).logits[0].double()
        return list((logits / temperature).log_softmax(-1).numpy())


def test_a_served_network_equals_transformers_and_other_weights_are_refused(
    server: StandInServer, string: str, tmp_path: Path
) -> None:
    from tests.tiny import build_causal

    folder = build_causal("gpt2", tmp_path / "gpt2")
    with pytest.raises(BackendError, match="differs from reference="):
        load(f"{string}&reference={folder}")
    server.model = TransformersBehind(folder)  # type: ignore[assignment]
    own = f"{string}&calibration=ignore"  # random weights claim too much
    model: Any = load(f"{own}&reference={folder}")
    assert float(model.notes["difference from reference"].split()[0]) < 1e-4
    store = ScoreStore(tmp_path / "scores.sqlite")
    ours, theirs = (score_texts(m, TEXTS, store).scores for m in (f"hf:{folder}", own))
    for text in TEXTS:
        assert theirs[text].logps == pytest.approx(ours[text].logps, abs=1e-4)
        assert theirs[text].starts == ours[text].starts
        assert theirs[text].ends == ours[text].ends


def test_a_split_character_is_matched_by_its_bytes(
    server: StandInServer, string: str, encoder: PromptEncoder
) -> None:
    text = [Text("The café — closed.")]
    assert math.isfinite(sum(scores(string, text)[0]))
    server.style = "llama-cpp-python"  # its pieces of a split character cannot be joined
    model = load(f"{string}&name=text")
    with pytest.raises(BackendError, match="another way than tokenizer="):
        model.score(text)  # type: ignore[union-attr]


class TestTheTimeOfARequest:
    """`timeout=` is for a request with all its retries and pauses."""

    def posted(self, url: str, seconds: float) -> str:
        with pytest.raises(BackendError) as caught:
            Server(url, seconds).ask("x", dict[str, int], "a table", body={})
        return str(caught.value)

    def test_a_pause_that_would_go_beyond_it_is_not_made(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(http.time, "sleep", lambda seconds: pytest.fail("it waits"))
        for header in ("Retry-After: 3600", "Retry-After: inf", "Retry-After: 31"):
            busy = hostile_answer(b"{}", header, status="503 Busy")
            with hostile(lambda asked, busy=busy: [busy]) as web:
                assert "answered 503" in self.posted(web.url, 30)
                assert len(web.heard) == 1

    def test_the_last_try_has_what_is_left_of_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        clock = [0.0]
        given: list[float] = []
        monkeypatch.setattr(http.time, "monotonic", lambda: clock[0])
        monkeypatch.setattr(http.time, "sleep", lambda s: clock.__setitem__(0, clock[0] + s))

        def refused(url: str, limits: RequestLimits, **more: object) -> Reply:
            given.append(limits.seconds)
            clock[0] += 2
            raise WebError("broken", "it broke")

        monkeypatch.setattr("priscian.files.web.request", refused)
        assert "lost the connection" in self.posted("http://127.0.0.1:9", 30)
        assert given == [30, 27, 23, 17, 7]  # after 2 s each, and pauses of 1, 2, 4 and 8 s


@pytest.mark.parametrize("key", ["SECRET\nX-Other: 1", "SECRET\x00", "SECRET-ü", "SECRET\x7f"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(
    server: StandInServer, string: str, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setattr(http.os, "environ", {**http.os.environ, http.TOKEN: key})
    with pytest.raises(BackendError, match="PRISCIAN_API_KEY has characters that no") as caught:
        model_key(string)
    assert "SECRET" not in str(caught.value)


def test_white_space_around_the_key_is_no_part_of_it(
    string: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(http.TOKEN, " some-key\n")
    assert http.api_key() == "some-key"
    assert model_key(string)
