"""The deployment of the documentation without containers: replicas, and nginx before them."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import yaml

from tests.support.guarded import SECONDS, GuardedProcess, free_port, wait_until

if TYPE_CHECKING:
    from collections.abc import Mapping

FILES = Path(__file__).parents[2] / "examples" / "deployment"
TOKENS = {role: f"{role}-token-of-a-deployment" for role in ("viewer", "caller", "operator")}
# What nginx.conf does not say, because packages and images of nginx do.
AROUND = """
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log warn;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/rocch.conf;
}}
"""


def read_compose() -> dict[str, Any]:
    """Return what compose.yaml says."""
    compose: dict[str, Any] = yaml.safe_load((FILES / "compose.yaml").read_text(encoding="utf-8"))
    return compose


def serve_command(**replaced: str) -> list[str]:
    """Return the words of the command that replicas run, with some values replaced."""
    command: str = read_compose()["services"]["rocch-1"]["command"]
    words = shlex.split(re.sub(r"\$\{\w+:-(.*?)\}", r"\1", command))
    for old, new in replaced.items():
        place = words.index("--" + old) + 1
        words[place] = new
    return words


class Replica:
    """`rocch serve` as compose.yaml has it, on loopback, at a port that it keeps."""

    def __init__(
        self, folder: Path, url: str, environment: Mapping[str, str] | None = None
    ) -> None:
        folder.mkdir()
        words = serve_command(host="127.0.0.1", audit=str(folder / "decisions.jsonl"))
        words[1] = url
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [sys.executable, "-m", "rocch", *words, "--port", str(self.port), "--json"]
        tokens = {f"ROCCH_{role.upper()}_TOKEN": token for role, token in TOKENS.items()}
        self._environment = {**os.environ, **tokens, **(environment or {})}
        self.process: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        self.process = subprocess.Popen(  # noqa: S603 - this Python
            self._command, stdout=subprocess.PIPE, text=True, env=self._environment
        )
        assert self.process.stdout is not None
        with self.process.stdout as announcement:
            while announcement.readline() not in ("}\n", ""):
                pass
        assert httpx.get(f"{self.url}/v1/ready").status_code == 200

    def stop(self) -> int:
        """End it as an upgrade does; return its status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(SECONDS)

    def workers(self) -> list[int]:
        """Return the processes that answer."""
        assert self.process is not None
        parent = self.process.pid
        listed = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        commands = {int(pid): Path(f"/proc/{pid}/cmdline").read_bytes() for pid in listed}
        return sorted(pid for pid, command in commands.items() if b"spawn_main" in command)

    def kill(self) -> None:
        """End the supervisor and all workers at once."""
        assert self.process is not None
        workers = self.workers()
        self.process.kill()
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
        self.process.wait(SECONDS)

    def close(self) -> None:
        """End it if it runs."""
        if self.process is not None and self.process.poll() is None:
            self.stop()


def need_nginx() -> str:
    """Return nginx, or skip the test that asked for it, and say so; fail where it is required."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is not None:
        return program
    if os.environ.get("ROCCH_NEED_NGINX") == "1":
        pytest.fail("nginx is required here")
    pytest.skip("nginx is not installed (apt-get install nginx-light)")


class Balancer:
    """nginx on loopback with the configuration of the documentation, before two replicas."""

    def __init__(self, replicas: list[Replica]) -> None:
        program = need_nginx()
        self.folder = Path(mkdtemp(prefix="rocch-nginx-"))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        text = (FILES / "nginx.conf").read_text(encoding="utf-8")
        text = text.replace("listen 80;", f"listen 127.0.0.1:{self.port};")
        for number, replica in enumerate(replicas, start=1):
            text = text.replace(f"rocch-{number}:8000", f"127.0.0.1:{replica.port}")
        assert "rocch-" not in text
        (self.folder / "rocch.conf").write_text(text)
        user = "user root;" if os.geteuid() == 0 else ""
        (self.folder / "main.conf").write_text(AROUND.format(folder=self.folder, user=user))
        command = [program, "-p", str(self.folder), "-c", str(self.folder / "main.conf")]
        self._process = GuardedProcess(
            [*command, "-g", "daemon off;"], self.folder, ending=signal.SIGTERM
        )
        wait_until(self._is_ready, "nginx has started")

    @property
    def log(self) -> str:
        """What nginx has complained of."""
        return (self.folder / "nginx.log").read_text(encoding="utf-8")

    def close(self) -> None:
        """Stop it."""
        self._process.release()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _is_ready(self) -> bool:
        assert not self._process.ended, (self.folder / "log").read_text(encoding="utf-8")
        try:
            return httpx.get(f"{self.url}/v1/ready").status_code == 200
        except httpx.TransportError:
            return False


class Load:
    """Clients that send a request again and again until the block ends, and never repeat one.

    `results` counts statuses, and errors of the connection by their name.
    """

    def __init__(
        self, url: str, body: bytes, *, path: str = "/v1/decide", clients: int = 4
    ) -> None:
        self._url, self._body, self._path = url, body, path
        self.results: Counter[int | str] = Counter()
        self._end, self._lock = threading.Event(), threading.Lock()
        self._threads = [threading.Thread(target=self._run) for _ in range(clients)]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()

    @property
    def count(self) -> int:
        """How many requests have ended."""
        return self.results.total()

    def wait_for(self, more: int) -> None:
        """Wait until so many more requests have ended."""
        until = self.count + more
        wait_until(lambda: self.count >= until, f"{more} more requests have ended")

    def _run(self) -> None:
        headers = {"Authorization": f"Bearer {TOKENS['caller']}"}
        headers["Content-Type"] = "application/json"
        with httpx.Client(base_url=self._url, headers=headers, timeout=SECONDS) as client:
            while not self._end.is_set():
                try:
                    result: int | str = client.post(self._path, content=self._body).status_code
                except httpx.TransportError as error:
                    result = type(error).__name__
                with self._lock:
                    self.results[result] += 1


def ask(url: str, method: str, path: str, role: str = "operator", **more: Any) -> Any:
    """Send a request, which must succeed, and return the response."""
    headers = {"Authorization": f"Bearer {TOKENS[role]}"}
    response = httpx.request(method, url + path, headers=headers, timeout=SECONDS, **more)
    assert response.is_success, response.text
    return json.loads(response.text)
