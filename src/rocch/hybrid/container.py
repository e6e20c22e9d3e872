"""A file of named parts that knows when it was damaged: a zip with a digest of every part."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

from rocch.errors import InputError, bad_input, shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DIGESTS = "digests.json"


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return a file with these parts and their digests."""
    digests = json.dumps({n: digest_of(data) for n, data in files.items()})
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for name, data in {**files, DIGESTS: digests.encode()}.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return content.getvalue()


def unpack(content: bytes, path: str | Path) -> dict[str, bytes]:
    """Return all parts of a file, if they are those that were packed; `path` is its name."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if any(part.compress_type != zipfile.ZIP_STORED for part in archive.infolist()):
                raise damaged(path, "parts packed in another way")
            files = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise damaged(path, f"a truncated, altered or other file ({error})") from error
    if DIGESTS not in files:
        raise damaged(path, "a zip file of another kind")
    recorded = as_json(files.pop(DIGESTS), path)
    if not isinstance(recorded, dict) or set(recorded) != set(files):
        raise damaged(path, "parts that were added or removed")
    wrong = [n for n, data in files.items() if digest_of(data) != recorded[n]]
    if wrong:
        raise damaged(path, f"altered parts: {shown(wrong)}")
    return files


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of a content, as `sha256sum` writes it."""
    return hashlib.sha256(content).hexdigest()


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
