"""Transformers models: causal, masked, from a folder, a GGUF file or the Hub."""
