"""bfloat16 and float16 are tried in a child process before they are used."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from priscian.errors import ModelError
from priscian.models import cpu, load, model_key, parse_model
from priscian.models.cpu import check_dtype, find_problem

DIES = "import os, signal; os.kill(os.getpid(), signal.SIGILL)"


def stand_in(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    monkeypatch.setattr(cpu, "HALF_TRIAL", script)


def test_a_cpu_that_cannot_run_bfloat16_is_told_in_one_line_with_two_remedies(
    causal: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, DIES)
    with pytest.raises(ModelError) as told:
        load(f"hf:{causal('gpt2')}?dtype=bfloat16")
    message = str(told.value)
    assert "bfloat16 does not work on this CPU (a trial ended with SIGILL)" in message
    assert "dtype=float32" in message
    assert "ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16" in message
    assert "\n" not in message


def test_a_dtype_that_the_weights_bring_is_tried_too(
    causal: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file
    from tests.tiny import build_causal

    folder = build_causal("gpt2", tmp_path / "half")
    weights = {k: v.half() for k, v in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"dtype": "float16"}))
    stand_in(monkeypatch, DIES)
    with pytest.raises(ModelError, match="float16 does not work on this CPU"):
        load(f"hf:{folder}?dtype=auto")
    assert load(f"hf:{folder}").notes["dtype"] == "torch.float32"  # type: ignore[union-attr]


def test_a_trial_that_hangs_is_ended_and_tried_again_next_time(
    monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    stand_in(monkeypatch, "import time; time.sleep(1000)")
    monkeypatch.setattr(cpu, "PATIENCE", 0.5)
    assert find_problem("bfloat16") == "a trial was not done after 0.5 s"
    assert not (cache / "dtypes.json").exists()


def test_a_trial_is_made_once_for_each_dtype_and_setting(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    stand_in(monkeypatch, f"import sys; open({str(log)!r}, 'a').write(sys.argv[1] + ' ')")
    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    for dtype in ("bfloat16", "bfloat16", "float16"):
        assert find_problem(dtype) == ""
    assert log.read_text() == "bfloat16 float16 "
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")
    assert find_problem("bfloat16") == ""
    assert log.read_text() == "bfloat16 float16 bfloat16 "


def test_a_damaged_memory_of_trials_is_made_anew(
    monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    (cache / "dtypes.json").write_text("[1")
    stand_in(monkeypatch, DIES)
    assert find_problem("float16") == "a trial ended with SIGILL"
    assert list(json.loads((cache / "dtypes.json").read_text()).values()) == [
        "a trial ended with SIGILL"
    ]


def test_float32_and_other_devices_need_no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, DIES)
    check_dtype("hf:x", "float32", "cpu")
    check_dtype("hf:x", "bfloat16", "cuda")


@pytest.mark.parametrize(
    ("short", "long"), [("bf16", "bfloat16"), ("fp16", "float16"), ("fp32", "float32")]
)
def test_short_spellings_of_a_dtype_name_the_same_model(
    short: str, long: str, causal: Callable[..., Path]
) -> None:
    folder = causal("gpt2")
    one, two = parse_model(f"hf:{folder}?dtype={short}"), parse_model(f"hf:{folder}?dtype={long}")
    assert one == two
    assert one.label == two.label
    assert model_key(one) == model_key(two)
    assert parse_model(f"hf:{folder}").with_options(dtype=short) == two
