"""Which files paths stand for: themselves, those of a folder, those of a pattern."""

from __future__ import annotations

from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING

from rocch.errors import bad_input, kind_of, shown
from rocch.inputs import repeated

if TYPE_CHECKING:
    from collections.abc import Sequence

PARQUET = (".parquet", ".pq")
MANAGED = {"_delta_log": "Delta", "metadata": "Iceberg"}
"""Folders beside the files of tables some of whose rows may have been deleted or rewritten."""


def files_of(*paths: str | Path, suffixes: Sequence[str] = PARQUET) -> tuple[Path, ...]:
    """Return the files that paths stand for: themselves, those of a folder, those of a pattern.

    Files are sorted within each path. What is hidden, or begins with an underscore as marks of
    writers do, is left out of folders. No file may come twice, because its rows would count twice.
    """
    for path in paths:
        if not isinstance(path, str | Path):
            raise bad_input("paths", "be paths", kind_of(path), "Write 'scores.parquet', say.")
        if not str(path).strip():
            raise bad_input("paths", "be paths", "an empty text", "Write '.' for this folder.")
    if not paths:
        raise bad_input("paths", "be at least one file", "none", "Name a file, or a folder.")
    found = [file for path in paths for file in _files(Path(path), suffixes)]
    twice = repeated([str(file.resolve()) for file in found])
    if twice:
        raise bad_input(
            "paths",
            "name every file once",
            f"{twice[0]!r} twice",
            "Its rows would count twice; leave one out.",
        )
    return tuple(found)


def _files(path: Path, suffixes: Sequence[str]) -> list[Path]:
    if path.is_dir():
        return _below(path, suffixes)
    if path.exists():
        return [path]
    matches = sorted(glob(str(path), recursive=True)) if has_magic(str(path)) else []
    if matches:
        return [file for match in matches for file in _files(Path(match), suffixes)]
    if has_magic(str(path)):
        must, do = "match at least one file", "Check the pattern and the folder."
    else:
        must, do = "be an existing file, a folder or a pattern", "Check the path."
    raise bad_input("paths", must, repr(str(path)), do)


def _below(folder: Path, suffixes: Sequence[str]) -> list[Path]:
    """Return the files of a folder, at any depth."""
    for mark, kind in MANAGED.items():
        if any((folder / mark).glob("*.json")):
            raise bad_input(
                "paths",
                "be a folder of plain files",
                f"the {kind} table {str(folder)!r}",
                "Some of its files may hold rows that were deleted. Export it as Parquet first, or "
                "read it with an engine that knows such tables.",
            )
    found = sorted(
        file
        for file in folder.rglob("*")
        if file.name.lower().endswith(tuple(suffixes))
        and not any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)
        and file.is_file()
    )
    if not found:
        raise bad_input(
            "paths",
            f"be a folder with files that end in {shown(suffixes)}",
            f"the folder {str(folder)!r} without any",
            "Name files or a pattern.",
        )
    return found
