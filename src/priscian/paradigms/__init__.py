"""Minimal-pair paradigms, one module per phenomenon."""

from priscian.paradigms.edits import (
    Edit,
    Exchange,
    Reordering,
    SpanSubstitution,
    Substitution,
    prove,
)
from priscian.paradigms.generate import generate, generate_items
from priscian.paradigms.registry import Paradigm, find, load_paradigms, paradigm, paradigms

__all__ = [
    "Edit",
    "Exchange",
    "Paradigm",
    "Reordering",
    "SpanSubstitution",
    "Substitution",
    "find",
    "generate",
    "generate_items",
    "load_paradigms",
    "paradigm",
    "paradigms",
    "prove",
]
