"""Transfer: classifiers that are trained on some phenomena and tested on others."""
