"""Displays that draw curves, hulls and surfaces with matplotlib."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
