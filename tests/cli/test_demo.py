"""`rocch demo`: the main job in one command."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from rocch.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Answer, Refusal

CLASSIFIERS = ["logistic", "bayes", "tree", "neighbors", "boosting"]
KEYS = {"data", "hull", "rough_costs", "limit_on_false_alarms", "sixty_appointments", "files"}


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def demo(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["demo", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_it_decides_three_questions_and_writes_two_files(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    out = demo("--output", folder)
    assert sorted(file.name for file in folder.iterdir()) == ["hull.png", "result.json"]
    assert (folder / "hull.png").read_bytes().startswith(b"\x89PNG")
    assert str(folder / "result.json") in out
    for question in ("1. 'One in ten", "2. 'At most 2%", "3. 'We have 60"):
        assert question in out
    assert "Who wins where" in out


def test_the_result_file_is_whole(tmp_path: Path) -> None:
    demo("--output", tmp_path)
    found = read(tmp_path / "result.json")
    assert set(found) == KEYS
    assert found["hull"]["classifiers"] == CLASSIFIERS
    assert found["hull"]["positives"] + found["hull"]["negatives"] == 285
    winners = {row["classifier"] for row in found["hull"]["slope_ranges"]}
    assert len(winners) > 1  # a demo in which one classifier dominates would show nothing
    assert winners <= set(CLASSIFIERS)
    assert 0.5 < found["hull"]["auc"] < 1
    assert found["rough_costs"]["sensitivity"]["slope_range"] == pytest.approx([0.225, 1.8])
    assert found["limit_on_false_alarms"]["choice"]["fpr"] <= 0.02
    assert found["sixty_appointments"]["choice"]["expected_cases"] <= 60


def test_the_choices_printed_are_those_in_the_file(tmp_path: Path) -> None:
    out = demo("--output", tmp_path)
    found = read(tmp_path / "result.json")
    for part in ("limit_on_false_alarms", "sixty_appointments"):
        choice = found[part]["choice"]
        rule = choice["rule"]
        assert rule[0].upper() + rule[1:] in out
        assert f"finds {choice['tpr']:.1%} of the ill" in out
    assert found["rough_costs"]["choice"]["rule"] in out


def test_json_is_what_the_file_holds_and_names_the_files(answer: Answer, tmp_path: Path) -> None:
    found = answer("demo", "--output", tmp_path)
    assert found["files"] == [str(tmp_path / "result.json"), str(tmp_path / "hull.png")]
    assert found == read(tmp_path / "result.json")


def test_it_gives_the_same_every_time(tmp_path: Path) -> None:
    found = []
    for name in ("one", "two"):
        demo("--output", tmp_path / name)
        found.append(read(tmp_path / name / "result.json"))
        assert found[-1].pop("files")[0] == str(tmp_path / name / "result.json")
    assert found[0] == found[1]


def test_without_matplotlib_it_writes_the_result_and_says_how_to_get_the_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    out = demo("--output", tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["result.json"]
    assert read(tmp_path / "result.json")["files"] == [str(tmp_path / "result.json")]
    assert "pip install 'rocch[plot]'" in out


def test_a_file_in_the_place_of_the_folder_gets_one_line(refusal: Refusal, tmp_path: Path) -> None:
    file = tmp_path / "taken"
    file.write_text("mine", encoding="utf-8")
    assert "taken" in refusal("demo", "--output", file)
    assert file.read_text(encoding="utf-8") == "mine"


def test_a_folder_that_cannot_be_made_gets_one_line(refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine", encoding="utf-8")
    assert "taken" in refusal("demo", "--output", tmp_path / "taken" / "below")
