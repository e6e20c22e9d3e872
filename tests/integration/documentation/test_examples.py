"""Every notebook in `examples/` runs without errors or warnings, and is stored without outputs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[3] / "examples").glob("*.ipynb"))

# Cells of a notebook that is still short.
MOST_CELLS = 14
# Seconds that one cell may take on a busy machine.
LONGEST_CELL = 300
# Run before the first cell: a warning of ours is an error, as in tests. It defines no name.
STRICT = "__import__('warnings').simplefilter('error', __import__('rocch').RocchWarning)"

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_there_are_three_notebooks() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["fraud", "hospital", "two_markers"]


@each_notebook
def test_notebooks_are_short_and_stored_without_outputs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    nbformat.validate(notebook)
    assert text == json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = notebook["cells"]
    assert len(cells) <= MOST_CELLS
    assert len({cell["id"] for cell in cells}) == len(cells)
    for cell in cells:
        assert not cell.get("outputs"), cell["id"]
        assert cell.get("execution_count") is None, cell["id"]


@each_notebook
def test_notebooks_run_and_show_results(path: Path, tmp_path: Path) -> None:
    outputs = _run(path, tmp_path)
    pages = [each["data"].get("text/html", "") for each in outputs if "data" in each]
    assert any("rocch-result" in page and "<table" in page for page in pages)
    errors = [each["text"] for each in outputs if each.get("name") == "stderr"]
    assert not errors


class ThisPython(AsyncKernelManager):
    """Kernels that run this interpreter, whatever else is installed."""

    @property
    def kernel_spec(self) -> KernelSpec:
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, language="python")


def _run(path: Path, folder: Path) -> list[Any]:
    """Run a notebook in a folder of its own, and return its outputs."""
    # nbformat is partly untyped
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    first = nbformat.v4.new_code_cell(STRICT)  # type: ignore[no-untyped-call]
    notebook.cells.insert(0, first)
    NotebookClient(
        notebook,
        kernel_manager_class=ThisPython,
        timeout=LONGEST_CELL,
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    return [each for cell in notebook.cells for each in cell.get("outputs", [])]
