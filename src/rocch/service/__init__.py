"""The HTTP service that decides with a hybrid and is aimed while it runs."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
