"""Models: strings, keys, providers."""

from priscian.models.fingerprint import cache_folder
from priscian.models.key import ModelKey
from priscian.models.protocol import (
    BoundaryModel,
    ClosedVocabulary,
    Encoding,
    EndScorer,
    EndTokenProvider,
    EntropyModel,
    LanguageModel,
    PrecomputedScores,
    Provider,
    TokenBatch,
    TorchEntropyModel,
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
    names_model,
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
    "EntropyModel",
    "LanguageModel",
    "ModelKey",
    "ModelSpec",
    "PrecomputedScores",
    "Provider",
    "TokenBatch",
    "TorchEntropyModel",
    "TorchModel",
    "Traits",
    "TraitsProvider",
    "cache_folder",
    "expand_revisions",
    "fetch_weights",
    "find_provider",
    "load",
    "model_key",
    "names_model",
    "parse_model",
    "provider_names",
    "recorded_traits",
    "register",
    "traits_of",
]
