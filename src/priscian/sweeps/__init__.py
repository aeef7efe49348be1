"""Learning curves: models of several architectures, sizes and seeds, trained and scored."""
