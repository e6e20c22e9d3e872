"""A file of named parts that knows when it was damaged: a zip with a digest of every part."""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import InputError, bad_input, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

DIGESTS = "digests.json"
CHUNK = 2**16
HEADERS: dict[tuple[int, int], Any] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return a file with these parts and their digests."""
    digests = json.dumps({n: digest_of(data) for n, data in files.items()})
    return zipped({**files, DIGESTS: digests.encode()})


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a zip file of parts, none of them packed."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return content.getvalue()


def unpack(content: bytes, path: str | Path) -> dict[str, bytes]:
    """Return all parts of a file, if they are those that were packed; `path` is its name."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if any(part.compress_type != zipfile.ZIP_STORED for part in archive.infolist()):
                raise zipfile.BadZipFile("parts packed in another way")
            files = dict(_parts(archive, len(content)))
    except (
        zipfile.BadZipFile,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,  # of places before the file's begin, and of names that are no texts
    ) as error:
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


class TooLargeError(ValueError):
    """A part of a zip file that becomes larger than it may."""


def unpack_within(content: bytes, room: int) -> dict[str, bytes]:
    """Return the parts of a zip file, in at most as many bytes as there is room for.

    Zip files in it are unpacked likewise, and arrays must be as large as they claim. What a file
    says about its sizes is not believed, because reading a part in one go unpacks all of it.
    """
    files = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name, part in _parts(archive, room):
            data = zipped(unpack_within(part, room)) if part.startswith(b"PK") else part
            if data.startswith(np.lib.format.MAGIC_PREFIX):
                check_array(data)
            files[name] = data
            room -= len(data)
    return files


def _parts(archive: zipfile.ZipFile, room: int) -> Iterator[tuple[str, bytes]]:
    """Read parts one after the other, as long as there is room for them."""
    seen: set[str] = set()
    for part in archive.infolist():
        if part.filename in seen:
            raise zipfile.BadZipFile(f"two parts called {part.filename!r}")
        if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise zipfile.BadZipFile("parts packed in another way")  # others unpack in one go
        seen.add(part.filename)
        chunks = []
        with archive.open(part) as file:
            while chunk := file.read(CHUNK):
                room -= len(chunk)
                if room < 0:
                    raise TooLargeError("parts that are larger than the file")
                chunks.append(chunk)
        yield part.filename, b"".join(chunks)


def check_array(data: bytes) -> tuple[int, ...]:
    """Return the shape of an array in NumPy's format, if it is as large as it claims."""
    file = io.BytesIO(data)
    version = np.lib.format.read_magic(file)
    if version not in HEADERS:
        raise ValueError(f"arrays of format {version} are not read")
    shape, _, dtype = HEADERS[version](file)
    size = dtype.itemsize * math.prod(shape)
    if size != len(data) - file.tell() or (not dtype.itemsize and math.prod(shape)):
        raise ValueError("an array has another size than it claims")
    return tuple(shape)


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
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"unreadable data ({error})") from error
