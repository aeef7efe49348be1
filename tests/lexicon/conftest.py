"""Property tests draw from the whole lexicon; a busy machine must not fail them by the clock."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
