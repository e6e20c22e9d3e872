"""The names of `rocch.scale`."""

from .cells import CurveOutline as CurveOutline
from .cells import FrameAuc as FrameAuc
from .files import open_files as open_files
from .refine import Work as Work
from .scan import auc_from_frame as auc_from_frame
from .scan import counts_from_frame as counts_from_frame
from .scan import hull_from_frame as hull_from_frame
from .scan import hulls_from_frame as hulls_from_frame
from .scan import outlines_from_frame as outlines_from_frame
from .summary import FrameSummary as FrameSummary
from .summary import summarize_frame as summarize_frame

__all__: list[str]
