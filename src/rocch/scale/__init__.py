"""Exact hulls, AUCs and counts from tables of any engine."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
