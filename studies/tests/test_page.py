"""The page that a study writes."""

from __future__ import annotations

import re
from pathlib import Path

import jinja2
import pytest
from matplotlib.figure import Figure
from PIL import Image

from studies.workbench import page as pages
from studies.workbench.page import table, write_page
from studies.workbench.study import Study
from studies.workbench.tables import Source


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.setattr(pages, "TEMPLATES", tmp_path / "templates")
    (tmp_path / "templates").mkdir()
    page = tmp_path / "docs" / "a-page.md"
    return Study("tried", Source(tmp_path), tmp_path / "kept", page, True, 1)


def template(study: Study, text: str) -> None:
    (study.work.parent / "templates" / "tried.md").write_text(text)


def test_numbers_and_pictures_fill_the_template(study: Study) -> None:
    template(study, "# A page\n\n{{ found }} of 9.\n\n![Curves]({{ curves }})\n\n{{ versions }}\n")
    write_page(study, {"curves": lambda: Figure(figsize=(1, 1))}, found=3)
    text = study.page.read_text()
    assert "3 of 9." in text
    assert "![Curves](a-page-curves.png)" in text
    assert "scikit-learn" in text
    with Image.open(study.page.with_name("a-page-curves.png")) as picture:
        assert picture.size == (100, 100)


def test_a_number_that_is_not_given_is_an_error(study: Study) -> None:
    template(study, "{{ found }}")
    with pytest.raises(jinja2.UndefinedError, match="found"):
        write_page(study)


def test_remarks_stand_only_below_the_run_they_were_written_about(study: Study) -> None:
    template(study, "{% if as_written %}\nVehicle has a dominator.\n{% endif %}\nThe end.\n")
    write_page(study)
    assert study.page.read_text() == "The end.\n"


def test_tables_are_markdown() -> None:
    assert table(["Domain", "AUC:"], [["Pima", 0.8], ["CRX", 0.9]]).splitlines() == [
        "| Domain | AUC |",
        "| --- | ---: |",
        "| Pima | 0.8 |",
        "| CRX | 0.9 |",
    ]


ROOT = Path(__file__).parents[2]
WRITTEN = sorted((ROOT / "studies" / "pages").glob("*.md"))


@pytest.mark.parametrize("template", WRITTEN, ids=lambda path: path.stem)
def test_a_committed_page_is_what_its_template_says(template: Path) -> None:
    page = ROOT / "docs" / "studies" / f"{template.stem.replace('_', '-')}.md"
    written = page.read_text(encoding="utf-8").splitlines()
    text = template.read_text(encoding="utf-8")
    said = re.sub(r"{% if quick %}.*?{% (else|endif) %}", "", text, flags=re.DOTALL)
    plain = [line for line in said.splitlines() if "{{" not in line and "{%" not in line]
    assert [line for line in plain if line not in written] == []
    assert (ROOT / "studies" / f"{template.stem}.py").is_file()


def test_every_page_of_a_study_has_a_template() -> None:
    pages = {page.stem for page in (ROOT / "docs" / "studies").glob("*.md")} - {"measurements"}
    assert pages == {template.stem.replace("_", "-") for template in WRITTEN}
