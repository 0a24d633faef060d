"""The steps of docs/foreign-clients.md, executed as they stand there, from nothing to approved work."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.config.processes import ROOT, free_port, is_answering, wait_until

pytestmark = [pytest.mark.needs_chromium, pytest.mark.needs_uv]

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PATIENCE_S = 240
BASH = "/bin/bash"
WRITTEN_PORT = "8600"


def steps(chapter: str, *, port: int) -> list[str]:
    """The commands of a chapter, block by block, at a port that is free here."""
    text = (ROOT / "docs" / "foreign-clients.md").read_text()
    body = text.partition(f"## {chapter}\n")[2].partition("\n## ")[0]
    return [block.replace(WRITTEN_PORT, str(port)) for block in BLOCK.findall(body)]


@contextmanager
def own_terminal(command: str, *, environ: dict[str, str]) -> Iterator[None]:
    """A command that runs on in a terminal of its own, and is stopped with all that it started."""
    with subprocess.Popen(
        [BASH, "-ec", command], cwd=ROOT, env=environ, stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout=40)


def test_steps_lead_from_nothing_to_approved_work(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    url = f"http://localhost:{port}"
    start, make, point, post, approve = steps("From nothing to approved work", port=port)
    inherited = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    environ = {
        **inherited,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",  # with a boto3
        "CROWD_DATA_DIR": str(tmp_path / "data"),
        "UV_PROJECT_ENVIRONMENT": str(tmp_path / "environment"),
    }

    def shell(*blocks: str) -> str:
        commands = "\n".join(blocks).replace("made.json", str(tmp_path / "made.json"))
        done = subprocess.run(
            [BASH, "-ec", commands],
            cwd=ROOT if "manage.py" in commands else tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    with own_terminal(start, environ=environ):
        wait_until(lambda: is_answering(f"{url}/health/"), seconds=PATIENCE_S, what="the marketplace answers")
        shell(make)
        balance, _ = shell(point, post).splitlines()
        made = json.loads((tmp_path / "made.json").read_text())
        page = browser.new_page()
        page.goto(made["workers"][0]["invitation"])
        page.locator("main").get_by_role("button").last.click()
        page.get_by_role("link", name="Colors").first.click()
        page.get_by_role("button", name="Accept").first.click()
        frame = page.frame_locator("iframe")
        frame.get_by_label("What color is the sky?").fill("blue")
        frame.locator("#submitButton").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Submitted")
        said = shell(point, approve)
        left = shell(point, post).splitlines()[0]
        page.close()

    assert (balance, left) == ("100.00 dollars", "99.90 dollars")
    assert made["workers"][0]["external_id"] in said
    assert "<FreeText>blue</FreeText>" in said
