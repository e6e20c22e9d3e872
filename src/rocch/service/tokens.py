"""Tokens: one for each role, compared in constant time, and never shown."""

from __future__ import annotations

import hmac
import json
import logging
import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from rocch.errors import InputError, format_list
from rocch.files import writing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LOG = logging.getLogger("rocch.service")

Role: TypeAlias = Literal["viewer", "caller", "operator"]
ROLES: tuple[Role, ...] = get_args(Role)
"""Who may do what: a viewer reads, a caller decides and gives feedback, an operator does all."""

LEAST_LENGTH = 16
"""Characters of a token."""
BLANK = b"\0\t\n\v\f\r \xef\xbb\xbf\xff\xfe"
"""Bytes that a file without content may consist of: blanks, zeros and marks of the byte order."""
FILE = "tokens.json"
"""Where tokens that nobody gave are kept, inside the library's folder."""


@dataclass(frozen=True, slots=True, repr=False)
class Tokens:
    """The three tokens.

    Examples
    --------
    >>> from rocch.service.tokens import Tokens
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
            if not isinstance(token, str) or len(token) < LEAST_LENGTH or not _sendable(token):
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

        All tokens are compared, each in constant time, so that the time taken tells nothing.
        """
        scheme, _, given = authorization.partition(" ")
        sent = given.strip().encode("utf-8", "surrogateescape")
        same = {role: hmac.compare_digest(sent, getattr(self, role).encode()) for role in ROLES}
        found = [role for role in ROLES if same[role]]
        return found[0] if found and scheme.lower() == "bearer" else None

    @classmethod
    def made(cls) -> Tokens:
        """Return new ones."""
        return cls(*(secrets.token_urlsafe(32) for _ in ROLES))


def find_tokens(
    folder: Path, file: Path | None, environment: Mapping[str, str]
) -> tuple[Tokens, Path | None]:
    """Return the tokens, and the file that holds them, if one does.

    A file that is named comes first, then the environment (ROCCH_VIEWER_TOKEN and so on), then
    the file in the library's folder, which is made where it is not there.
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
    kept = folder / FILE
    if not _is_there(kept):
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
    if not isinstance(content, dict) or set(content) != set(ROLES):
        raise InputError(
            repr(str(file)),
            "hold one JSON object with {expected}",
            "another",
            "Write these.",
            expected=format_list(ROLES),
        )
    return Tokens(**content)


def open_to_others(file: Path) -> bool:
    """Say whether others than its owner may read a file."""
    return os.name == "posix" and bool(file.stat().st_mode & 0o077)


def _is_there(file: Path) -> bool:
    """Say whether there is a file with anything in it; an empty one holds nobody's tokens."""
    try:
        empty = file.is_file() and not file.read_bytes().strip(BLANK)
    except OSError:  # it is there, and cannot be read
        return True
    if empty:
        LOG.warning("%s is empty: whoever was to write it was interrupted. New tokens follow", file)
    return file.exists() and not empty


def _write_tokens(file: Path) -> None:
    tokens = Tokens.made()
    with writing(file, mode=0o600) as temporary:
        content = {role: getattr(tokens, role) for role in ROLES}
        temporary.write_text(json.dumps(content, indent=2), encoding="utf-8")


def _sendable(token: str) -> bool:
    return token.isascii() and token.isprintable() and " " not in token
