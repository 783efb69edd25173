"""What holds for every test; fixtures live beside the tests that share them."""

from hypothesis import settings

settings.register_profile("greenroom", deadline=None, derandomize=True, database=None)
settings.load_profile("greenroom")
