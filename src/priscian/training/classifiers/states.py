"""Hidden states and heads under one name, for packages that may not import `models`."""

from priscian.models.classifier.bag import LONGEST, Bag, count_ngrams
from priscian.models.classifier.encoder import Encoder, encoder_spec, load_encoder
from priscian.models.classifier.heads import LinearHead, MlpHead
from priscian.models.classifier.states import StateCache, pooled_states
from priscian.models.classifier.views import View

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
