"""Analyses: what is behind the scores, one sub-package for each question.

`blimp/` has the analyses of the BLiMP paper, `sg/` those of Hu et al. (2020), `graded/` graded and
labelled sentences, `people/` judgements, `curves/` amounts of training, `compare/` models with each
other, `transfer/` classifiers that are trained on some phenomena and tested on others. A module
computes, and has the tables and figures of its result. Statistics are in `priscian.stats`.
"""
