"""More than two classes: cost matrices, confusion, AUCs, and the ROC surface."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
