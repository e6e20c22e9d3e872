"""Over HTTP every question has the answer that it has in Python and on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator

import rocch
from rocch.hybrid import ScoreColumn
from tests.support.hybrids import as_export
from tests.support.questions import QUESTIONS, best, hull, rows
from tests.support.questions import ask as as_question
from tests.support.serving import Asking, asking, served

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    y, scores = rows()
    models = [(name, FrozenEstimator(ScoreColumn(name, (0, 1)))) for name in scores]
    model = rocch.RocchClassifier(models, pos_label=1, stack=False)
    model.fit(pd.DataFrame(scores), y.astype(int))
    assert model.hull_.auc == hull().auc
    with asking(served(as_export(model))) as running:
        yield running


@pytest.mark.parametrize("texts", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_a_service_answers_as_in_python(ask: Asking, texts: dict[str, str]) -> None:
    wanted = best(texts)
    typed = ask.get(f"/v1/best?{urlencode(texts)}").json()
    put = ask.put("/v1/conditions", {"question": as_question(texts).to_dict()}).json()
    for found in (typed, put):
        assert (found["point"]["fpr"], found["point"]["tpr"]) == (wanted.fpr, wanted.tpr)
        mix = [(each["probability"], each["classifier"]) for each in found["point"]["mix"]]
        assert mix == [(share, point.classifier) for share, point in wanted.mix]
