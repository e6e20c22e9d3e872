"""The how-to page about large tables runs in Spark as it stands, and prints what it shows."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rocch
from tests.support.printed import difference

if TYPE_CHECKING:
    import pytest
    from pyspark.sql import SparkSession

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "large-tables.md"
BLOCK = re.compile(r"^```(python|py|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_prints_what_it_shows(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    assert [kind for kind, _ in blocks].count("py") >= 3
    # files of Spark are looked for where the session was started, not here
    place = f'parquet("{tmp_path}/scores.parquet")'
    session: dict[str, Any] = {}
    said = ""
    for kind, text in blocks:
        if kind == "text":
            assert difference(text, said) is None
            continue
        heard = StringIO()
        with redirect_stdout(heard):
            exec(text.replace('parquet("scores.parquet")', place), session)  # noqa: S102 - our page
        said = heard.getvalue()
    assert session["spark"] is spark
    assert isinstance(session["hull"], rocch.RocHull)
