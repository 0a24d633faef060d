"""The HTTP server of the stand-in for Prolific: a thread for each connection, on loopback only.

It is started as a program by `python -m crowd.marketplace.tools.prolific --port 8700 --token T`, and serves

- `/api/v1/`: the API, with its trailing slashes, for those who send the header `Authorization: Token T`;
- `/participants/`: pages for the participants that one plays, and `/submissions/complete?cc=CODE`, where a
  study sends the browser at the end;
- `/.well-known/study/jwks.json`: the key of the tokens that secure addresses carry;
- `/control/`: what a test or a demo does to it, as JSON with the same token.

A test in the same process uses it so:

    with serving() as stand_in:
        address, token = stand_in.world.base_url, stand_in.world.token
        participant_id = stand_in.controls.add_participant(age=30)
        submission_id = stand_in.controls.take_part(study_id, participant_id)
        stand_in.controls.finish(submission_id, "CODE")
        stand_in.controls.fail(kind="drop_after", method="POST", route="/pay/$")
        stand_in.controls.advance(days=21)
        assert stand_in.controls.payments() == [...]
        assert stand_in.world.answered_amiss == []

From outside, `POST /control/take-part/` with `{"study_id": ..., "participant_id": ...}` and the like do the
same: `participants`, `take-part`, `open`, `finish`, `return`, `preview`, `messages`, `wallet`, `clock`,
`faults` (with DELETE to call them off), `habits` and `hooks`; `GET /control/truth/` tells everything.

Every request and every answer is held to `schema.json`. A request that does not fit is a 400 as Prolific's,
an answer that does not fit is a 500. `world.asked_amiss` and `world.answered_amiss` remember them, so that a
test can ask for none. An error of the stand-in's own is remembered with the answers.

Money is in whole sub-units everywhere, but for the amounts in the rows of a bonus set-up, which are decimal
units of the currency. The wallet pays the reward or the bonus, the fee on it, and VAT on the fee.

A fault is a rule for the next requests that match (`Fault` in `state.injected_faults`): an error of any
shape, a connection dropped before or after the request is done, a slow answer. Habits (`Habits` in
`state.prolific_world`) are what the reference leaves open or has seen both ways. Hooks repeat, are lost, or
are held and sent backward as `world.hooks` says. The clock runs and can be moved forward; what becomes due
is done in its order: places never used, work out of time, approval after 21 days, hooks sent again.

The state is in memory behind one lock, and gone when the program ends. Nothing but loopback is ever called.
What the reference does not say was chosen, so this proves nothing about Prolific itself.
"""

import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
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
    """Run the program until it is interrupted or told to end."""
    parser = ArgumentParser(prog="python -m crowd.marketplace.tools.prolific", description=ABOUT)
    parser.add_argument("--port", type=int, default=PORT, help="%(default)s unless told; 0 for any free one")
    parser.add_argument("--token", default=TOKEN, help="what the API asks for (default: %(default)s)")
    parser.add_argument("--fee", choices=["academic", "corporate"], default="academic")
    parser.add_argument("--lag", dest="lag_s", type=float, default=1.0, help="of what is applied later, in s")
    options = parser.parse_args()
    # A shell starts what is in its background with interrupts ignored: whoever runs it ends it otherwise.
    is_over = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: is_over.set())
    with serving(**vars(options)) as server:
        told = f"{server.world.base_url}/participants/ for participants, {server.world.base_url}/api/v1/"
        print(f"A stand-in for Prolific: {told}", flush=True)  # noqa: T201 - a program of its own
        is_over.wait()


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
