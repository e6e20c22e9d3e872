"""The names of `rocch.scale`."""

from .accumulator import RocAccumulator as RocAccumulator
from .cells import CurveOutline as CurveOutline
from .cells import FrameAuc as FrameAuc
from .frame import Scan as Scan
from .frame import scan as scan
from .refine import Work as Work
from .summary import FrameSummary as FrameSummary

__all__: list[str]
