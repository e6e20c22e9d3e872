"""The names of `rocch.report`."""

from .multiclass import summarize_probabilities as summarize_probabilities
from .summary import Summary as Summary
from .summary import summary_schema as summary_schema
from .write import summarize as summarize

__all__: list[str]
