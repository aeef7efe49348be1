"""A tokenizer in a folder, and a stand-in server whose model knows the canary's texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.models.remote.stand_in import StandInModel, StandInServer, running
from tests.tiny import train_bpe

from priscian.models.hf.locate import Location
from priscian.models.registry import find_provider
from priscian.models.remote import openai as http
from priscian.models.remote.backend import PromptEncoder
from priscian.models.remote.canary import CanaryTexts
from priscian.models.remote.provider import make_encoder
from priscian.models.spec import ModelSpec


@pytest.fixture(scope="session")
def tokenizer_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real byte-level tokenizer without a model."""
    from transformers import PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tokenizer")
    made = PreTrainedTokenizerFast(tokenizer_object=train_bpe(), bos_token="<|endoftext|>")
    made.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def encoder(tokenizer_folder: Path) -> PromptEncoder:
    spec = ModelSpec("openai", "toy", "", {"tokenizer": str(tokenizer_folder)})
    return make_encoder(spec, Location(""))


@pytest.fixture(scope="session")
def probes(encoder: PromptEncoder) -> CanaryTexts:
    return CanaryTexts.encode(encoder)


@pytest.fixture(scope="session")
def models(encoder: PromptEncoder, probes: CanaryTexts) -> list[StandInModel]:
    """Two different models."""
    size = encoder.tokenizer.fast.get_vocab_size()
    known = [row.ids for row in probes.rows()]
    return [StandInModel(known, size, seed) for seed in (1, 2)]


@pytest.fixture
def server(
    encoder: PromptEncoder, models: list[StandInModel], monkeypatch: pytest.MonkeyPatch
) -> Iterator[StandInServer]:
    """A server that behaves like vLLM, until a test changes it."""
    monkeypatch.setattr(http, "FIRST_WAIT", 0.001)
    find_provider.cache_clear()
    assert encoder.bos is not None
    with running(StandInServer(models[0], encoder.tokenizer.fast, encoder.bos)) as made:
        yield made
    find_provider.cache_clear()


@pytest.fixture
def string(server: StandInServer, tokenizer_folder: Path) -> str:
    """Its model string."""
    return f"openai:{server.url}?revision=r1&tokenizer={tokenizer_folder}"
