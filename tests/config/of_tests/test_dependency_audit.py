"""What CI does with advisories: reached, they fail it; not reached, that is said."""

import json
import os
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from threading import Thread

import pytest

from tests.config.processes import ROOT

ADVISORY = "GHSA-test-test-test"


class Advisories(BaseHTTPRequestHandler):
    """Knows one advisory, of the installed version of one package."""

    package = ""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name = asked.get("package", {}).get("name")
        self.send_response(200 if name else 400)
        self.end_headers()
        self.wfile.write(json.dumps({"vulns": [advisory(name)]} if name == self.package else {}).encode())

    def log_message(self, *_: object) -> None:
        pass


def advisory(name: str) -> dict[str, object]:
    package = {"name": name, "ecosystem": "PyPI"}
    affected = {"package": package, "versions": [version(name)]}
    return {"id": ADVISORY, "modified": "2026-01-01T00:00:00Z", "details": "", "affected": [affected]}


@pytest.fixture
def advisories() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Advisories)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/query"
    server.shutdown()
    server.server_close()


def audit(url: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "OSV_URL": url}
    return subprocess.run([ROOT / ".ci" / "audit"], env=environ, capture_output=True, text=True, check=False)


@pytest.mark.needs_uv
@pytest.mark.parametrize(("package", "fails"), [("sqlparse", True), ("no-such-package", False)])
def test_a_known_vulnerability_fails_it(
    advisories: str, monkeypatch: pytest.MonkeyPatch, package: str, fails: bool
) -> None:
    monkeypatch.setattr(Advisories, "package", package)
    done = audit(advisories)
    assert (done.returncode != 0) is fails, done.stderr
    assert (ADVISORY in done.stdout) is fails


def test_advisories_that_are_not_reached_are_said_to_be_so() -> None:
    done = audit("http://127.0.0.1:9/v1/query")
    assert done.returncode == 0
    assert done.stdout == "not audited: the advisories at http://127.0.0.1:9/v1/query are not reached\n"
