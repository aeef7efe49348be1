"""Numbers among the options of a model string."""

from __future__ import annotations

from priscian.errors import UsageError
from priscian.models.spec import ModelSpec


def number(spec: ModelSpec, name: str, default: str, least: float, most: float) -> float:
    """The value of an option; anything but a number in the range is refused."""
    given = spec.options.get(name, default)
    try:
        value = float(given)
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        raise UsageError(f"{spec}: {name}={given} must be a number from {least:g} to {most:g}")
    return value
