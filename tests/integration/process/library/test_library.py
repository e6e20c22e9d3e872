"""A library where scikit-learn is missing."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path


Y = np.array([0, 0, 0, 1, 1, 1])
NB = [1, 2, 6, 5, 4, 7]


def test_a_library_is_read_and_added_to_without_scikit_learn(tmp_path: Path) -> None:
    code = (
        "import sys, rocch\n"
        f"library = rocch.library.ClassifierLibrary.create({str(tmp_path / 'light')!r})\n"
        f"library.add_scores({Y.tolist()}, {{'nb': {NB}}})\n"
        "library.classifiers, library.log(), library.exports(), library.prune(ties=True)\n"
        "assert 'sklearn' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 - our own text
