"""The HTTP server of the stand-in: a thread for each connection, on loopback only.

As a program it is started by `python -m crowd.marketplace.tools.prolific --port 8700 --token T`, and serves

- `/api/v1/`: the API, with its trailing slashes, for those who send the header `Authorization: Token T`;
- `/participants/`: pages for the participants that one plays, and `/submissions/complete?cc=CODE`, where a
  study sends the browser at the end;
- `/.well-known/study/jwks.json`: the key of the tokens that secure addresses carry;
- `/control/`: what a test or a demo does to it, as JSON with the same token: `control_routes` lists it.

A test uses `with serving() as stand_in:` instead. `stand_in.world.base_url` is the address, and
`stand_in.controls` has the participants' side, the clock, faults, and the truth to compare with.

Every request and every answer is held to `schema.json`. A request that does not fit is a 400 as Prolific's,
an answer that does not fit is a 500. `world.asked_amiss` and `world.answered_amiss` remember them, so that a
test can ask for none. An error of the stand-in's own is remembered with the answers.
The state is in memory behind one lock, and gone when the program ends. Nothing but loopback is ever called.

Money is in whole sub-units everywhere, but for the amounts in the rows of a bonus set-up. Faults are rules
for the next requests that match: an error of any shape, a connection dropped before or after the request
is done, a slow answer. The clock only moves forward; what becomes due by that is done at once, in order:
places that were never used, submissions out of time, approval after 21 days, repeated hooks.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Literal
from urllib.parse import urlsplit

from crowd.marketplace.tools.prolific.answering import Received, Sent, respond
from crowd.marketplace.tools.prolific.in_process import Controls
from crowd.marketplace.tools.prolific.state.hook_delivery import HookSender
from crowd.marketplace.tools.prolific.state.prolific_world import TOKEN, Habits, World

ABOUT = "A stateful stand-in for Prolific, on loopback, for tests and demos."
LOOPBACK = "127.0.0.1"
PORT = 8700
TICK_S = 0.05
LARGEST_BODY = 10_000_000


class StandIn(ThreadingHTTPServer):
    """Serves a world; what becomes due is done between requests, too."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, world: World, *, port: int = 0) -> None:
        super().__init__((LOOPBACK, port), _Connection)
        self.world = world
        self.controls = Controls(world)
        self.hooks = HookSender(world)
        world.base_url = f"http://{LOOPBACK}:{self.server_port}"
        self._is_over = Event()
        self._ticking = Thread(target=self._tick, daemon=True)

    def start(self) -> None:
        self.hooks.start()
        self._ticking.start()

    def stop(self) -> None:
        self._is_over.set()
        self._ticking.join()
        self.hooks.stop()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Remember an error of our own; a client that hung up is none."""
        problem = sys.exception()
        if not isinstance(problem, OSError):
            self.world.answered_amiss.append(f"{type(problem).__name__}: {problem}")
            super().handle_error(request, client_address)

    def wait_for_hooks(self) -> None:
        """Wait until every event so far has been sent once."""
        self.world.settle()
        self.hooks.wait()

    def _tick(self) -> None:
        while not self._is_over.wait(TICK_S):
            self.world.settle()


@contextmanager
def serving(
    *,
    port: int = 0,
    token: str = TOKEN,
    fee: Literal["corporate", "academic"] = "academic",
    lag_s: float = 0.0,
) -> Iterator[StandIn]:
    """A running stand-in: its address is `world.base_url`, its state is `world`.

    What the API only accepts at first is applied `lag_s` seconds later; with none, before it answers.
    """
    server = StandIn(World(token=token, fee=fee, habits=Habits(lag_s=lag_s)), port=port)
    server.start()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.stop()


def main() -> None:
    """Run the program until it is interrupted."""
    parser = ArgumentParser(prog="python -m crowd.marketplace.tools.prolific", description=ABOUT)
    parser.add_argument("--port", type=int, default=PORT, help="%(default)s unless told; 0 for any free one")
    parser.add_argument("--token", default=TOKEN, help="what the API asks for (default: %(default)s)")
    parser.add_argument("--fee", choices=["academic", "corporate"], default="academic")
    parser.add_argument("--lag", dest="lag_s", type=float, default=1.0, help="of what is applied later, in s")
    options = parser.parse_args()
    with suppress(KeyboardInterrupt), serving(**vars(options)) as server:
        told = f"{server.world.base_url}/participants/ for participants, {server.world.base_url}/api/v1/"
        print(f"A stand-in for Prolific: {told}", flush=True)  # noqa: T201 - a program of its own
        Event().wait()


class _Connection(BaseHTTPRequestHandler):
    server: StandIn
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PATCH(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Stay silent: the state remembers every request."""

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= LARGEST_BODY:
            self.send_error(413)
            return
        url = urlsplit(self.path)
        received = Received(
            method=self.command,
            path=url.path,
            query=url.query,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(length),
        )
        sent = respond(self.server.world, received)
        if sent is None:
            self.close_connection = True
        else:
            self._send(sent)

    def _send(self, sent: Sent) -> None:
        self.send_response(sent.status)
        for name, value in sent.headers.items():
            self.send_header(name, value)
        if sent.status != 204:
            self.send_header("Content-Length", str(len(sent.body)))
        self.end_headers()
        self.wfile.write(sent.body)
