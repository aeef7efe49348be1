"""Transformers models: causal, masked, from a folder, a GGUF file, a package or the Hub."""
