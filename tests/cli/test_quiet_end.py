"""Standard error is silenced only once everything is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.cli import quiet_end

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_stream_is_silenced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "errors").open("wb", buffering=0) as stream:
        monkeypatch.setattr(quiet_end, "ERROR_STREAM", stream.fileno())
        stream.write(b"heard")
        quiet_end._silence()
        stream.write(b"not heard")
    assert (tmp_path / "errors").read_bytes() == b"heard"
