"""Curves, hulls, conditions, beliefs and criteria, and other views of ROC space."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
