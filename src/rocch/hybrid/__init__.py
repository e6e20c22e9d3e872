"""The ROCCH-hybrid: scikit-learn classifiers that are aimed at run time, and their rules."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
