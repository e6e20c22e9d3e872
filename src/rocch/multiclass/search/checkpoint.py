"""A search put down in a file and taken up again: plain numbers and text, nothing that runs.

The file is NumPy's .npz, read without pickle: the arrays of the search, and beside them its facts
as JSON, a digest of the arrays among them. An interrupted save leaves the last good file.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import InputError, bad_input
from rocch.files import writing

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT = "rocch surface search"
VERSION = 1
FACTS = "facts"
BROKEN = (ValueError, KeyError, TypeError, EOFError, RuntimeError, zipfile.BadZipFile)
"""What reading a damaged file can raise."""


def write(path: str | Path, facts: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write facts and arrays, replacing an existing file."""
    head = {"format": FORMAT, "version": VERSION, "digest": _digest(arrays)}
    try:
        text = json.dumps({**head, **facts}, allow_nan=False)
    except TypeError:
        raise bad_input(
            "classes", "be texts or numbers to be saved", facts["classes"], "Rename them."
        ) from None
    # an open file, because NumPy would add to the name
    with writing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, **{FACTS: np.array(text), **arrays})


def read(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read facts and arrays, if the file is one of ours and whole."""
    data = Path(path).read_bytes()
    try:
        arrays = _arrays(io.BytesIO(data))
        facts = json.loads(str(arrays.pop(FACTS)))
    except BROKEN as error:
        raise damaged(path, f"a truncated, altered or other file ({error})") from error
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise damaged(path, "a file of another kind")
    if facts["version"] != VERSION:
        raise bad_input(
            "path",
            f"name a file of version {VERSION}",
            f"version {facts['version']}, in {path}",
            "Resume it with the rocch that saved it.",
        )
    if facts.get("digest") != _digest(arrays):
        raise damaged(path, "altered arrays")
    return facts, arrays


def damaged(path: str | Path, came: str) -> InputError:
    """Build the message for a file that no search can be taken up from."""
    return bad_input(
        "path",
        "name a file as SurfaceSearch.save wrote it",
        f"{came}, in {path}",
        "Begin the search again.",
    )


def _arrays(file: io.BytesIO) -> dict[str, Any]:
    with zipfile.ZipFile(file) as parts:
        if parts.testzip() is not None:  # before anything in it is interpreted
            raise zipfile.BadZipFile("a checksum that does not fit")
    file.seek(0)
    return dict(np.load(file, allow_pickle=False))


def _digest(arrays: Mapping[str, Any]) -> str:
    total = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name])
        total.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()
