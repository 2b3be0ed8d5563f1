"""What holds for all tests."""

from hypothesis import settings

# How long an example takes says something of the machine and its load, nothing of the code.
settings.register_profile("noisyor", deadline=None)
settings.load_profile("noisyor")
