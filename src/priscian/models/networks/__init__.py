"""Our architectures in torch, one readable file each; imported only where a network is built."""
