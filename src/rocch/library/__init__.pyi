"""The names of `rocch.library`."""

from .adding import Added as Added
from .adding import Judgment as Judgment
from .adding import Saving as Saving
from .holdings import Compacted as Compacted
from .holdings import Export as Export
from .holdings import LibraryClassifier as LibraryClassifier
from .holdings import LogEntry as LogEntry
from .holdings import Verification as Verification
from .library import ClassifierLibrary as ClassifierLibrary

__all__: list[str]
