"""Two demos that start at the same time do not speak to each other's server."""

import socket
import subprocess
import sys

import pytest

from config.tools.held_port import hold_port
from tests.config.processes import ROOT

pytestmark = pytest.mark.pure

# As the demo does it: the process becomes another one, which says its port and then does nothing.
BECOMES = """
import os, sys
from config.tools.held_port import hold_port
port = hold_port()
os.execv(sys.executable, [sys.executable, "-c", f"import time; print({port}, flush=True); time.sleep(60)"])
"""


def test_demos_of_the_same_moment_get_ports_of_their_own() -> None:
    assert hold_port() != hold_port()


def test_held_port_is_free_for_the_server() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", hold_port()))
        server.listen()


def test_port_stays_held_when_the_process_becomes_another() -> None:
    with subprocess.Popen([sys.executable, "-c", BECOMES], cwd=ROOT, stdout=subprocess.PIPE) as demo:
        assert demo.stdout
        port = int(demo.stdout.readline())
        try:
            with socket.socket(type=socket.SOCK_DGRAM) as other, pytest.raises(OSError, match="in use"):
                other.bind(("127.0.0.1", port))
        finally:
            demo.kill()
