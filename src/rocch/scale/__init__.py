"""Exact hulls, areas and counts from tables of any engine, by few group-by queries."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
