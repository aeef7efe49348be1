"""Transformers models: causal, masked, from a folder, a GGUF file, a package or the Hub."""

__all__ = ["INSTALL"]

INSTALL = "pip install -c constraints.txt '.[hf]' in the folder of Priscian's source"
"""How to install torch and Transformers; the constraints avoid CUDA packages."""
