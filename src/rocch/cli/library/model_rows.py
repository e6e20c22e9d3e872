"""A saved model, from a file."""

from __future__ import annotations

import hashlib
from io import BytesIO
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

from rocch.cli.data import is_saved
from rocch.errors import InputError
from rocch.hybrid.model_files import read_models

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def load_model(path: Path, name: str, *, trust: Iterable[str], digest: str | None) -> Any:
    """Read a fitted model from a file of skops', after its types were found on the allow-list."""
    if is_saved(path):
        raise InputError(
            "--model",
            "be a single classifier in a skops file",
            f"{str(path)!r}, a hybrid of several",
            "Add its classifiers one by one, or the hybrid's scores as a column.",
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            "--model", "be a file that can be read", f"{str(path)!r} ({error.strerror})", "Name it."
        ) from None
    if not _is_skops(content):
        raise InputError(
            "--model",
            "be a whole file that skops wrote",
            repr(str(path)),
            "Save the fitted classifier with skops.io.dump; pickles are not read.",
        )
    if digest is not None and hashlib.sha256(content).hexdigest() != digest.lower():
        raise InputError(
            "--digest",
            f"be the SHA-256 of {path}",
            "another",
            "The file was altered, or the digest is that of another.",
        )
    return read_models({name: content}, trust, known=digest is not None)[name]


def _is_skops(content: bytes) -> bool:
    try:
        with ZipFile(BytesIO(content)) as archive:
            return "schema.json" in archive.namelist()
    except BadZipFile:
        return False
