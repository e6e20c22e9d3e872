"""What pages show as output is checked, and a false one is noticed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sybil import Sybil
from sybil.example import SybilFailure

from tests.support.printed import PARSERS, difference
from tests.support.refresh_pages import refresh

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        ("gbm >= 0.5", "gbm >= 0.5\n"),
        ("AUC 0.975, 12 rows", "AUC 0.973,  12\nrows"),
        ("nothing", "nothing"),
        ("-0.5 to 1e-05", "-0.5 to 2e-05"),
    ],
)
def test_same_words_and_close_numbers_agree(shown: str, said: str) -> None:
    assert difference(shown, said) is None


@pytest.mark.parametrize(
    ("shown", "said", "words"),
    [
        ("gbm >= 0.5", "bayes >= 0.5", "but the block prints\nbayes"),
        ("AUC 0.975", "AUC 0.9 0.8", "the page shows"),
        ("AUC 0.975", "AUC 0.875", "shows 0.975, the block prints 0.875"),
        ("", "something", "but the block prints\nsomething"),
    ],
)
def test_other_words_and_far_numbers_differ(shown: str, said: str, words: str) -> None:
    assert words in (difference(shown, said) or "")


def read(folder: Path, *blocks: str) -> None:
    """Evaluate a page made of these blocks."""
    page = folder / "page.md"
    page.write_text("\n".join(blocks), encoding="utf-8")
    for example in Sybil(parsers=PARSERS).parse(page).examples():
        example.evaluate()


RUN, RIGHT, WRONG = (
    "```python\nprint('one', 2)\n```\n",
    "```text\none 2\n```\n",
    "```text\ntwo 2\n```\n",
)


def test_a_true_output_passes(tmp_path: Path) -> None:
    read(tmp_path, RUN, RIGHT)


def test_a_false_output_fails(tmp_path: Path) -> None:
    with pytest.raises(SybilFailure, match="two 2"):
        read(tmp_path, RUN, WRONG)


@pytest.mark.parametrize("blocks", [(WRONG,), (WRONG, RUN), (RUN, "Then:\n", WRONG)])
def test_a_text_of_its_own_is_left_alone(tmp_path: Path, blocks: tuple[str, ...]) -> None:
    read(tmp_path, *blocks)


def test_only_the_last_block_counts(tmp_path: Path) -> None:
    quiet = "```python\nx = 1\n```\n"
    with pytest.raises(SybilFailure, match="one 2"):
        read(tmp_path, RUN, quiet, RIGHT)


def told(folder: Path, *blocks: str) -> None:
    """Evaluate a how-to page made of these blocks."""
    (folder / "how-to").mkdir()
    read(folder / "how-to", *blocks)


COMMAND = "```sh\nrocch completion bash --json\n```\n"


def test_commands_of_a_how_to_page_run(tmp_path: Path) -> None:
    with pytest.raises(SybilFailure, match="_ROCCH_COMPLETE"):
        told(tmp_path, COMMAND, WRONG)


def test_a_command_that_fails_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"none\.csv"):
        told(tmp_path, "```sh\nrocch hull none.csv --label y\n```\n")


def test_commands_of_other_pages_are_left_alone(tmp_path: Path) -> None:
    read(tmp_path, "```sh\nrocch hull none.csv --label y\n```\n", WRONG)


def test_a_false_output_is_refreshed_and_a_true_one_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("\n".join([RUN, WRONG, "More.\n", RUN, RIGHT]), encoding="utf-8")
    assert refresh(page)
    assert page.read_text(encoding="utf-8") == "\n".join([RUN, RIGHT, "More.\n", RUN, RIGHT])
    assert not refresh(page)
