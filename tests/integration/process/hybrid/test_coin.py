"""Coins of other processes fall alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.hybrid.coin import content_texts, tosses

if TYPE_CHECKING:
    from tests.conftest import Run


def test_another_process_tosses_the_same_coins(run_python: Run) -> None:
    code = (
        "from rocch.hybrid.coin import tosses, content_texts; import numpy as np;"
        "print(tosses(['a', 'b'], 5).tolist(), content_texts(np.array([[0.5, 2.0]])))"
    )
    done = run_python("-c", code)
    assert done.returncode == 0, done.stderr
    here = f"{tosses(['a', 'b'], 5).tolist()} {content_texts(np.array([[0.5, 2.0]]))}"
    assert done.stdout.strip() == here
