"""Bodies that a real service refuses while they are sent."""

import http.client
import json
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.real_service import RealService, make_library, running

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealService]:
    folder = tmp_path_factory.mktemp("real") / "models"
    make_library(folder).close()
    with running(folder) as service:
        yield service


def by_http_client(url: str, headers: dict[str, str], body: Path) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
    connection.request("POST", "/v1/decide", body.read_bytes(), headers)
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def by_urllib(url: str, headers: dict[str, str], body: Path) -> tuple[int, bytes]:
    request = urllib.request.Request(f"{url}/v1/decide", body.read_bytes(), headers)  # noqa: S310 - ours
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=60)  # noqa: S310
    with refused.value as answer:
        return answer.code, answer.read()


def by_httpx(url: str, headers: dict[str, str], body: Path) -> tuple[int, bytes]:
    answer = httpx.post(f"{url}/v1/decide", content=body.read_bytes(), headers=headers, timeout=60)
    return answer.status_code, answer.content


def by_chunks(url: str, headers: dict[str, str], body: Path) -> tuple[int, bytes]:
    parts = (bytes(65_536) for _ in range(0, body.stat().st_size, 65_536))
    answer = httpx.post(f"{url}/v1/decide", content=parts, headers=headers, timeout=60)
    return answer.status_code, answer.content


def by_curl(url: str, headers: dict[str, str], body: Path) -> tuple[int, bytes]:
    program = shutil.which("curl")
    if program is None:
        pytest.skip("there is no curl here")
    options = [word for pair in headers.items() for word in ("-H", ": ".join(pair))]
    words = [program, "-sS", "-w", "%{http_code}", "--data-binary", f"@{body}", *options]
    done = subprocess.run([*words, f"{url}/v1/decide"], capture_output=True, check=True)  # noqa: S603 - our own words
    return int(done.stdout[-3:]), done.stdout[:-3]


@pytest.mark.parametrize("send", [by_http_client, by_urllib, by_httpx, by_chunks, by_curl])
@pytest.mark.parametrize(
    ("header", "status", "code"),
    [
        ({}, 413, "too_large"),
        ({"Content-Type": "text/plain"}, 415, "unsupported"),
        ({"Authorization": "Bearer nobody"}, 401, "not_authorized"),
    ],
)
def test_whoever_still_sends_can_read_the_refusal(
    real: RealService, send: Any, header: dict[str, str], status: int, code: str, tmp_path: Path
) -> None:
    body = tmp_path / "body"
    body.write_bytes(bytes(24 * 2**20))  # more than any socket holds on its way
    headers = {**JSON, "Authorization": f"Bearer {real.tokens['caller']}", **header}
    found, content = send(real.told["url"], headers, body)
    assert found == status
    assert json.loads(content)["error"]["code"] == code
