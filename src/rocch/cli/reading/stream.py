"""The bytes of a file or of standard input, decompressed if need be."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, cast

from rocch.errors import InputError, missing_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocch.cli.reading.table_file import TableFile

COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd")
LONGEST_MAGIC = 8
BUFFER = 2**20


@dataclass(frozen=True, slots=True)
class Stream:
    """Decompressed bytes, with how they begin and how far they have been read.

    Attributes
    ----------
    content
        The bytes from the beginning.
    head
        The first few of them.
    plain
        Whether the file can be opened by its name instead: it is one, and not compressed.
    reached
        Returns how many bytes of the file have been read, and how many there are (0: unknown).
    """

    content: IO[bytes]
    head: bytes
    plain: bool
    reached: Callable[[], tuple[int, int]]


@contextmanager
def opened(source: TableFile) -> Iterator[Stream]:
    """Open a file or standard input; what is compressed is recognized by how it begins."""
    with _raw(source) as raw:
        head, whole = _peeked(raw)
        content = _decompressed(head, whole, source)
        plain = content is whole
        if not plain:
            head, content = _peeked(content)
        yield Stream(
            content, head, plain and not source.is_standard_input, lambda: _reached(raw, source)
        )


def _reached(raw: IO[bytes], source: TableFile) -> tuple[int, int]:
    if source.is_standard_input or not raw.seekable():
        return 0, 0
    return raw.tell(), os.fstat(raw.fileno()).st_size


@contextmanager
def _raw(source: TableFile) -> Iterator[IO[bytes]]:
    if source.is_standard_input:
        if sys.stdin is None:
            raise InputError(
                source.argument,
                "be an existing file, or - for standard input",
                "- while standard input is closed",
                "Pipe a table into the command, or name a file.",
            )
        yield sys.stdin.buffer
        return
    if source.path.is_dir() or not source.path.exists():
        raise InputError(
            source.argument,
            "be an existing file, or - for standard input",
            f"{'the folder ' if source.path.is_dir() else ''}{str(source.path)!r}",
            "Name a file in it." if source.path.is_dir() else "Check the path.",
        )
    with source.path.open("rb") as raw:
        yield raw


def _peeked(stream: IO[bytes]) -> tuple[bytes, IO[bytes]]:
    """Return the first bytes, and a stream that begins with them; pipes cannot be rewound."""
    head = stream.read(LONGEST_MAGIC)
    return head, io.BufferedReader(_Rewound(head, stream), BUFFER)


class _Rewound(io.RawIOBase):
    """Bytes that were read already, and then the rest."""

    def __init__(self, head: bytes, rest: IO[bytes]) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(part) :]
        buffer[: len(part)] = part
        return len(part)


def _decompressed(head: bytes, stream: IO[bytes], source: TableFile) -> IO[bytes]:
    if head.startswith(b"\x1f\x8b"):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=stream))
    if head.startswith(b"BZh"):
        return bz2.BZ2File(stream)
    if head.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(stream)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return _zstd(stream)
    if head.startswith(b"PK\x03\x04"):
        raise InputError(
            f"{source} cannot be read: it is a zip archive or a spreadsheet. Unpack it, or save "
            "the sheet as CSV."
        )
    return stream


def _zstd(stream: IO[bytes]) -> IO[bytes]:
    try:
        import pyarrow as pa
    except ImportError:
        raise missing_extra("scale", "Reading files compressed with zstd") from None
    return cast("IO[bytes]", pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd"))
