"""Whether two models differ, where, and on which items."""

from priscian.analysis.compare.compare_runs import Comparisons, compare
from priscian.analysis.compare.comparison import CompareOptions, Comparison, compare_results

__all__ = ["CompareOptions", "Comparison", "Comparisons", "compare", "compare_results"]
