"""Training of recurrent models."""
