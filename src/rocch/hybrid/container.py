"""A file of named parts that knows when it was damaged: a zip with a digest of every part."""

from __future__ import annotations

import hashlib
import json
import zipfile
from typing import TYPE_CHECKING, Any

from rocch.errors import InputError, bad_input, shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DIGESTS = "digests.json"


def write(path: Path, files: Mapping[str, bytes]) -> str:
    """Write parts and their digests; return the digest of the whole file."""
    digests = json.dumps({n: hashlib.sha256(data).hexdigest() for n, data in files.items()})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in {**files, DIGESTS: digests.encode()}.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read(path: Path, digest: str | None) -> dict[str, bytes]:
    """Read all parts of a file, if they are those that were saved."""
    if digest is not None and hashlib.sha256(path.read_bytes()).hexdigest() != digest:
        raise damaged(path, "another file than the one whose digest was given")
    try:
        with zipfile.ZipFile(path) as archive:
            if any(part.compress_type != zipfile.ZIP_STORED for part in archive.infolist()):
                raise damaged(path, "parts packed in another way")
            files = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise damaged(path, f"a truncated, altered or other file ({error})") from error
    if DIGESTS not in files:
        raise damaged(path, "a zip file of another kind")
    sums = files.pop(DIGESTS)
    recorded = as_json(sums, path)
    if not isinstance(recorded, dict) or set(recorded) != set(files):
        raise damaged(path, "parts that were added or removed")
    wrong = [n for n, data in files.items() if hashlib.sha256(data).hexdigest() != recorded[n]]
    if wrong:
        raise damaged(path, f"altered parts: {shown(wrong)}")
    return files


def damaged(path: str | Path, came: str) -> InputError:
    """Build the message for a file that is not as it was saved."""
    return bad_input(
        "path", "name a file as rocch.save wrote it", f"{came}, in {path}", "Save the model again."
    )


def as_json(data: bytes, path: str | Path) -> Any:
    """Read JSON from a part of a file."""
    try:
        return json.loads(data)
    except ValueError as error:
        raise damaged(path, f"unreadable data ({error})") from error
