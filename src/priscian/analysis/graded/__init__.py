"""The analyses of graded acceptability."""
