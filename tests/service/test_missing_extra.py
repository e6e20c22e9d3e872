"""Without the `service` extra its names say what to install."""

from __future__ import annotations

import sys

import pytest

import rocch


@pytest.mark.parametrize(
    ("package", "name"), [("fastapi", "create_app"), ("uvicorn", "open_service")]
)
def test_what_is_missing_is_named(package: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [m for m in sys.modules if m.startswith("rocch.service")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.delattr(rocch, "service", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(rocch.MissingExtraError, match=r"pip install 'rocch\[service\]'"):
        getattr(rocch.service, name)
