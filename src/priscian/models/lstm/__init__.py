"""Recurrent models that run on NumPy alone."""
