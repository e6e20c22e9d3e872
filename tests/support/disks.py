"""What a library still does on a disk that may not be written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocch import NeymanPearson, RocCurve, StorageError
from rocch.library import ClassifierLibrary
from tests.support import adders

if TYPE_CHECKING:
    from pathlib import Path


def same_hull(library: ClassifierLibrary, numbers: Any) -> bool:
    return library.hull == adders.batch(numbers) and library.verify().sound


def check_readable(library: ClassifierLibrary, tmp_path: Path) -> None:
    assert library.hull == adders.batch(range(1, 6))
    assert len(library.classifiers) == len(library)
    assert library.best(NeymanPearson(max_fpr=0.2)).fpr <= 0.2
    assert len(library.log()) > 0
    assert library.current_export is not None
    assert library.verify().sound
    copy = library.copy(tmp_path / "copy")
    assert same_hull(copy, range(1, 6))
    adders.add(copy, 6)
    y = adders.rows()[1]
    for write in (
        lambda: library.add(RocCurve.from_scores(y, y, name="perfect")),
        lambda: library.export(scores=True),
        lambda: library.prune(library.classifiers[0].name),
    ):
        with pytest.raises(StorageError, match=r"may not be written|Read-only file system"):
            write()
    library.close()
