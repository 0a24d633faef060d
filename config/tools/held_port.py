"""A port that waits for the demo's server."""

import socket

from hits.core.errors import CrowdError

USUAL_PORT = 8000
TRIES = 20


def hold_port() -> int:
    """Find a free port, and hold it until this process ends: no other demo takes it meanwhile.

    What holds it is a socket for datagrams, which stays open when the process becomes another program. The
    server listens for streams, which the socket leaves alone.
    """
    for wanted in (USUAL_PORT, *[0] * TRIES):
        held = socket.socket(type=socket.SOCK_DGRAM)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", wanted))
                held.bind(probe.getsockname())
            except OSError:
                held.close()
            else:
                port: int = held.getsockname()[1]
                held.set_inheritable(True)
                held.detach()
                return port
    raise CrowdError("No free port was found. Give one with --port.")
