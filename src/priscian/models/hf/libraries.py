"""Transformers and the Hub's client, imported when they are needed."""

from __future__ import annotations

import logging
import os
from typing import Any

from priscian.errors import ModelError, install
from priscian.models.cpu import keep_memory


def import_transformers() -> Any:
    """Import Transformers silently; if it is missing, the error says how to install it."""
    os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    keep_memory()
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError:
        raise ModelError(f"this model needs torch and transformers: {install('hf')}") from None
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    logging.getLogger("gguf").setLevel(logging.ERROR)
    return transformers


def import_hub() -> Any:
    """The Hub's client, without telemetry; if it is missing, the error says how to install it."""
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        import huggingface_hub
        import huggingface_hub.constants
        import huggingface_hub.errors
    except ImportError:
        raise ModelError(f"models from the Hub need huggingface_hub: {install('hf')}") from None
    return huggingface_hub
