"""A persistent collection of the classifiers that may still be optimal."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
