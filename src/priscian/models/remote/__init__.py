"""Models that another engine runs: completion servers, llama.cpp, vLLM; all behind one canary."""

__all__ = ["INSTALL"]

INSTALL = "pip install -c constraints.txt '.[{extra}]' in the folder of Priscian's source"
"""How to install the packages of a backend."""
