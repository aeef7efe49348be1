"""Training of the models that ship in the package."""
