"""Hidden states and heads under one name, for packages that may not import `models`."""

from priscian.models.classifier.encoder import Encoder, View, encoder_spec, load_encoder
from priscian.models.classifier.heads import LONGEST, Bag, LinearHead, MlpHead, count_ngrams
from priscian.models.classifier.states import StateCache, pooled_states

__all__ = [
    "LONGEST",
    "Bag",
    "Encoder",
    "LinearHead",
    "MlpHead",
    "StateCache",
    "View",
    "count_ngrams",
    "encoder_spec",
    "load_encoder",
    "pooled_states",
]
