import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from rocch import InputError, RocchError
from rocch.service.security import ROLES, Role, Tokens, find_tokens, open_to_others, read_tokens

GIVEN = {role: f"{role}-0123456789abcdef" for role in ROLES}
TOKENS = Tokens(**GIVEN)
NAMED = {f"ROCCH_{role.upper()}_TOKEN": token for role, token in GIVEN.items()}


@pytest.mark.parametrize("role", ROLES)
def test_each_token_is_of_one_role(role: Role) -> None:
    assert TOKENS.role_of(f"Bearer {GIVEN[role]}") == role
    assert TOKENS.role_of(f"bearer  {GIVEN[role]} ") == role


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic viewer-0123456789abcdef",
        "viewer-0123456789abcdef",
        "Bearer viewer-0123456789abcdeF",
        "Bearer viewer-0123456789abcdef0",
        "Bearer \udce4\xff",
    ],
)
def test_anything_else_is_of_none(header: str) -> None:
    assert TOKENS.role_of(header) is None


def test_all_tokens_are_compared_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []

    def compare(sent: bytes, own: bytes) -> bool:
        compared.append(own)
        return sent == own

    monkeypatch.setattr("rocch.service.security.hmac.compare_digest", compare)
    for header in ("Bearer x", f"Bearer {GIVEN['viewer']}", f"Basic {GIVEN['operator']}", ""):
        compared.clear()
        TOKENS.role_of(header)
        assert compared == [GIVEN[role].encode() for role in ROLES]


def test_tokens_are_never_shown() -> None:
    for text in (repr(TOKENS), str(TOKENS), f"{TOKENS}"):
        assert not any(token in text for token in GIVEN.values())
    with pytest.raises(InputError) as refused:
        Tokens("short", GIVEN["caller"], GIVEN["operator"])
    assert "short" not in str(refused.value)


@pytest.mark.parametrize(
    "wrong", ["", "fifteen-letters", "with a space in it", "ümläute-sind-lang"]
)
def test_a_token_must_be_long_and_sendable(wrong: str) -> None:
    with pytest.raises(InputError, match="the caller token must have at least 16"):
        Tokens(GIVEN["viewer"], wrong, GIVEN["operator"])


def test_tokens_must_differ() -> None:
    with pytest.raises(InputError, match="differ"):
        Tokens(GIVEN["viewer"], GIVEN["viewer"], GIVEN["operator"])


def test_they_are_made_once_for_their_owner_alone(tmp_path: Path) -> None:
    made, file = find_tokens(tmp_path, None, {})
    assert file == tmp_path / "tokens.json"
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert not open_to_others(file)
    assert find_tokens(tmp_path, None, {}) == (made, file)
    assert set(json.loads(file.read_text())) == set(ROLES)
    assert Tokens.generate() != made


def test_the_environment_and_a_named_file_come_first(tmp_path: Path) -> None:
    assert find_tokens(tmp_path, None, NAMED) == (TOKENS, None)
    assert not (tmp_path / "tokens.json").exists()
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({role: f"file-{token}" for role, token in GIVEN.items()}))
    file.chmod(0o644)
    found, named = find_tokens(tmp_path, file, NAMED)
    assert named == file
    assert found.viewer == f"file-{GIVEN['viewer']}"
    assert open_to_others(file)


def test_part_of_the_environment_is_not_enough(tmp_path: Path) -> None:
    part = {name: token for name, token in NAMED.items() if "CALLER" not in name}
    with pytest.raises(InputError, match="ROCCH_CALLER_TOKEN"):
        find_tokens(tmp_path, None, part)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("", "no JSON"),
        ("[]", "one JSON object"),
        ("5", "got no 'viewer', 'caller', 'operator'"),
        ('{"viewer": "x"}', "got no 'caller', 'operator'"),
        (json.dumps(GIVEN | {"admin": "x"}), "got further names"),
        (json.dumps(GIVEN | {"operator": 5}), "operator token"),
    ],
)
def test_a_file_that_holds_no_tokens(content: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(content)
    with pytest.raises(InputError, match=words):
        read_tokens(file)


def test_a_file_or_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_tokens(tmp_path / "none.json")
    with pytest.raises(InputError, match="can be written"):
        find_tokens(tmp_path / "none", None, {})


@pytest.mark.parametrize(
    "content", [b"", b" \n\t\r\n", bytes(300), b"\xef\xbb\xbf", b"\xff\xfe", b"\xef\xbb\xbf \n"]
)
def test_an_empty_file_is_written_anew(content: bytes, tmp_path: Path, caplog: Any) -> None:
    file = tmp_path / "tokens.json"
    file.touch(mode=0o644)
    file.write_bytes(content)
    made, kept = find_tokens(tmp_path, None, {})
    assert kept == file
    assert read_tokens(file) == made
    assert not open_to_others(file)
    assert "is empty" in caplog.text
    assert not any(token in caplog.text for token in json.loads(file.read_text()).values())
    caplog.clear()
    assert find_tokens(tmp_path, None, {}) == (made, file)
    assert not caplog.text


def test_a_file_that_is_no_json_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    file.write_text('{"viewer": "mine')
    with pytest.raises(InputError, match=r"no JSON\. Correct it, or move it away\."):
        find_tokens(tmp_path, None, {})
    assert file.read_text() == '{"viewer": "mine'


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
@pytest.mark.timeout(30)
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    os.mkfifo(file)
    for named in (None, file):
        with pytest.raises(InputError, match="must be a regular file"):
            find_tokens(tmp_path, named, {})
    assert file.is_fifo()


def test_nothing_is_left_of_tokens_that_could_not_be_written(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")  # not on Windows
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with pytest.raises(RocchError, match="cannot be written"):
            find_tokens(tmp_path, None, {})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []
    assert find_tokens(tmp_path, None, {})[1] == tmp_path / "tokens.json"
