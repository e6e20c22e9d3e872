"""Views, rules, combinations and tuners of the hybrid; `rocch.RocchClassifier` is the hybrid."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
