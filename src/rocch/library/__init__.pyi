"""The names of `rocch.library`."""

from .adding import AddedClassifier as AddedClassifier
from .adding import AdditionResult as AdditionResult
from .adding import Saving as Saving
from .contents import Export as Export
from .contents import LibraryClassifier as LibraryClassifier
from .contents import LogEntry as LogEntry
from .library import ClassifierLibrary as ClassifierLibrary
from .maintenance import CompactionResult as CompactionResult
from .maintenance import Verification as Verification

__all__: list[str]
