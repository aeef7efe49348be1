"""N-gram models: tries, files, ARPA, tokenisation."""
