"""A service that speaks Sentry's protocol is told of failures, and of nobody."""

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise
from threading import Thread
from typing import Any

import pytest
import sentry_sdk
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from config.watching import errors_hook
from hits.common.sweep_parts import in_parts
from tests.config.processes import ROOT, scratch_environ

WORD = "zzplanted"


class Told(HTTPServer):
    """A service that keeps the envelopes that it is sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Envelopes)
        self.texts: list[str] = []

    @property
    def dsn(self) -> str:
        return f"http://key@127.0.0.1:{self.server_port}/1"

    def events(self) -> list[dict[str, Any]]:
        sentry_sdk.flush(timeout=10)
        lines = [line for text in self.texts for line in text.splitlines()]
        items = pairwise(lines)
        return [json.loads(body) for head, body in items if json.loads(head).get("type") == "event"]


class Envelopes(BaseHTTPRequestHandler):
    server: Told

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        packed = self.headers.get("Content-Encoding") == "gzip"
        self.server.texts.append((gzip.decompress(body) if packed else body).decode())
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: Any) -> None: ...


@contextmanager
def listening() -> Iterator[Told]:
    with Told() as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def service(settings: LazySettings) -> Iterator[Told]:
    with listening() as server:
        settings.ERRORS_DSN = server.dsn
        errors_hook.connect()
        yield server
        sentry_sdk.get_client().close()
        sentry_sdk.get_global_scope().set_client(None)


def fail(*_: Any, **__: Any) -> int:
    secret = WORD
    raise ValueError(f"{secret} is no number")


@pytest.mark.django_db(databases=["default", "marketplace"])
def test_failure_of_a_page_is_told_without_anything_about_its_request(
    service: Told, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crowd.marketplace.services.worker_sign_in.find_invitation", fail)
    client.raise_request_exception = False
    client.cookies["sessionid"] = WORD
    about = {"host": "localhost:8000", "user-agent": WORD, "x-forwarded-for": WORD}

    answer = client.post(f"/invitation/{WORD}/?workerId={WORD}", {"text": WORD}, headers=about)

    assert answer.status_code == 500
    [event] = service.events()
    [failure] = event["exception"]["values"]
    assert event["message"] == "django.request.failed"
    assert event["tags"] == {"reference": answer["X-Request-ID"]}
    assert (failure["type"], failure["stacktrace"]["frames"][-1]["function"]) == ("ValueError", "fail")
    assert WORD not in "".join(service.texts).replace('secret = WORD"', "")
    assert not {"request", "user", "server_name", "breadcrumbs", "modules", "extra"} & event.keys()


def test_failure_of_a_part_of_a_sweep_is_told_by_its_name(service: Told) -> None:
    with pytest.raises(ValueError, match="no number"):
        in_parts([WORD], fail)

    [event] = service.events()
    assert event["message"] == "sweep.part_failed"
    assert WORD not in "".join(service.texts)


def test_a_service_that_is_away_fails_nothing(service: Told, client: Client) -> None:
    service.server_close()
    with pytest.raises(ValueError, match="no number"):
        in_parts([WORD], fail)

    assert service.events() == []


@pytest.mark.parametrize(("dsn", "loaded"), [("", "False"), ("http://key@127.0.0.1:9/1", "True")])
def test_the_client_is_loaded_only_where_it_is_set(tmp_path: Any, dsn: str, loaded: str) -> None:
    script = "import sys, django; django.setup(); print('sentry_sdk' in sys.modules)"
    environ = scratch_environ(tmp_path, CROWD_ERRORS_DSN=dsn, DJANGO_SETTINGS_MODULE="config.settings")

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environ, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == loaded


def test_a_missing_client_is_told_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.ERRORS_DSN = "http://key@127.0.0.1:9/1"
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)

    with pytest.raises(ImproperlyConfigured, match="--group errors"):
        errors_hook.connect()
