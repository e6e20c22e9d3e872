"""The built wheel has all that the source has: stubs, pages, and every public name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

import rocch
from tests.support.public import public_names

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src"

LOAD = """
import importlib, sys
import rocch
assert rocch.__file__.startswith(sys.argv[1]), rocch.__file__
print(rocch.__version__)
for dotted in sys.argv[2:]:
    module, _, name = dotted.rpartition(".")
    assert getattr(importlib.import_module(module), name).__name__ == name, dotted
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "-q", str(ROOT), "--no-deps"]
    built = subprocess.run(  # noqa: S603 - pip, on this repository
        [*build, "--no-build-isolation", "--no-index", "-w", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    (found,) = folder.glob("rocch-*.whl")
    return found


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    shipped = {name for name in ZipFile(wheel).namelist() if name.startswith("rocch/")}
    here = {
        file.relative_to(SOURCE).as_posix()
        for file in (SOURCE / "rocch").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert shipped == here
    assert {"rocch/__init__.pyi", "rocch/stats/__init__.pyi", "rocch/py.typed"} <= shipped


def test_every_public_name_loads_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    ZipFile(wheel).extractall(tmp_path)
    loaded = subprocess.run(  # noqa: S603 - this Python, with code written here
        [sys.executable, "-c", LOAD, str(tmp_path), *public_names()],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert loaded.returncode == 0, loaded.stderr
    assert loaded.stdout.strip() == rocch.__version__
    assert wheel.name.startswith(f"rocch-{rocch.__version__}-")
