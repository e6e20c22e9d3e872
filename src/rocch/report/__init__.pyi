"""The names of `rocch.report`."""

from .many_classes.summarise import summarise_posteriors as summarise_posteriors
from .many_classes.summary import ManyClassesSummary as ManyClassesSummary
from .schema import summary_schema as summary_schema
from .summarise import summarise as summarise
from .summary import Summary as Summary

__all__: list[str]
