"""What a service is opened with, and how it is run."""

import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn

import rocch
from rocch import Question
from rocch.service import Settings, run, security
from rocch.service.security import Tokens, read_tokens
from rocch.service.store import Policy
from tests.support.real_service import make_library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[rocch.library.ClassifierLibrary]:
    with make_library(tmp_path / "models") as made:
        yield made


def opened(library: Any, **more: Any) -> Any:
    settings = Settings(question=Question(max_fpr=0.3))
    return run.open_service(library, settings, environment={}, **more)


def test_the_operators_aim_outlives_the_service_until_it_is_reset(
    library: rocch.library.ClassifierLibrary, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    service = opened(library)
    assert service.tokens_file == tmp_path / "models" / "tokens.json"
    assert service.policy.source == "command line"
    service.put_policy(Policy(question=Question(knob=0.5)))
    service.close()
    again = opened(library)
    assert again.policy.question == Question(knob=0.5)
    again.close()
    for _ in range(2):  # the second time there is nothing to do
        anew = opened(library, reset=True)
        assert anew.policy.question == Question(max_fpr=0.3)
        assert anew.store.count_policies() == 2
        anew.close()
    (message,) = caplog.messages
    assert message.startswith("the operator's aim (")
    assert message.endswith(") is no longer in force, for all that share this record")


def test_an_aim_that_cannot_be_met_is_refused_at_the_start(
    library: rocch.library.ClassifierLibrary,
) -> None:
    settings = Settings(question=Question(max_fpr=0, min_tpr=1))
    with pytest.raises(rocch.InfeasibleError):
        run.open_service(library, settings, environment={})


def test_an_empty_file_of_tokens_does_not_keep_it_from_starting(
    library: rocch.library.ClassifierLibrary, tmp_path: Path
) -> None:
    (tmp_path / "models" / "tokens.json").touch()
    service = opened(library)
    assert service.tokens_file is not None
    assert service.tokens == read_tokens(service.tokens_file)
    service.close()


def test_of_several_who_start_at_once_it_knows_the_tokens_that_stayed(
    library: rocch.library.ClassifierLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {role: f"{role}-of-another-start" for role in ("viewer", "caller", "operator")}
    find = security.find_tokens

    def found(*given: Any) -> Any:
        tokens = find(*given)
        (tmp_path / "models" / "tokens.json").write_text(json.dumps(others))
        return tokens

    monkeypatch.setattr(run, "find_tokens", found)
    service = opened(library)
    assert service.tokens == Tokens(**others)
    service.close()


def test_names_of_loopback_and_others() -> None:
    assert run.hosts_for("127.0.0.1", ("a.example",)) == (
        "localhost",
        "127.0.0.1",
        "[::1]",
        "127.0.0.1",
        "a.example",
    )
    assert run.hosts_for("0.0.0.0", ()) == ()  # noqa: S104 - it is only named
    assert not run.is_loopback("0.0.0.0")  # noqa: S104
    assert run.is_loopback("::1")


def test_addresses() -> None:
    with run.bind("127.0.0.1", 0) as bound:
        assert run.address_of(bound).startswith("http://127.0.0.1:")
    if socket.has_ipv6:
        with run.bind("::1", 0) as bound:
            assert run.address_of(bound).startswith("http://[::1]:")
    for wrong in ("256.256.256.256", "x\u202e", "x\udcff", "x" * 300):
        with pytest.raises(rocch.InputError, match="place to listen"):
            run.bind(wrong, 0)


def test_nobody_is_let_in_before_it_listens() -> None:
    with run.bind("127.0.0.1", 0) as bound:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(bound.getsockname())
        run.listen(bound)
        run.listen(bound)  # as other workers do
        socket.create_connection(bound.getsockname()).close()
        with pytest.raises(rocch.InputError, match="in use"):
            run.bind(*bound.getsockname())


def test_of_two_that_start_at_once_one_is_refused() -> None:
    shut: list[str] = []

    async def app(_scope: Any, receive: Any, send: Any) -> None:
        for phase in ("startup", "shutdown"):
            assert (await receive())["type"] == f"lifespan.{phase}"
            shut.append(phase)
            await send({"type": f"lifespan.{phase}.complete"})

    config = uvicorn.Config(app, lifespan="on", log_level="critical", ws="none")
    server = run.Server(config, lambda: shut.append("announced"))
    with run.bind("127.0.0.1", 0) as first, run.bind(*first.getsockname()) as second:
        run.listen(first)
        with pytest.raises(rocch.InputError, match="in use"):
            server.run(sockets=[second])
    assert shut == ["startup", "shutdown"]


@pytest.mark.parametrize("audit", ["audit.jsonl", None])
def test_it_is_run_without_telling_too_much(
    library: rocch.library.ClassifierLibrary,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    audit: str | None,
) -> None:
    ran: list[Any] = []
    handled: dict[signal.Signals, Any] = {}
    monkeypatch.setattr(run.Server, "run", lambda server, sockets: ran.append((server, sockets)))
    monkeypatch.setattr("rocch.service.run.signal.signal", handled.__setitem__)
    settings = Settings(audit=None if audit is None else tmp_path / audit)
    service = run.open_service(library, settings, environment={})
    with run.bind("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        run.run(service, bound, lambda: None)
    handled[signal.SIGHUP](signal.SIGHUP, None)  # which by itself would end the process
    service.close()
    (server, sockets) = ran[0]
    assert sockets == [bound]
    assert service.settings.worker == f"{socket.gethostname()}:{port}/0"
    assert not server.config.access_log
    assert not server.config.server_header
    assert not server.config.proxy_headers
    assert list(handled) == [signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_rows": 0},
        {"max_body": 1.5},
        {"max_requests": -1},
        {"read_seconds": -1},
        {"decide_seconds": float("nan")},
        {"watch_seconds": "1"},
        {"seed": -1},
        {"workers": 0},
        {"workers": 257},
        {"workers": 1.5},
    ],
)
def test_settings_that_make_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(rocch.InputError) as refused:
        Settings(**wrong)
    assert refused.value.argument == next(iter(wrong))
