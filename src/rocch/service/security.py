"""Who may do what: tokens of three roles, the limits on requests, and headers for browsers."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase
from starlette.requests import Request

from rocch.database.postgres import DatabaseUrl
from rocch.errors import Hint, InputError, format_list
from rocch.files import writing
from rocch.service.errors import RETRY, ServiceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from prometheus_client import Counter
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from rocch.database.places import Place
    from rocch.service.run import Settings

LOG = logging.getLogger("rocch.service")

# A viewer reads, a caller decides and gives feedback, an operator may do everything.
Role: TypeAlias = Literal["viewer", "caller", "operator"]
ROLES: tuple[Role, ...] = get_args(Role)
# Characters of a token.
LEAST_LENGTH = 16
# Bytes that a file without content may consist of: blanks, zeros and marks of the byte order.
BLANK = b"\0\t\n\v\f\r \xef\xbb\xbf\xff\xfe"
# Where generated tokens are kept, inside the service's folder.
TOKENS_FILE = "tokens.json"

COMMON = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
API_POLICY = "default-src 'none'; frame-ancestors 'none'"
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
PAGE_HEADERS = {**COMMON, "Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}
API_HEADERS = {**COMMON, "Content-Security-Policy": API_POLICY, "Cache-Control": "no-store"}
RawHeaders: TypeAlias = list[tuple[bytes, bytes]]
# These paths respond however many requests are under way: a busy service is not a dead one.
PROBES = frozenset({"/v1/health", "/v1/ready"})
# A host in lower case, as browsers send it; an address of IPv6 is in brackets.
HOST = re.compile(r"[a-z0-9_.-]+|\[[0-9a-f:.]+\]")
# Bytes of a body that may arrive however much others send.
SMALL_BODY = 64 * 1024
# For responses that come before the body has been read to its end.
CLOSE = {"Connection": "close"}


@dataclass(frozen=True, slots=True, repr=False)
class Tokens:
    """The three tokens, compared in constant time and never shown.

    Examples
    --------
    >>> from rocch.service.security import Tokens
    >>> tokens = Tokens("viewer-token-0001", "caller-token-0001", "operator-token-1")
    >>> tokens.role_of("Bearer caller-token-0001")
    'caller'
    >>> tokens
    Tokens(...)
    """

    viewer: str
    caller: str
    operator: str

    def __post_init__(self) -> None:
        for role in ROLES:
            token = getattr(self, role)
            if not isinstance(token, str) or len(token) < LEAST_LENGTH or not _is_sendable(token):
                raise InputError(
                    f"the {role} token",
                    f"have at least {LEAST_LENGTH} characters, of ASCII and without spaces",
                    "another one",  # a token is never shown, not even a wrong one
                    "Make one with: python -c 'import secrets; print(secrets.token_urlsafe(32))'",
                )
        if len({self.viewer, self.caller, self.operator}) < len(ROLES):
            raise InputError("tokens", "differ", "the same for two roles", "Make one for each.")

    def __repr__(self) -> str:
        return "Tokens(...)"

    def role_of(self, authorization: str) -> Role | None:
        """Return whose token an Authorization header carries, if anyone's.

        All tokens are compared, each in constant time, so that the time taken reveals nothing.
        """
        scheme, _, given = authorization.partition(" ")
        sent = given.strip().encode("utf-8", "surrogateescape")
        same = {role: hmac.compare_digest(sent, getattr(self, role).encode()) for role in ROLES}
        found = [role for role in ROLES if same[role]]
        return found[0] if found and scheme.lower() == "bearer" else None

    @classmethod
    def generate(cls) -> Tokens:
        """Return new ones."""
        return cls(*(secrets.token_urlsafe(32) for _ in ROLES))


def find_tokens(
    state: Place, file: Path | None, environment: Mapping[str, str]
) -> tuple[Tokens, Path | None]:
    """Return the tokens, and the file that holds them, if one does.

    A file that is named comes first, then the environment (ROCCH_VIEWER_TOKEN and so on), then
    the file in the service's folder, which is written where it does not exist.

    Raises
    ------
    InputError
        If they cannot be used, or there are none and no folder to make them in.
    """
    if file is not None:
        return read_tokens(file), file
    given = {role: environment.get(f"ROCCH_{role.upper()}_TOKEN") for role in ROLES}
    if any(given.values()):
        missing = [f"ROCCH_{role.upper()}_TOKEN" for role in ROLES if not given[role]]
        if missing:
            raise InputError(
                "the environment", "name all tokens", f"no {format_list(missing)}", "Set it."
            )
        return Tokens(*(str(given[role]) for role in ROLES)), None
    if isinstance(state, DatabaseUrl):
        raise InputError(
            "tokens",
            "be named where the record is on a server, the same on all machines",
            "none",
            Hint(
                "Name {tokens_file}, or set ROCCH_VIEWER_TOKEN, ROCCH_CALLER_TOKEN and "
                "ROCCH_OPERATOR_TOKEN.",
                cli="Try --tokens FILE, or set ROCCH_VIEWER_TOKEN, ROCCH_CALLER_TOKEN and "
                "ROCCH_OPERATOR_TOKEN.",
            ),
        )
    kept = state / TOKENS_FILE
    if not _has_content(kept):
        _write_tokens(kept)
    return read_tokens(kept), kept


def read_tokens(file: Path) -> Tokens:
    """Read tokens from a JSON file with the three roles."""
    if file.exists() and not file.is_file():  # a pipe would be waited for, and can be read once
        raise InputError(repr(str(file)), "be a regular file", "another kind", "Move it away.")
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "it is no JSON"
        raise InputError(
            f"{str(file)!r} cannot be read: {reason}. Correct it, or move it away."
        ) from None
    found = set(content) if isinstance(content, dict) else set()
    missing = [role for role in ROLES if role not in found]
    if missing or len(found) > len(ROLES):
        raise InputError(
            repr(str(file)),
            "hold one JSON object with {expected}",
            f"no {format_list(missing)}" if missing else "further names",
            "Write these.",
            expected=format_list(ROLES),
        )
    return Tokens(**content)


def open_to_others(file: Path) -> bool:
    """Whether others than its owner may read a file."""
    return os.name == "posix" and bool(file.stat().st_mode & 0o077)


def _has_content(file: Path) -> bool:
    """Whether there is a file with anything in it; an empty one holds nobody's tokens."""
    try:
        empty = file.is_file() and not file.read_bytes().strip(BLANK)
    except OSError:  # it exists, and cannot be read
        return True
    if empty:
        LOG.warning("%s is empty: whoever was to write it was interrupted. New tokens follow", file)
    return file.exists() and not empty


