"""Checks options of a model string before the model exists, as a sweep names them."""

from __future__ import annotations

from priscian.models.folder import PROVIDERS
from priscian.models.folder_scores import Around
from priscian.models.ngram.provider import check_ngram_options
from priscian.models.registry import OWN
from priscian.models.rnng.options import OPTIONS as RNNG_OPTIONS
from priscian.models.rnng.options import Beam
from priscian.models.spec import ModelSpec


def check_trained_options(architecture: str, options: str) -> None:
    """Refuse options that the provider of an architecture would refuse after the training.

    >>> check_trained_options("rnng", "beam=100,5,10")
    >>> check_trained_options("rnng", "beam=0,5,10")
    Traceback (most recent call last):
    priscian.errors.UsageError: beam=0,5,10: a beam of 0 finds nothing; give numbers from 1
    """
    named = architecture if architecture in OWN else "hf"
    provider = PROVIDERS.get(architecture, named)
    spec = ModelSpec.parse(f"{provider}:{architecture}?name=model&{options}")
    if provider == "rnng":
        spec.check_options(RNNG_OPTIONS)
        Beam.of(spec)
    elif provider == "ngram":
        check_ngram_options(spec)
    elif provider == "hf":
        from priscian.models.hf.causal import OPTIONS

        spec.check_options(OPTIONS)
    else:
        Around.of(spec)
