"""What the core needs, and what the `rocch` command says where its extra is missing."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from rocch.__main__ import PACKAGES, main

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


def package(requirement: str) -> str:
    """Return the name of the package that a requirement is about."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def test_the_core_needs_none_of_the_packages_of_the_command_line() -> None:
    assert set(map(package, PROJECT["dependencies"])) & set(PACKAGES) == set()


def test_the_command_looks_for_what_its_extra_brings() -> None:
    assert sorted(map(package, EXTRAS["cli"])) == sorted(PACKAGES)


def test_the_extra_of_the_command_line_is_among_all() -> None:
    (everything,) = EXTRAS["all"]
    assert "cli" in re.findall(r"\w+", everything)


def test_the_least_version_of_a_package_is_the_same_in_every_extra() -> None:
    named: dict[str, set[str]] = {}
    for requirement in (one for extra in EXTRAS.values() for one in extra):
        if "[" not in requirement.partition(">")[0]:
            named.setdefault(package(requirement), set()).add(requirement)
    assert {"duckdb", "pyarrow"} <= named.keys()
    assert {name: found for name, found in named.items() if len(found) > 1} == {}


@pytest.mark.parametrize("missing", PACKAGES)
def test_without_its_extra_the_command_says_what_to_install(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert printed.out == ""
    assert printed.err == (
        "rocch: The command line needs the 'cli' extra, which is not installed. "
        "Install it with: pip install 'rocch[cli]'\n"
    )


def test_with_its_extra_the_command_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["rocch", "--version"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("rocch, version ")