def _write_tokens(file: Path) -> None:
    tokens = Tokens.generate()
    with writing(file, mode=0o600) as temporary:
        content = {role: getattr(tokens, role) for role in ROLES}
        temporary.write_text(json.dumps(content, indent=2), encoding="utf-8")


def _is_sendable(token: str) -> bool:
    return token.isascii() and token.isprintable() and " " not in token


class Require(SecurityBase):
    """A dependency that lets some roles pass, and returns the one that came.

    The route checks it before it reads the body, which FastAPI would read first.
    """

    def __init__(self, *roles: Role) -> None:
        self.roles = roles
        self.model = HTTPBearer(description="The token of a role.")
        self.scheme_name = "token"

    async def __call__(self, request: Request) -> Role:
        """Return the role whose token came."""
        role: Role = request.state.role
        return role

    def check(self, request: Request) -> None:
        """Refuse a request without the token of one of the roles."""
        sent = request.headers.get("authorization", "")
        tokens: Tokens = request.app.state.service.tokens
        role = tokens.role_of(sent)
        if role is None:
            raise ServiceError(
                401,
                "not_authorized",
                "the token must be one of this service's; got "
                f"{'another one' if sent else 'none'}. Send it as Authorization: Bearer TOKEN.",
                headers={"WWW-Authenticate": "Bearer"},
            )
        if role not in self.roles:
            allowed = " or ".join(self.roles)
            raise ServiceError(
                403,
                "forbidden",
                f"the token must be of the {allowed}; got that of the {role}. Use the other one.",
            )
        request.state.role = role


class Guard:
    """The outermost layer: the host's name, limits on requests, and what all responses have.

    A request is under way once its body is there: slow senders do not keep others away. Bodies that
    are arriving may have as many bytes together as those of all requests under way. Pure ASGI,
    because it stands before every request.
    """

    def __init__(self, app: ASGIApp, *, settings: Settings, responses: Counter) -> None:
        self.app, self.settings, self.responses = app, settings, responses
        self.hosts = frozenset(map(host_name, settings.allowed_hosts))
        self.max_arriving = settings.max_requests * settings.max_body
        self.under_way = 0
        self.arriving = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refused = self._find_refusal(scope)
        app = self.app if refused is None else refused.to_response()

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = add_headers(message["headers"], scope["path"])
                # what no route knows counts as one place, so that strangers cannot make many
                route = getattr(scope.get("route"), "path", "other")
                self.responses.labels(route, message["status"]).inc()
            await send(message)

        if scope["path"] in PROBES:
            await app(scope, receive, send_on)
            return
        body = _IncomingBody(self, scope, receive)
        self.under_way += 1
        try:
            await app(scope, body.receive, send_on)
        finally:
            self.under_way -= 1
            body.release()

    def _find_refusal(self, scope: Scope) -> ServiceError | None:
        named = [value for name, value in scope["headers"] if name == b"host"]
        problem = _find_host_problem(named, self.hosts)
        if problem is not None:
            return ServiceError(400, "bad_host", f"the Host header must {problem}")
        if self.under_way >= self.settings.max_requests and scope["path"] not in PROBES:
            return self.too_many
        return None

    @property
    def too_many(self) -> ServiceError:
        """The refusal of one request too many."""
        most = self.settings.max_requests
        message = f"there are {most} requests under way already. Try again."
        return ServiceError(503, "unavailable", message, headers=RETRY)


