"""The small data sets of the tests of runs."""

from __future__ import annotations

from tests.runs.conftest import blimp as blimp
from tests.runs.conftest import pairs as pairs
