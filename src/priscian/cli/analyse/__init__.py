"""`priscian analyse`: one module for each analysis."""