class _IncomingBody:
    """The body of a request that passes the guard; while it is awaited, others go on."""

    def __init__(self, guard: Guard, scope: Scope, receive: Receive) -> None:
        self._guard, self._scope, self._receive = guard, scope, receive
        self._size, self._whole = 0, False
        self._deadline: float | None = None

    async def receive(self) -> Message:
        """Return what arrives next, or refuse the request if it is too much or too late."""
        if self._whole:
            return await self._receive()
        guard = self._guard
        if self._deadline is None:
            self._begin()
        guard.under_way -= 1
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise ServiceError(
                408,
                "timeout",
                f"the body must arrive within {guard.settings.read_seconds:g} s; it did not. "
                "Send it at once, or in smaller parts.",
                headers=CLOSE,
            ) from None
        finally:
            guard.under_way += 1
        self._count(len(message.get("body", b"")))
        if not message.get("more_body", False):
            self._whole = True
            self.release()
            if guard.under_way > guard.settings.max_requests:
                raise guard.too_many
        elif guard.arriving > guard.max_arriving and self._size > SMALL_BODY:
            reason = "there are too many large requests arriving already. Try again."
            raise ServiceError(503, "unavailable", reason, headers=RETRY | CLOSE)
        return message

    def _begin(self) -> None:
        self._deadline = asyncio.get_running_loop().time() + self._guard.settings.read_seconds
        stated = dict(self._scope["headers"]).get(b"content-length", b"0")
        if stated.isdigit() and int(stated[:20]) > self._guard.settings.max_body:
            raise self._too_large

    def _count(self, size: int) -> None:
        self._size += size
        self._guard.arriving += size
        if self._size > self._guard.settings.max_body:
            raise self._too_large

    def release(self) -> None:
        """Count its bytes no more."""
        self._guard.arriving -= self._size
        self._size = 0

    @property
    def _too_large(self) -> ServiceError:
        most = self._guard.settings.max_body
        message = (
            f"the body must have at most {most} bytes; it has more. Send fewer rows at a time."
        )
        return ServiceError(413, "too_large", message, headers=CLOSE)


def _find_host_problem(named: list[bytes], hosts: frozenset[str]) -> str | None:
    """Return what the Host header must be, if it is not."""
    if len(named) > 1:  # a proxy might go by the one, and we by the other
        return f"be sent once; it came {len(named)} times. Leave the others out."
    if not hosts:
        return None
    if not named or not named[0]:
        return "name this service; there is none. Send one."
    if host_name(named[0].decode("latin-1")) not in hosts:
        return "name this service; it names another. Start it with --allowed-host for that name."
    return None


def check_hosts(names: Iterable[str]) -> None:
    """Refuse what no Host header can name, such as URLs and patterns."""
    for name in names:
        if not HOST.fullmatch(host_name(name)):
            raise InputError(
                "allowed_host",
                "be the name of a host, with or without a port",
                repr(name),
                "For example: rocch.example",
            )


def host_name(host: str) -> str:
    """Return a Host header without its port.

    Examples
    --------
    >>> from rocch.service.security import host_name
    >>> host_name("localhost:8000"), host_name("[::1]:8000"), host_name("[::1]")
    ('localhost', '[::1]', '[::1]')
    """
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def headers_for(path: str) -> dict[str, str]:
    """Return the headers of every response under a path."""
    return PAGE_HEADERS if _is_page(path) else API_HEADERS


def add_headers(raw: RawHeaders, path: str) -> RawHeaders:
    """Return a response's headers, as servers send them, with those of its path."""
    return [*raw, *(RAW_PAGE_HEADERS if _is_page(path) else RAW_API_HEADERS)]


def _is_page(path: str) -> bool:
    return path == "/" or path.startswith("/page/")


# As servers send them; made once, because every response has them.
RAW_PAGE_HEADERS, RAW_API_HEADERS = (
    [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    for headers in (PAGE_HEADERS, API_HEADERS)
)
