"""The names of `rocch.report`."""

from .many_classes.summarize import summarize_probabilities as summarize_probabilities
from .many_classes.summary import ManyClassesSummary as ManyClassesSummary
from .schema import summary_schema as summary_schema
from .summarize import summarize as summarize
from .summary import Summary as Summary

__all__: list[str]
