"""Transformer-XL models that `priscian train transformer-xl` has made."""
