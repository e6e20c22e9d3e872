"""Summaries of what was found; `rocch.write_report` makes pages of them."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
