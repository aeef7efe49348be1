"""Both classifiers are the ones of `priscian train classifier`."""

from __future__ import annotations

import numpy as np
from tests.analysis.transfer.small_transfer import TEST, TRAIN, effect_of, states, texts

from priscian.analysis.transfer.train import Bags, Probes, labels_of
from priscian.training.classifiers.fits import fit_bag
from priscian.training.classifiers.probe import fit_probe

PLACES = np.array([(k, n) for k in (0, 2) for n in range(TRAIN)])
KEEP = np.zeros(len(PLACES), bool)


def test_a_probe_is_a_logistic_regression_on_the_states_of_both_sentences() -> None:
    train, test = states(1, TRAIN, effect_of(0, 1, 2)), states(2, TEST, effect_of(0, 1, 2))
    probes = Probes(train, {"same": test}, 0.1)
    found = probes.logits(PLACES, KEEP)["same"]
    head = fit_probe(train[[0, 2]].reshape(-1, train.shape[-1]), labels_of(KEEP), 0.1)
    assert found.shape == (6, TEST, 2)
    np.testing.assert_allclose(found[3, 7], head.logits(test[3, 7]), atol=5e-3)


def test_a_bag_is_that_of_the_baseline() -> None:
    pairs = texts()
    found = Bags(pairs).logits(PLACES, KEEP)["other"]
    known = [text for k in (0, 2) for pair in pairs[k].train for text in pair]
    bag = fit_bag(known, labels_of(KEEP))
    flat = [text for pair in pairs[5].other for text in pair]
    np.testing.assert_allclose(found[5].ravel(), bag.logits(flat), atol=5e-3)
