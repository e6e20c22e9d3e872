"""Running a service: its settings, a socket, uvicorn around the application, and signals."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocch.errors import (
    Hint,
    InputError,
    RocchError,
    StorageError,
    UntrustedError,
    escape_controls,
    escape_line,
    missing_extra,
)

try:
    import uvicorn
except ImportError:
    raise missing_extra("service", "Serving") from None

from rocch.hybrid.coin import as_seed
from rocch.inputs import as_number, as_whole
from rocch.library.library import as_place
from rocch.library.objects import LostFileError
from rocch.service.app import create_app
from rocch.service.errors import REQUEST
from rocch.service.policy import Service
from rocch.service.protocol import LimitedProtocol
from rocch.service.security import check_hosts, find_tokens, read_tokens
from rocch.service.served import ServedModel
from rocch.service.sources import open_source
from rocch.service.tables import record_place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

    from rocch.database.places import Place
    from rocch.library import ClassifierLibrary
    from rocch.roc.question import Question
    from rocch.service.sources import Source

MIB = 2**20
# How long requests under way may take once the service ends.
SECONDS_TO_END = 10
# How many connections may be open at once.
CONNECTIONS = 1000
# How many connections may wait to be accepted.
BACKLOG = 2048
# The most worker processes of one machine.
MOST_WORKERS = 256
# Names by which a browser on the same machine calls a service that others cannot reach.
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Limits, seed and places of a service.

    Attributes
    ----------
    max_rows, max_body
        The most rows of one request, and the most bytes of its body.
    read_seconds, decide_seconds
        How long a body may take to arrive, and models to score.
    max_requests
        How many requests may be under way at once, once their bodies are there; more are turned
        away with 503.
    watch_seconds, refresh_seconds
        How often the source is checked for a new version, and the record for a new aim.
    seed
        The seed of the coins; None means the model's own.
    allowed_hosts
        Values of the Host header that are accepted; none means all.
    question
        What to aim at until an operator aims; None means as the model was saved.
    audit
        The file in which each decision is recorded; None means nowhere.
    audit_to_record
        Whether the lines of that file are shipped to the service's record.
    trusted
        Types of one's own in the models, as for `rocch.load`.
    workers
        How many processes `rocch serve` answers with; an application of one's own is one.
    worker
        The name of this process among all that serve the same record, "HOST:PORT/NUMBER".

    Examples
    --------
    >>> from rocch.service import Settings
    >>> Settings(max_rows=10).max_rows
    10
    """

    max_rows: int = 100_000
    max_body: int = 8 * MIB
    read_seconds: float = 10.0
    decide_seconds: float = 30.0
    max_requests: int = 64
    watch_seconds: float = 0.25
    refresh_seconds: float = 0.25
    seed: int | None = None
    allowed_hosts: tuple[str, ...] = ()
    question: Question | None = None
    audit: Path | None = None
    audit_to_record: bool = False
    trusted: tuple[str, ...] = ()
    workers: int = 1
    worker: str = ""

    def __post_init__(self) -> None:
        for name in ("max_rows", "max_body", "max_requests"):
            as_whole(getattr(self, name), name, least=1, hint="It is a limit.")
        for name in ("read_seconds", "decide_seconds", "watch_seconds", "refresh_seconds"):
            as_number(getattr(self, name), name, least=0, hint="It is a number of seconds.")
        as_whole(self.workers, "workers", least=1, most=MOST_WORKERS)
        if self.seed is not None:
            as_seed(self.seed)
        check_hosts(self.allowed_hosts)
        if self.audit_to_record and self.audit is None:
            raise InputError(
                "audit_to_record",
                "come with {audit}, whose lines it ships",
                "no file",
                Hint("State {audit}.", cli="Try --audit FILE."),
            )

    def for_worker(self, number: int, bound: socket.socket) -> Settings:
        """Return the settings of one process, which has a name."""
        return replace(self, worker=f"{socket.gethostname()}:{bound.getsockname()[1]}/{number}")


class _SafeFormatter(logging.Formatter):
    """Lines of the log; names and paths in them cannot control the terminal."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Write a message in one line."""
        return escape_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """Write where an error came from."""
        return escape_controls(super().formatException(ei))


