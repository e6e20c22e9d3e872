from __future__ import annotations

from typing import Any

import numpy as np

from rocch.hybrid.gain import ALL_SLOPES
from rocch.hybrid.selection import ForwardStep, select_forward
from rocch.rows import ScoredRows


def rows(seed: int, size: int = 600) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 0.5
    kind = rng.random(size) < 0.5  # half of the positives are plain to one model alone
    scores = {
        "most": rng.normal(size=size) + np.where(y & kind, 4.0, 0.6 * y),
        "some": rng.normal(size=size) - np.where(~y & kind, 4.0, -0.5 * y),
        "noise": rng.normal(size=size),
    }
    return y, scores


def forward(shift: float = 0.0, standard_errors: float = 1.0) -> list[ForwardStep]:
    parts = []
    for seed, moved in ((1, 0.0), (2, shift)):
        y, scores = rows(seed)
        scores["some"] = scores["some"] + moved
        parts.append(ScoredRows.of(y, scores))
    return select_forward(parts[0], parts[1], ALL_SLOPES, standard_errors)


def test_models_join_while_other_rows_confirm_them() -> None:
    steps = forward()
    assert sorted(step.model for step in steps) == ["most", "noise", "some"]
    kept = [step.model for step in steps if step.kept]
    assert sorted(kept) == ["most", "some"]
    assert steps[0].gain is None
    assert steps[1].gain is not None


def test_a_newcomer_keeps_the_thresholds_it_was_found_with() -> None:
    first = forward()[0].model
    other = {"most": "some", "some": "most"}[first]
    assert other == "some"
    shifted = {step.model: step for step in forward(shift=1000.0)}
    assert not shifted["some"].kept  # its thresholds alarm always there, though it ranks as well
    assert "nothing" in shifted["some"].reason


def test_a_strict_limit_keeps_the_first_alone() -> None:
    steps = forward(standard_errors=1000.0)
    assert [step.kept for step in steps].count(True) == 1
    assert any("gains only" in step.reason for step in steps)
