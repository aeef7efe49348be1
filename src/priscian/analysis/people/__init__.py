"""How well people agree with labels and with each other."""
