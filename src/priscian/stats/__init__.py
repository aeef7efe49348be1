"""Pure statistics on arrays: intervals, paired tests, correlations, regressions."""
