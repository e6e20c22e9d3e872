"""More than two classes: confusion, AUCs, ROC surfaces; `rocch.CostMatrix` has the costs."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
