"""Who may ask for what, and what every answer says to browsers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase
from starlette.requests import Request

from rocch.service.errors import ServiceError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from rocch.service.tokens import Tokens

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
HEALTH = "/v1/health"
"""Answered however many requests are under way: a busy service is not a dead one."""
SMALL_BODY = 64 * 1024
"""Bytes of a body that may arrive however much others send."""
RawHeaders: TypeAlias = list[tuple[bytes, bytes]]
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""Names by which a browser on the same machine calls a service that others cannot reach."""


class Require(SecurityBase):
    """A dependency that lets some roles pass, and says which one came."""

    def __init__(self, *roles: str) -> None:
        self.roles = roles
        self.model = HTTPBearer(description="The token of a role.")
        self.scheme_name = "token"

    async def __call__(self, request: Request) -> str:
        """Return the role whose token came, or refuse."""
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
        return role


def require(*roles: str) -> Require:
    """Return the dependency that lets these roles pass: `Depends(require("operator"))`."""
    return Require(*roles)


class Guard:
    """The outermost layer: hosts that are meant, not too many requests, and headers on all answers.

    A request is under way once its body is there: slow senders do not keep others away. Bodies that
    are arriving may have as many bytes together as those of all requests under way. Pure ASGI,
    because it stands before every request.
    """

    def __init__(
        self, app: ASGIApp, *, allowed_hosts: tuple[str, ...], max_requests: int, max_body: int
    ) -> None:
        self.app = app
        self.hosts = frozenset(host.lower() for host in allowed_hosts)
        self.max_requests = max_requests
        self.max_arriving = max_requests * max_body
        self.under_way = 0
        self.arriving = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = with_own_headers(message["headers"], scope["path"])
            await send(message)

        if scope["path"] == HEALTH:
            await self._handler(scope)(scope, receive, with_headers)
            return
        body = _Body(self, receive)
        self.under_way += 1
        try:
            await self._handler(scope)(scope, body.receive, with_headers)
        finally:
            self.under_way -= 1
            body.forget()

    def _handler(self, scope: Scope) -> ASGIApp:
        refused = self._refused(scope)
        return self.app if refused is None else refused.answer()

    def _refused(self, scope: Scope) -> ServiceError | None:
        named = [value for name, value in scope["headers"] if name == b"host"]
        wrong = _wrong_host(named, self.hosts)
        if wrong is not None:
            return ServiceError(400, "bad_host", f"the Host header must {wrong}")
        if self.under_way > self.max_requests and scope["path"] != HEALTH:
            return self.too_many
        return None

    @property
    def too_many(self) -> ServiceError:
        """The refusal of one request too many."""
        return ServiceError(
            503,
            "unavailable",
            f"there are {self.max_requests} requests under way already. Try again.",
            headers={"Retry-After": "1"},
        )


class _Body:
    """The body of a request that passes the guard; while it is awaited, others go on."""

    def __init__(self, guard: Guard, receive: Receive) -> None:
        self._guard, self._receive = guard, receive
        self._size, self._whole = 0, False

    async def receive(self) -> Message:
        """Return what arrives next, or refuse the request if there is no room for it."""
        if self._whole:
            return await self._receive()
        guard = self._guard
        guard.under_way -= 1
        try:
            message = await self._receive()
        finally:
            guard.under_way += 1
        if not message.get("more_body", False):
            self._whole = True
            self.forget()
            if guard.under_way > guard.max_requests:
                raise guard.too_many
            return message
        size = len(message.get("body", b""))
        self._size += size
        guard.arriving += size
        if guard.arriving > guard.max_arriving and self._size > SMALL_BODY:
            raise ServiceError(
                503,
                "unavailable",
                "there are too many large requests arriving already. Try again.",
                headers={"Retry-After": "1", "Connection": "close"},
            )
        return message

    def forget(self) -> None:
        """Count its bytes no more."""
        self._guard.arriving -= self._size
        self._size = 0


def _wrong_host(named: list[bytes], hosts: frozenset[str]) -> str | None:
    """Say what the Host header must be, if it is not."""
    if len(named) > 1:  # a proxy might go by the one, and we by the other
        return f"be sent once; it came {len(named)} times. Leave the others out."
    if not hosts:
        return None
    if not named or not named[0]:
        return "name this service; there is none. Send one."
    if host_name(named[0].decode("latin-1")) not in hosts:
        return (
            "name this service; it names another. "
            "Start it with --allowed-host to answer to that name."
        )
    return None


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
    """Return the headers of every answer under a path."""
    return _OF_THE_PAGE if _is_page(path) else _OF_THE_API


def with_own_headers(raw: RawHeaders, path: str) -> RawHeaders:
    """Return an answer's headers, as servers send them, with those of every answer under a path."""
    return [*raw, *(_RAW_PAGE if _is_page(path) else _RAW_API)]


def _is_page(path: str) -> bool:
    return path == "/" or path.startswith("/page/")


def _raw(headers: dict[str, str]) -> RawHeaders:
    """Return headers as servers send them; made once, because every answer has them."""
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


_OF_THE_PAGE = {**COMMON, "Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}
_OF_THE_API = {**COMMON, "Content-Security-Policy": API_POLICY, "Cache-Control": "no-store"}
_RAW_PAGE, _RAW_API = _raw(_OF_THE_PAGE), _raw(_OF_THE_API)
