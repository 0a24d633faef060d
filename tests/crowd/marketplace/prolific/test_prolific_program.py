"""The stand-in as a program of its own."""

import signal
import subprocess
import sys

import pytest

from crowd.marketplace.tools.conformance.browser import Browser
from tests.config.processes import ROOT

pytestmark = pytest.mark.pure  # starts a process

COMMAND = [sys.executable, "-m", "crowd.marketplace.tools.prolific"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_program_tells_its_address_serves_and_ends(number: signal.Signals) -> None:
    with subprocess.Popen(
        [*COMMAND, "--port", "0", "--token", "ours"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            told = process.stdout.readline()
            address = told.strip().rpartition(" ")[2]

            answer = Browser().send(f"{address}users/me/", headers={"Authorization": "Token ours"})

            process.send_signal(number)
            assert (answer.status, process.wait(timeout=30)) == (200, 0)
        finally:
            process.kill()
