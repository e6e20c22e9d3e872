"""Pictures: domain objects onto matplotlib axes; no numbers are computed here."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