def start_log(level: str, worker: str = "") -> None:
    """Log to standard error from now on; one of several workers names itself in each line."""
    handler = logging.StreamHandler()
    named = f"{worker}: ".replace("%", "%%") if worker else ""
    handler.setFormatter(_SafeFormatter(f"%(levelname)s: {named}%(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])


class Server(uvicorn.Server):
    """A server that announces when it listens, and ends without resetting those who wait.

    The service that it serves, if there is one, learns when it ends.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        announce: Callable[[], object],
        service: Service | None = None,
    ) -> None:
        super().__init__(config)
        self._announce, self._service = announce, service

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End by a signal."""
        self._tell_service()
        super().handle_exit(sig, frame)

    def end(self) -> None:
        """Serve what is under way, and end; any thread may call it."""
        self._tell_service()
        self.should_exit = True

    def _tell_service(self) -> None:
        if self._service is not None:
            self._service.is_ending = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, listen as soon as it can answer, and announce it."""
        await super().startup([])
        for bound in sockets or ():
            try:
                listen(bound)
            except InputError:
                await self.lifespan.shutdown()
                raise
            await self.accept_from(bound)
        if not self.should_exit:
            self._announce()

    async def accept_from(self, bound: socket.socket) -> None:
        """Serve those who connect to a socket from now on."""
        loop = asyncio.get_running_loop()
        found = await loop.create_server(self._protocol, sock=bound, backlog=BACKLOG)
        self.servers.append(found)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept those who are connected already, because closing would reset them, and end."""
        waiting = [found for bound in sockets or () for found in _accept_waiting(bound)]
        for server in self.servers:
            server.close()
        for connection in waiting:
            await self.begin(connection)
        await asyncio.sleep(0)  # connections that were accepted just before begin meanwhile
        await super().shutdown(sockets)

    async def begin(self, connection: socket.socket) -> None:
        """Serve a connection that was accepted."""
        with suppress(OSError):  # it is gone already
            await asyncio.get_running_loop().connect_accepted_socket(self._protocol, connection)

    def _protocol(self) -> LimitedProtocol:
        return LimitedProtocol(self.config, self.server_state, self.lifespan.state)


def _accept_waiting(bound: socket.socket) -> Iterator[socket.socket]:
    """Yield the connections that wait to be accepted."""
    bound.setblocking(False)
    with suppress(OSError):  # there is none left
        while True:
            yield bound.accept()[0]


def open_service(
    source: str | Place | ClassifierLibrary | Source,
    settings: Settings | None = None,
    *,
    state: str | Place | None = None,
    tokens_file: str | Path | None = None,
    reset: bool = False,
    environment: Mapping[str, str] = os.environ,
    lock: bool = True,
) -> Service:
    """Return the service of a saved model, or of a library's current export.

    Its `tokens_file` is the file of its tokens, if they are from one. Call `close` at the end.

    Parameters
    ----------
    source
        A file that `rocch.save` wrote, the folder or URL of a library, or a library. New versions
        are taken over while it runs.
    settings
        Limits, seed and the aim at the start.
    state
        The folder of its record, tokens and lock: by default "model.rocch.service" beside
        "model.rocch", or the library's own. Services on several machines share a record by the URL
        of a PostgreSQL database.
    tokens_file
        A JSON file of the tokens; by default they are from the environment, or made at the first
        start where the record is in a folder.
    reset
        Whether an operator's aim is no longer in force; it stays in the history.
    environment
        Where tokens are looked for.
    lock
        Whether to claim the folder; a worker has it from its supervisor.

    Raises
    ------
    InputError
        If there is nothing to serve, or the tokens cannot be used.

    Examples
    --------
    >>> import pathlib, rocch, tempfile
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from rocch.service import create_app, open_service
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = rocch.RocchClassifier([("nb", GaussianNB())]).fit(X, y)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.rocch"
    >>> digest = rocch.save(model, path)
    >>> service = open_service(path)
    >>> app = create_app(service)  # an ASGI application
    >>> service.close()
    """
    opened, settings = open_source(source), settings or Settings()
    served = _load(opened, settings)
    if settings.question is not None:  # also where an operator's aim is in force
        _ = served.rule_for(settings.question)
    place = find_state(opened, state)
    tokens, kept = find_tokens(
        place, None if tokens_file is None else Path(tokens_file), environment
    )
    service = Service(
        served,
        record_place(place),
        tokens,
        settings,
        source=opened,
        tokens_file=kept,
        lock=lock,
    )
    try:
        if kept is not None:  # again: of several who start at once, this one goes on alone
            service.tokens = read_tokens(kept)
        if reset:
            service.reset_policy()
        service.active_policy(service.served)
    except BaseException:
        service.close()
        raise
    return service


def find_state(source: Source, state: str | Place | None) -> Place:
    """Return where a service keeps its record; a folder is made."""
    place = source.state if state is None else as_place(state, "state")
    if isinstance(place, Path):
        _make_folder(place)
    return place


def read_token(
    source: str | Place,
    role: str,
    *,
    state: str | Place | None = None,
    tokens_file: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> str:
    """Return the token of a role, as the service of a source finds it; it may start later."""
    place = find_state(open_source(source), state)
    token: str = getattr(find_tokens(place, tokens_file, environment)[0], role)
    return token


def _load(source: Source, settings: Settings) -> ServedModel:
    version = source.newest()
    if version is None:
        raise InputError(
            "path",
            "be a library with an export",
            "one without",
            f"Make one with: rocch library export {source.path}",
        )
    try:
        return ServedModel.load(version, seed=settings.seed, trusted=settings.trusted)
    except UntrustedError:
        raise
    except (InputError, OSError) as error:
        what = f"version {version.number}" if version.number else str(source.path)
        reason, hint = f"{error}.", source.remedy
        if isinstance(error, LostFileError):  # another export is better than a backup
            reason = error.problem
        elif isinstance(error, RocchError):
            reason = error.to_text(REQUEST)
            is_away = isinstance(error, StorageError)
            hint = "" if is_away or "hint" in error.to_dict(REQUEST) else hint
        raise InputError(f"{what} cannot be served: {reason}", hint=hint) from error


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise InputError(
            "state",
            "be a folder that can be written",
            f"{str(folder)!r} ({error.strerror})",
            "Name another one.",
        ) from None


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that is bound; port 0 picks a free one.

    Connections are refused until somebody listens, so that balancers try another replica.
    """
    with _address_errors(host, port), ExitStack() as opened:
        host.encode("idna")  # as sockets do, which otherwise raise TypeError
        bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        opened.callback(bound.close)
        if os.name == "posix":  # elsewhere it would share the port with others
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if bound.family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind((host, port))
        opened.pop_all()
    return bound


def listen(bound: socket.socket) -> None:
    """Let connections wait to be accepted; several workers may say so.

    Another command may have bound the same port, and have been faster.
    """
    host, port = bound.getsockname()[:2]
    with _address_errors(host, port):
        bound.listen(BACKLOG)


@contextmanager
def _address_errors(host: str, port: int) -> Iterator[None]:
    try:
        yield
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            "--host, --port", "be a place to listen at", f"{host}:{port} ({reason})", "Use another."
        ) from None


def address_of(bound: socket.socket) -> str:
    """Return the URL of a socket that is bound."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(host: str) -> bool:
    """Whether only the same machine can reach a host's name."""
    return host == "localhost" or host == "::1" or host.startswith("127.")


def hosts_for(host: str, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the Host headers to accept: on loopback few, against pages that rebind names."""
    if is_loopback(host):
        return (*LOOPBACK, f"[{host}]" if ":" in host else host, *allowed)
    return allowed


def run(
    service: Service,
    bound: socket.socket,
    announce: Callable[[], object],
    *,
    log_level: str = "warning",
) -> None:
    """Serve until a signal ends it; requests under way are served first."""
    service.settings = service.settings.for_worker(0, bound)
    handle_signals(service)
    Server(make_config(service, log_level), announce, service).run(sockets=[bound])


def make_config(service: Service, log_level: str) -> uvicorn.Config:
    """Return how uvicorn serves a service."""
    return uvicorn.Config(
        create_app(service),
        http=LimitedProtocol,
        log_level=log_level,
        log_config=None,  # it logs where all else does
        access_log=False,  # it would hold what queries say
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=SECONDS_TO_END,
        ws="none",
    )


def handle_signals(service: Service) -> None:
    """Let SIGTERM end the process well, and SIGHUP open the audit log anew."""
    _handle(signal.SIGTERM, lambda *_: None)  # uvicorn raises it again once all is ended well
    if hasattr(signal, "SIGHUP"):  # always, because by itself it would end the process
        _handle(signal.SIGHUP, lambda *_: service.reopen_audit())


def _handle(number: signal.Signals, handler: Callable[..., Any]) -> None:
    with suppress(ValueError):  # of a thread that is not the main one
        signal.signal(number, handler)
