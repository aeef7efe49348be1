"""Acceptability classifiers: probes on frozen states, tuned encoders, baselines, restarts."""
