"""The span parser: words as it reads them, the chart, and trees of sentences."""
