"""The `curl` commands of the page about the service run, and get the responses it shows."""

from __future__ import annotations

import json
import math
import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.support.documented import shell_lines
from tests.support.real_service import SECONDS, running

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "service.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def assert_shown(shown: Any, sent: Any) -> None:
    """Hold that a response has what the page shows of it."""
    if isinstance(shown, dict):
        for key, value in shown.items():
            assert_shown(value, sent[key])
    elif isinstance(shown, list):
        if shown and isinstance(shown[0], dict):  # others may follow
            sent = sent[: len(shown)]
        assert len(shown) == len(sent)
        for one, other in zip(shown, sent, strict=True):
            assert_shown(one, other)
    elif isinstance(shown, float):
        assert math.isclose(shown, sent, rel_tol=0.05)
    else:
        assert shown == sent


def test_requests_get_the_responses_that_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bash = shutil.which("bash")
    if bash is None or shutil.which("curl") is None:
        pytest.skip("needs bash and curl")
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(PAGE)
    exec(blocks[0][1], {})  # noqa: S102 - our page saves the model
    start = shell_lines(PAGE)[0]
    _, _, path, *options = shlex.split(start)
    tried, before = 0, f'rocch() {{ "{sys.executable}" -m rocch "$@"; }}\n'
    with running(Path(path), *options) as service:
        for (kind, command), (after, shown) in pairwise(blocks):
            if kind != "sh" or "curl " not in command:
                continue
            assert after == "json"
            line = command.replace("http://127.0.0.1:8000", service.told["url"])
            setting, curl, sent = line.rpartition("curl ")
            before += setting  # tokens, which later commands use as well
            asked = subprocess.run(  # noqa: S603 - commands of our own page
                [bash, "-c", before + curl + sent],
                capture_output=True,
                text=True,
                check=True,
                timeout=SECONDS,
            )
            assert_shown(json.loads(shown), json.loads(asked.stdout))
            tried += 1
    assert tried >= 5


def test_a_response_that_differs_is_noticed() -> None:
    assert_shown({"a": [1, 2.0]}, {"a": [1, 2.001], "b": 3})
    for sent in ({"a": [1, 3.0]}, {"a": [1]}, {"a": [2, 2.0]}):
        with pytest.raises(AssertionError):
            assert_shown({"a": [1, 2.0]}, sent)
