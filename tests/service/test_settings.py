from typing import Any

import pytest

from rocch import InputError
from rocch.service import Settings


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_rows": 0},
        {"max_body": 1.5},
        {"max_requests": -1},
        {"read_seconds": -1},
        {"decide_seconds": float("nan")},
        {"watch_seconds": "1"},
        {"seed": -1},
    ],
)
def test_settings_that_make_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError) as refused:
        Settings(**wrong)
    assert refused.value.argument == next(iter(wrong))
