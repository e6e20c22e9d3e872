"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

import rocch
from rocch.files import check_place, is_stream, writing


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_the_target_appears_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "hull.png"
    with writing(target) as temporary:
        temporary.write_text("half", encoding="utf-8")
        assert temporary.suffix == ".png"
        assert temporary.parent == tmp_path
        assert not target.exists()
    assert target.read_text(encoding="utf-8") == "half"
    assert names(tmp_path) == ["hull.png"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, RuntimeError, MemoryError])
def test_whatever_goes_wrong_leaves_what_was_there(
    tmp_path: Path, error: type[BaseException]
) -> None:
    target = tmp_path / "a.csv"
    target.write_text("before", encoding="utf-8")

    def fail() -> None:
        with writing(target) as temporary:
            temporary.write_text("half", encoding="utf-8")
            raise error

    with pytest.raises(error):
        fail()
    assert target.read_text(encoding="utf-8") == "before"
    assert names(tmp_path) == ["a.csv"]


def test_content_is_on_the_disk_before_its_name_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, steps = tmp_path / "a.csv", list[str]()
    sync, replace = os.fsync, Path.replace

    def synced(handle: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"
        steps.append(f"{kind} of {os.fstat(handle).st_size if kind == 'file' else 'names'}")
        sync(handle)

    def renamed(self: Path, other: Path) -> Path:
        steps.append("name")
        return replace(self, other)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    with writing(target) as temporary:
        temporary.write_text("whole", encoding="utf-8")
    assert steps == ["file of 5", "name", *(["folder of names"] * (os.name != "nt"))]


@pytest.mark.skipif(sys.platform == "win32", reason="modes of Unix")
def test_a_file_for_its_owner_alone(tmp_path: Path) -> None:
    target = tmp_path / "tokens.json"
    target.touch(mode=0o644)
    with writing(target, mode=0o600) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_broken_pipe_is_not_the_fault_of_the_target(tmp_path: Path) -> None:
    def fail() -> None:
        with writing(tmp_path / "a.csv"):
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        fail()


@pytest.mark.skipif(sys.platform == "win32", reason="modes of Unix")
def test_nobody_reads_the_new_content_who_may_not_read_the_old(tmp_path: Path) -> None:
    target = tmp_path / "private"
    target.touch(mode=0o600)
    with writing(target) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_new_file_gets_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    new, old, plain = tmp_path / "new", tmp_path / "old", tmp_path / "plain"
    plain.touch()
    old.touch(mode=0o640)
    old.chmod(0o640)
    for target in (new, old):
        with writing(target) as temporary:
            temporary.write_text("x", encoding="utf-8")
    assert stat.S_IMODE(new.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    assert stat.S_IMODE(old.stat().st_mode) == 0o640


def test_a_link_keeps_pointing_to_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "far"
    folder.mkdir()
    link = tmp_path / "link.csv"
    link.symlink_to(folder / "real.csv")
    for text in ("new", "again"):
        with writing(link) as temporary:
            temporary.write_text(text, encoding="utf-8")
        assert link.is_symlink()
        assert (folder / "real.csv").read_text(encoding="utf-8") == text
    assert names(folder) == ["real.csv"]


@pytest.mark.parametrize("dash", ["-", "/dev/stdout"])
def test_standard_output_gets_the_whole(capfd: pytest.CaptureFixture[str], dash: str) -> None:
    with writing(dash) as temporary:
        temporary.write_text("all\n", encoding="utf-8")
    assert capfd.readouterr().out == "all\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    with writing(pipe) as temporary:
        temporary.write_text("through", encoding="utf-8")
    reader.join()
    assert read == ["through"]
    assert is_stream(pipe)
    assert names(tmp_path) == ["pipe"]


def test_places_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    for place, why in ((tmp_path, "directory"), (tmp_path / "no" / "a.csv", "No such file")):
        with pytest.raises(rocch.InputError, match=f"can be written; got .*{why}"), writing(place):
            pass


def test_what_may_not_be_written_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.csv"
    target.write_text("mine", encoding="utf-8")
    monkeypatch.setattr(os, "access", lambda *_: False)  # a superuser may write anything
    with pytest.raises(rocch.InputError, match="Permission denied"), writing(target):
        pass
    with pytest.raises(rocch.InputError, match="--output must be writable"):
        check_place(target, "--output")
    assert target.read_text(encoding="utf-8") == "mine"


def test_places_are_checked_before_long_work(tmp_path: Path) -> None:
    check_place(tmp_path / "new.csv", "--output")
    check_place(Path("-"), "--output")
    with pytest.raises(rocch.InputError, match="--output must be a file; got the folder"):
        check_place(tmp_path, "--output")
    with pytest.raises(rocch.InputError, match="--output must be in an existing folder"):
        check_place(tmp_path / "no" / "a.csv", "--output")
