"""Statistics: pure functions on numbers and arrays, independent of models and data sets.

- `interval`: what an interval is, one from several (MOVER), quantiles of the normal and of t.
- `proportions`: accuracies of one set and means of sets, with ties that count half.
- `sets`: means of sets, for other sets of the same kind; `bootstrap`: the same by resampling.
- `differences`: two accuracies, on the same items or on different ones, and their test.
- `correlations`, `matthews`, `lines`: correlations of numbers, matrices and labels, straight lines.
- `agreement`: how far raters agree, in plain Python.
- `logistic`, `mixed_effects` (with `profiled_deviance`): regressions.

Modules are imported one by one, so that a table of accuracies loads neither NumPy nor SciPy.
"""
