"""The rules for Prometheus are right, and one fires where a queue is stuck."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener

import pytest
import yaml
from django.utils import timezone

from config import celery, middleware
from config.watching import late
from hits.common import wake
from hits.common.watching.row_gauges import FAILED, read_gauges
from hits.providers.gateway import calls
from scoring.services import verdict_making
from tests.config.processes import ROOT, Product, free_port, serving, wait_until

RULES = ROOT / "config" / "deploy" / "alerts.yml"
CASES = Path(__file__).parent / "alert_cases.yml"
PAGE = ROOT / "docs" / "watching.md"
METRIC = re.compile(r"\bcrowd_[a-z_]+[a-z]")
TIMINGS = {calls.CALLS, middleware.REQUESTS, verdict_making.VERDICTS, wake.RUNS}
TOKEN = "a-token-of-the-tests"
STUCK = """
from datetime import timedelta
from django.utils import timezone
from hits.models import Account, Notice
at = timezone.now() - timedelta(hours=1)
Notice.objects.create(account=Account.objects.first(), document_id="stuck", body="{}", received_at=at)
"""


def rules() -> list[dict[str, Any]]:
    [group] = yaml.safe_load(RULES.read_text())["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


@pytest.mark.needs_prometheus
def test_rules_say_what_they_should() -> None:
    """Every rule has a case in which it fires, and promtool finds that it does."""
    for command in (["check", "rules", str(RULES)], ["test", "rules", str(CASES)]):
        done = subprocess.run(["promtool", *command], capture_output=True, text=True, check=False)  # noqa: S607
        assert done.returncode == 0, done.stdout + done.stderr

    cases = yaml.safe_load(CASES.read_text())["tests"]
    fired = {one["alertname"] for case in cases for one in case["alert_rule_test"] if one["exp_alerts"]}
    assert fired == {rule["alert"] for rule in rules()}


@pytest.mark.django_db(databases=["default", "marketplace"])
def test_every_metric_of_a_rule_and_of_the_documents_is_told() -> None:
    gauges = {gauge.name for gauge in read_gauges(now=timezone.now()).found} | {FAILED.name}
    # Told by a dispatcher and after a backup alone.
    later = {
        "crowd_dispatcher_silent_seconds", "crowd_sweeps_idle_seconds", "crowd_sweep_unanswered_seconds",
        "crowd_sweep_failing_seconds", "crowd_backup_age_seconds",
    }  # fmt: skip
    told = gauges | later | {timing.name for timing in TIMINGS}
    asked = {re.sub(r"_(bucket|count|sum)$", "", name) for name in METRIC.findall(RULES.read_text())}

    assert celery.app.main == "crowd"
    assert asked <= told
    assert told == set(METRIC.findall(PAGE.read_text().partition("## Rules")[0]))


def test_a_queue_is_late_on_the_status_page_when_its_rule_fires() -> None:
    [stuck] = [rule for rule in rules() if rule["alert"] == "CrowdQueueStuck"]
    limits = re.findall(r'queue=~?"([^"]+)"} > (\d+)', stuck["expr"])

    by_rule = {name: int(most) for names, most in limits for name in names.split("|")}
    assert by_rule == {name: queue.most_s for name, queue in late.QUEUES.items()}
    assert all(rule["alert"] in PAGE.read_text() for rule in rules())


@pytest.mark.needs_prometheus
def test_the_rule_of_a_stuck_queue_fires_and_ends(tmp_path: Path) -> None:
    data, port = tmp_path / "data", free_port()
    data.mkdir()
    with (
        serving(data, port=port, patience_s=300, CROWD_METRICS_TOKEN=TOKEN) as product,
        watched(product, tmp_path) as ask,
    ):
        wait_until(lambda: ask('up{job="crowd"}') == {"1"}, seconds=120, what="Prometheus reads the page")
        assert firing(ask) == set()
        background = product.children()["background"]
        os.kill(background, signal.SIGSTOP)
        try:
            product.manage("shell", "--command", STUCK)
            wait_until(lambda: firing(ask) == {"notices"}, seconds=120, what="the rule fires")
        finally:
            os.kill(background, signal.SIGCONT)
        wait_until(lambda: firing(ask) == set(), seconds=120, what="the queue is empty, and the alert over")


def firing(ask: Any) -> set[str]:
    found: set[str] = ask('ALERTS{alertname="CrowdQueueStuck", alertstate="firing"}', label="queue")
    return found


@contextmanager
def watched(product: Product, folder: Path) -> Iterator[Any]:
    """Run a Prometheus that reads the page and the rules each second, without the rules' patience."""
    port = free_port()
    (folder / "token").write_text(TOKEN)
    (folder / "alerts.yml").write_text(re.sub(r"\bfor: \d+[mh]", "for: 1s", RULES.read_text()))
    scraped = {
        "job_name": "crowd",
        "authorization": {"credentials_file": str(folder / "token")},
        "static_configs": [{"targets": [product.url.removeprefix("http://")]}],
    }
    settings = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": ["alerts.yml"],
        "scrape_configs": [scraped],
    }
    (folder / "prometheus.yml").write_text(yaml.safe_dump(settings))
    command = [
        "prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/kept",
        f"--web.listen-address=127.0.0.1:{port}", "--log.level=error",
    ]  # fmt: skip
    opener = build_opener(ProxyHandler({}))

    def ask(query: str, label: str = "") -> set[str]:

        address = f"http://127.0.0.1:{port}/api/v1/query?{urlencode({'query': query})}"
        try:
            with opener.open(address, timeout=5) as answer:
                found = json.load(answer)["data"]["result"]
        except OSError:
            return set()
        return {one["metric"][label] if label else one["value"][1] for one in found}

    process = subprocess.Popen(command)
    try:
        yield ask
    finally:
        process.terminate()
        process.wait(timeout=20)
