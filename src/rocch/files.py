"""Files that are written whole or not at all.

The content goes to a temporary name beside the target, which is renamed once it is complete. A
failure or an interruption on the way removes it again and leaves what was there before untouched.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from rocch.errors import InputError, bad_input

if TYPE_CHECKING:
    from collections.abc import Iterator

STANDARD_OUTPUT = ("-", "/dev/stdout")


@contextmanager
def writing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path to write to, which takes the target's place if all goes well.

    A target that is there keeps its mode, a new one gets the usual one; a link keeps pointing to
    the file that is written. `-`, pipes and devices are not replaced: they receive the content
    once it is complete.

    Parameters
    ----------
    path
        Where the content shall be in the end. The temporary path has the same suffix.

    Raises
    ------
    InputError
        If the target cannot be written, in one line.

    Examples
    --------
    >>> import os, tempfile
    >>> from rocch.files import writing
    >>> folder = tempfile.TemporaryDirectory()
    >>> target = os.path.join(folder.name, "answers.csv")
    >>> with writing(target) as temporary:
    ...     size = temporary.write_text("row,answer")
    ...     os.path.exists(target)
    False
    >>> os.listdir(folder.name)
    ['answers.csv']
    >>> folder.cleanup()
    """
    named = Path(path)
    place = _copied if is_stream(named) else _renamed
    try:
        with place(named) as temporary:
            yield temporary
    except BrokenPipeError:  # nobody reads any more, which is no fault of the target
        raise
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{str(named)!r} cannot be written: {reason}.") from None


def check_place(path: Path, argument: str) -> None:
    """Refuse a place where no file can be written; to be asked before long work."""
    if is_stream(path):
        return
    target, came = _target(path), repr(str(path))
    if target.is_dir():
        raise bad_input(argument, "be a file", f"the folder {came}", "Name a file in it.")
    if not target.parent.is_dir():
        raise bad_input(argument, "lie in a folder that is there", came, "Make the folder first.")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise bad_input(
            argument,
            "be a place that may be written",
            came,
            "Check the permissions.",
        )


def is_stream(path: Path) -> bool:
    """Say whether a path is no file to be replaced: standard output, a pipe or a device."""
    if is_standard_output(path):
        return True
    return path.exists() and not path.is_file() and not path.is_dir()


def is_standard_output(path: Path) -> bool:
    """Say whether a path means standard output."""
    return str(path) in STANDARD_OUTPUT


def _target(named: Path) -> Path:
    return Path(os.path.realpath(named))


@contextmanager
def _renamed(named: Path) -> Iterator[Path]:
    target = _target(named)
    _check_replaceable(target)
    temporary = target.with_name(f".rocch-{token_hex(6)}{target.suffix}")
    try:
        # made by hand and not by tempfile, so that the umask decides who may read it
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield temporary
        if target.exists():
            temporary.chmod(S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _check_replaceable(target: Path) -> None:
    """Refuse what renaming would silently replace although writing to it is not allowed."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


@contextmanager
def _copied(named: Path) -> Iterator[Path]:
    with TemporaryDirectory(prefix="rocch-") as folder:
        temporary = Path(folder, f"output{named.suffix}")
        yield temporary
        with temporary.open("rb") as content:
            if is_standard_output(named):
                sys.stdout.flush()
                shutil.copyfileobj(content, sys.stdout.buffer)
                sys.stdout.buffer.flush()
            else:
                with named.open("wb") as stream:
                    shutil.copyfileobj(content, stream)
