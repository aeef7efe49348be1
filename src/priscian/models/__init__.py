"""Models: strings, keys, providers."""

from priscian.models.fingerprint import cache_folder
from priscian.models.key import ModelKey
from priscian.models.protocol import (
    BoundaryModel,
    ClosedVocabulary,
    ClosedVocabularyProvider,
    Encoding,
    LanguageModel,
    Provider,
    TokenBatch,
    TorchModel,
)
from priscian.models.registry import (
    PRESETS,
    expand_revisions,
    find_provider,
    load,
    model_key,
    parse_model,
    provider_names,
    register,
)
from priscian.models.spec import ModelSpec

__all__ = [
    "PRESETS",
    "BoundaryModel",
    "ClosedVocabulary",
    "ClosedVocabularyProvider",
    "Encoding",
    "LanguageModel",
    "ModelKey",
    "ModelSpec",
    "Provider",
    "TokenBatch",
    "TorchModel",
    "cache_folder",
    "expand_revisions",
    "find_provider",
    "load",
    "model_key",
    "parse_model",
    "provider_names",
    "register",
]
