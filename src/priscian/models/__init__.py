"""Models: strings, keys, providers."""

from priscian.models.fingerprint import cache_folder
from priscian.models.key import ModelKey
from priscian.models.protocol import (
    BoundaryModel,
    ClosedVocabulary,
    Encoding,
    EndScorer,
    EndTokenProvider,
    LanguageModel,
    PrecomputedScores,
    Provider,
    TokenBatch,
    TorchModel,
    TraitsProvider,
)
from priscian.models.registry import (
    PRESETS,
    expand_revisions,
    fetch_weights,
    find_provider,
    load,
    model_key,
    parse_model,
    provider_names,
    recorded_traits,
    register,
    traits_of,
)
from priscian.models.spec import ModelSpec
from priscian.models.traits import Traits

__all__ = [
    "PRESETS",
    "BoundaryModel",
    "ClosedVocabulary",
    "Encoding",
    "EndScorer",
    "EndTokenProvider",
    "LanguageModel",
    "ModelKey",
    "ModelSpec",
    "PrecomputedScores",
    "Provider",
    "TokenBatch",
    "TorchModel",
    "Traits",
    "TraitsProvider",
    "cache_folder",
    "expand_revisions",
    "fetch_weights",
    "find_provider",
    "load",
    "model_key",
    "parse_model",
    "provider_names",
    "recorded_traits",
    "register",
    "traits_of",
]
