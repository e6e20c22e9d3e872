"""Files that are written whole or not at all.

The content goes to a temporary file (`.incoming-` and 12 digits) that replaces the target.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE
from tempfile import gettempdir
from types import FrameType

from rocch.errors import InputError, StorageError

STANDARD_OUTPUT = ("-", "/dev/stdout")

# Errors of the disk; all others concern the path.
FAILURES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


@contextmanager
def writing(path: str | Path, *, mode: int | None = None) -> Iterator[Path]:
    """Yield a temporary path that replaces the target if the body succeeds.

    Links are followed; `-`, pipes and devices receive the content once it is complete. The
    temporary file is removed when the body raises, and on SIGTERM in the main thread unless the
    program has its own handler, which should raise.

    Parameters
    ----------
    path
        The target. The temporary path has the same suffix.
    mode
        Permissions, for example 0o600. By default those of an existing target stay.

    Examples
    --------
    >>> import os, tempfile
    >>> from rocch.files import writing
    >>> folder = tempfile.TemporaryDirectory()
    >>> target = os.path.join(folder.name, "predictions.csv")
    >>> with writing(target) as temporary:
    ...     size = temporary.write_text("row,prediction")
    ...     os.path.exists(target)
    False
    >>> os.listdir(folder.name)
    ['predictions.csv']
    >>> folder.cleanup()
    """
    named = Path(path)
    try:
        target = Path(os.path.realpath(named))
        with _copy_to(named) if is_stream(named) else replace_file(target, mode) as temporary:
            yield temporary
    except (BrokenPipeError, StorageError):  # the reader is gone, or the message is clear
        raise
    except OSError as error:
        reason, place = error.strerror or str(error), repr(str(named))
        if error.errno in FAILURES:
            raise StorageError(f"{place} cannot be written: {reason}.") from None
        raise InputError(place, "be a file that can be written", reason) from None


@contextmanager
def replace_file(target: Path, mode: int | None = None) -> Iterator[Path]:
    """Do as `writing` for a file that is no link, and raise the system's own errors."""
    _check_replaceable(target)
    temporary = target.with_name(f".incoming-{token_hex(6)}{target.suffix}")
    with remove_at_end(temporary):
        # without tempfile, so that the umask applies
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
        if mode is None and target.exists():
            mode = S_IMODE(target.stat().st_mode)
        # readable by no more users than the target, and writable by its owner
        os.close(os.open(temporary, flags, 0o666 if mode is None else mode & 0o666 | 0o600))
        yield temporary
        _sync(temporary, os.O_RDWR)  # the content must be on disk before the rename
        if mode is not None:
            temporary.chmod(mode)  # last, since it may forbid opening
        temporary.replace(target)
        sync_folder(target.parent)


# Temporary files and folders of this process.
_unfinished: set[Path] = set()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unfinished.clear)  # the parent removes them


@contextmanager
def remove_at_end(temporary: Path) -> Iterator[None]:
    """Remove a temporary file or folder at the end, also on SIGTERM."""
    handled = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )
    _unfinished.add(temporary)
    if handled:  # Python would end without any clean-up
        signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        _remove(temporary)
        if handled:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _unfinished.discard(temporary)


def sync_folder(folder: Path) -> None:
    """Flush a folder's entries to disk, where the system supports it."""
    if os.name == "nt":
        return
    with suppress(PermissionError):  # a folder that may be written, but not read
        _sync(folder, os.O_RDONLY)


def check_place(path: Path, argument: str) -> None:
    """Refuse a path that cannot be written; call it before long work."""
    if is_stream(path):
        return
    target, got = Path(os.path.realpath(path)), repr(str(path))
    if target.is_dir():
        raise InputError(argument, "be a file", f"the folder {got}", "Name a file in it.")
    if not target.parent.is_dir():
        raise InputError(argument, "be in an existing folder", got, "Create the folder first.")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise InputError(argument, "be writable", got, "Check the permissions.")


def is_stream(path: Path) -> bool:
    """Return whether a path is standard output, a pipe or a device."""
    special = path.exists() and not path.is_file() and not path.is_dir()
    return special or is_standard_output(path)


def is_standard_output(path: Path) -> bool:
    """Return whether a path means standard output."""
    return str(path) in STANDARD_OUTPUT


def _check_replaceable(target: Path) -> None:
    """Refuse what a rename would replace although it may not be written."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # the system does not support it
            raise
    finally:
        os.close(handle)


@contextmanager
def _copy_to(named: Path) -> Iterator[Path]:
    folder = Path(gettempdir(), f"rocch-{token_hex(6)}")
    with remove_at_end(folder):
        folder.mkdir(mode=0o700)
        temporary = folder / f"output{named.suffix}"
        yield temporary
        with temporary.open("rb") as content:
            if is_standard_output(named):
                sys.stdout.flush()
                shutil.copyfileobj(content, sys.stdout.buffer)
                sys.stdout.buffer.flush()
            else:
                with named.open("wb") as stream:
                    shutil.copyfileobj(content, stream)


def _end(number: int, _frame: FrameType | None) -> None:
    for temporary in list(_unfinished):
        _remove(temporary)
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def _remove(temporary: Path) -> None:
    """Remove what is left; a failure must not hide the original error."""
    if temporary.is_dir():
        shutil.rmtree(temporary, ignore_errors=True)
    elif temporary.exists():
        with suppress(OSError):
            temporary.unlink()


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of a content in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()
