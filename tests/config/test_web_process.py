"""Things that the web process must never do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client

ROOT = Path(__file__).parent.parent.parent
HEAVY = ("torch", "transformers", "sentence_transformers", "open_clip")
# Modules that would double the cost of a start, and that few requests or none need.
LATER = ("boto3", "botocore", "celery", "kombu", "redis", "xlsxwriter", "pyarrow", "numpy", "scipy")


def test_web_process_never_imports_torch() -> None:
    """The script loads everything a request can reach: application, addresses, template tags, boto3."""
    script = f"""
import sys
from config.wsgi import application
from django.urls import get_resolver
import crowd.marketplace.urls, hits.providers.gateway.boto, config.celery
get_resolver("config.urls").url_patterns, get_resolver("crowd.marketplace.urls").url_patterns
config.celery.app.loader.import_default_modules()
print([name for name in {HEAVY!r} if name in sys.modules])
"""
    assert _run(script) == "[]"


def test_web_process_starts_without_the_clients_that_are_slow_to_load() -> None:
    script = f"""
import sys
import config.wsgi
print([name for name in {LATER!r} if name in sys.modules])
"""
    assert _run(script) == "[]"


def test_command_loads_no_page() -> None:
    script = """
import sys
import django
django.setup()
print([name for name in sys.modules if name in ("hits.admin", "config.urls", "rest_framework.views")])
"""
    assert _run(script, DJANGO_SETTINGS_MODULE="config.settings") == "[]"


def test_check_looks_at_the_pages_of_the_admin() -> None:
    script = """
import sys
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", "check", "--tag", "compatibility"])
print("hits.admin" in sys.modules)
"""
    assert _run(script, DJANGO_SETTINGS_MODULE="config.settings").splitlines()[-1] == "True"


def _run(script: str, **environment: str) -> str:
    """Run the script in a process of its own. Returns its output without the log."""
    # In the embedded form, whatever the tests run on: a start looks at a server's databases.
    environ = {name: value for name, value in os.environ.items() if not name.endswith("DATABASE_URL")}
    found = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT, env={**environ, **environment}, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return "\n".join(line for line in found.stdout.splitlines() if not line.startswith("{"))


@pytest.mark.django_db
def test_each_host_answers_for_its_own_site_alone(client: Client) -> None:
    on_public = client.get("/admin/login/", headers={"host": "127.0.0.1:8000"})
    on_marketplace = client.get("/admin/login/", headers={"host": "localhost:8000"})
    history_on_public = client.get("/history/", headers={"host": "127.0.0.1:8000"})

    assert (on_public.status_code, on_marketplace.status_code) == (200, 404)
    assert history_on_public.status_code == 404


@pytest.mark.parametrize("host", ["LOCALHOST:8000", "localhost", "localhost:9999"])
def test_no_spelling_of_the_marketplaces_host_reaches_the_admin(client: Client, host: str) -> None:
    assert client.get("/admin/login/", headers={"host": host}).status_code == 404


@pytest.mark.django_db
def test_failure_is_logged_with_its_traceback_and_without_its_path(
    client: Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.raise_request_exception = False
    monkeypatch.setattr("crowd.marketplace.services.worker_sign_in.find_invitation", lambda **_: 1 / 0)

    answer = client.get("/invitation/planted/", headers={"host": "localhost:8000"})

    assert answer.status_code == 500
    assert "ZeroDivisionError" in caplog.text
    assert "planted" not in "".join(record.getMessage() for record in caplog.records)


def test_unknown_host_is_refused(client: Client) -> None:
    assert client.get("/", headers={"host": "evil.example"}).status_code == 400


@pytest.mark.django_db
def test_admin_is_never_framed_and_runs_no_inline_script(client: Client) -> None:
    page = client.get("/admin/login/", headers={"host": "127.0.0.1:8000"})

    assert page["X-Frame-Options"] == "DENY"
    assert "default-src 'self'" in page["Content-Security-Policy"].split("; ")
    assert "unsafe" not in page["Content-Security-Policy"]


@pytest.mark.django_db
def test_log_holds_neither_query_nor_path(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    """The frame's query has the worker's id, and whoever knows an invitation's path can sign in."""
    client.get("/q/00000000-0000-4000-8000-000000000000/?workerId=APLANTED")
    client.get("/invitation/planted-invitation/", headers={"host": "localhost:8000"})

    written = caplog.text
    assert written.count("request.finished") == 2
    assert "lanted" not in written.lower()
