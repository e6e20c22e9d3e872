"""Statistics: intervals, bands, tests, losses, decisions under belief, and prevalence."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
