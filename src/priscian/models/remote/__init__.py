"""Models that another engine runs: completion servers, llama.cpp, vLLM; all behind one canary."""
