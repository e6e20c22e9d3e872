"""Results of curves, hulls and conditions, and other views; `rocch` itself has the main names."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
