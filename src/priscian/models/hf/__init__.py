"""Transformers models: causal, masked, from a folder, a GGUF file, a package or the Hub."""

__all__ = ["INSTALL"]

INSTALL = "pip install -c constraints.txt '.[hf]' in the folder of Priscian's source"
"""How to get torch and Transformers; the constraint keeps CUDA away."""
