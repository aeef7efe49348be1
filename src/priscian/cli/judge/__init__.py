"""`priscian judge`: one module for each group of sub-commands."""
