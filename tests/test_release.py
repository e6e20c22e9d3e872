"""What a release says of itself is the same everywhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import rocch

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_citation_names_this_version_and_license() -> None:
    (version,) = re.findall(r"^version: (.+)$", CITATION, re.M)
    (license_name,) = re.findall(r"^license: (.+)$", CITATION, re.M)
    assert (version, license_name) == (rocch.__version__, PROJECT["license"])


def test_the_named_pythons_begin_with_the_least_that_is_required() -> None:
    named = [
        int(minor)
        for classifier in PROJECT["classifiers"]
        for minor in re.findall(r"Python :: 3\.(\d+)$", classifier)
    ]
    assert PROJECT["requires-python"] == f">=3.{named[0]}"
    assert named == list(range(named[0], named[0] + len(named)))


def test_every_file_of_the_source_distribution_exists() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    included = tomllib.loads(text)["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert [name for name in included if not (ROOT / name).exists()] == []
