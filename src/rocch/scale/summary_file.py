"""Summaries in files: arrays in NumPy's own format, and everything else as JSON."""

from __future__ import annotations

import json
import struct
import tokenize
import zipfile
import zlib
from dataclasses import asdict
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import InputError
from rocch.files import writing
from rocch.kernels.refine import Cells

if TYPE_CHECKING:
    from rocch.scale.summary import FrameSummary

VERSION = 3

DAMAGED = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What NumPy, zip files and JSON raise over content that is not theirs."""


def write_summary(summary: FrameSummary, path: str | Path) -> None:
    """Write a summary to a file."""
    header = {
        "rocch_summary": VERSION,
        "question": {
            **asdict(summary.question),
            "pos_label": _tagged(summary.question.pos_label),
            "by": _tagged(summary.question.by),
        },
        "groups": [_tagged(group) for group in summary.groups],
        "work": asdict(summary.work),
        "rows": summary.rows,
        "exponents": summary.exponents,
        "rounded": summary.rounded,
        "sizes": [cells.low.size for cells in summary.strands],
    }
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(cells, name) for cells in summary.strands])
        for name in Cells._fields
    }
    with writing(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, header=np.array(json.dumps(header)), **columns)


def read_summary(path: str | Path) -> tuple[dict[str, Any], tuple[Cells, ...]]:
    """Read a summary's header and cells from a file."""
    try:
        with Path(path).open("rb") as content, np.load(content, allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            _check_version(header.pop("rocch_summary"), path)
            columns = [file[name] for name in Cells._fields]
        ends = np.cumsum(header.pop("sizes"))[:-1]
        strands = tuple(
            Cells(*cells) for cells in zip(*(np.split(c, ends) for c in columns), strict=True)
        )
        for name in ("pos_label", "by"):
            header["question"][name] = _untagged(header["question"][name])
        header["groups"] = tuple(_untagged(group) for group in header["groups"])
        header["rows"], header["exponents"] = tuple(header["rows"]), tuple(header["exponents"])
        header["rounded"] = tuple(map(bool, header["rounded"]))
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be read: {error.strerror or error}.") from None
    except InputError:
        raise
    except DAMAGED:
        raise InputError(
            f"{str(path)!r} cannot be read as a summary of version {VERSION}. Write it with "
            "FrameSummary.save."
        ) from None
    return header, strands


def _check_version(version: Any, path: str | Path) -> None:
    if not isinstance(version, int):
        raise TypeError
    if version != VERSION:
        raise InputError(
            f"{str(path)!r} must be a summary of version {VERSION}; got version {version}. "
            "Summarise its rows again, with summarise_frame."
        )


def _tagged(value: Any) -> Any:
    """Return a value so that JSON keeps its type."""
    if isinstance(value, tuple):
        return {"tuple": [_tagged(each) for each in value]}
    if isinstance(value, datetime):
        return {"datetime": value.isoformat()}
    if isinstance(value, date):
        return {"date": value.isoformat()}
    return value.item() if isinstance(value, np.generic) else value


def _untagged(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "tuple":
        return tuple(_untagged(each) for each in content)
    return (datetime if kind == "datetime" else date).fromisoformat(content)
