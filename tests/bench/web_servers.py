"""Gunicorn against granian as the web process: speed, memory, deaths, slow clients, stops.

Run it from the top folder: python -m tests.bench.web_servers
"""

import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles

from tests.bench.servers import (
    THREADS,
    Server,
    children,
    cpu_s,
    end_group,
    memory_mb,
    memory_of,
    migrate,
    spawn,
    started,
)

NAMES = ("gunicorn", "granian")
ROUNDS, WARM_UP, REQUESTS, CONNECTIONS = 3, 200, 2_000, 8
PAGES = {
    "health": ("127.0.0.1", "/health/"),
    "sign-in": ("localhost", "/"),
    "static": ("127.0.0.1", "/static/base.css"),
}
GIVE_UP_S = 20.0
BLOCKED_S = 3.0
TOKEN = "a" * 32
BODY = f"csrfmiddlewaretoken={TOKEN}".encode()


def main() -> None:
    """Measure in rounds. Each starts both servers, one after the other, in alternating order."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    seen: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        migrate(data)
        for number in range(ROUNDS):
            for name in NAMES[:: -1 if number % 2 else 1]:
                for row, value in observe(name, data).items():
                    seen[row][name].append(value)
            sys.stderr.write(f"round {number + 1} of {ROUNDS} done\n")
    sys.stdout.write(table(seen))


def observe(name: str, data: Path) -> dict[str, float]:
    with started(name, data) as server:
        rows = {"start, s": wait_for_health(server)}
        for page in PAGES:
            rows |= measure(server, page)
        rows["memory, MB"] = memory_mb(server)
        rows |= {f"longest wait beside {n} slow, ms": wait_beside_slow(server, n) for n in (1, THREADS)}
        rows |= second_server(server, data)
        rows |= kill_worker(server)
        rows |= stop_in_flight(server)
    with started(name, data) as server:
        wait_for_health(server)
        rows |= kill_main(server)
    return rows


class Connection:
    """One kept-alive connection, read without a library: the client must cost little."""

    def __init__(self, port: int, request: bytes, *, timeout: float = GIVE_UP_S) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self._request = request
        self._answer = b""
        self._sent_at = 0.0

    def send(self) -> None:
        self._answer = b""
        self._sent_at = time.perf_counter()
        self.socket.sendall(self._request)

    def receive(self) -> float | None:
        """Seconds since the request, once the whole answer has arrived; None before."""
        piece = self.socket.recv(65_536)
        if not piece:
            raise ConnectionError("The server closed the connection.")
        self._answer += piece
        return time.perf_counter() - self._sent_at if is_complete(self._answer) else None

    def finish(self) -> float:
        while (took := self.receive()) is None:
            pass
        return took


def is_complete(answer: bytes) -> bool:
    head, end, body = answer.partition(b"\r\n\r\n")
    if not end:
        return False
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"The server answered {head[:60]!r}.")
    return len(body) >= int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])


def get(port: int, page: str) -> bytes:
    host, path = PAGES[page]
    return f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()


def measure(server: Server, page: str) -> dict[str, float]:
    """Measure a page in a closed loop over kept-alive connections."""
    connections = [Connection(server.port, get(server.port, page)) for _ in range(CONNECTIONS)]
    try:
        load(connections, WARM_UP)
        cpu, began = cpu_s(server), time.perf_counter()
        times = load(connections, REQUESTS)
        seconds, cpu = time.perf_counter() - began, cpu_s(server) - cpu
    finally:
        for connection in connections:
            connection.socket.close()
    return {
        f"{page}: p50, ms": 1000 * median(times),
        f"{page}: p95, ms": 1000 * quantiles(times, n=20)[-1],
        f"{page}: requests/s": len(times) / seconds,
        f"{page}: processor, ms/request": 1000 * cpu / len(times),
    }


def load(connections: Sequence[Connection], count: int) -> list[float]:
    """Seconds of `count` answers. Each connection asks again as soon as it is answered."""
    times: list[float] = []
    left = count - len(connections)
    with selectors.DefaultSelector() as selector:
        for connection in connections:
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            connection.send()
        while len(times) < count:
            for key, _ in selector.select(GIVE_UP_S) or stalled():
                took = key.data.receive()
                if took is None:
                    continue
                times.append(took)
                if left > 0:
                    left -= 1
                    key.data.send()
    return times


def stalled() -> list[tuple[selectors.SelectorKey, int]]:
    raise RuntimeError(f"No answer for {GIVE_UP_S} seconds.")


def health_once(port: int, *, timeout: float = GIVE_UP_S) -> float:
    connection = Connection(port, get(port, "health"), timeout=timeout)
    with connection.socket:
        connection.send()
        return connection.finish()


def wait_for_health(server: Server) -> float:
    seconds, _ = until_healthy(server)
    return seconds


def until_healthy(server: Server) -> tuple[float, bool]:
    """Seconds until the server is healthy, and whether the port was open all the time."""
    began, kept = time.monotonic(), True
    while time.monotonic() - began < GIVE_UP_S:
        try:
            health_once(server.port)
        except OSError as error:
            kept = kept and not isinstance(error, ConnectionRefusedError)
            time.sleep(0.02)
        else:
            return time.monotonic() - began, kept
    raise RuntimeError(f"{server.name} did not answer within {GIVE_UP_S} seconds.")


# Behaviour.


def half_sent(port: int) -> Connection:
    """A form whose body is still to come. The cookie makes Django's CSRF check read it."""
    head = (
        f"POST /admin/login/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: csrftoken={TOKEN}\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(BODY)}\r\n\r\n"
    )
    connection = Connection(port, head.encode() + BODY[:1])
    connection.send()
    return connection


def wait_beside_slow(server: Server, count: int) -> float:
    """The longest of some requests while others send a byte a second; at most BLOCKED_S."""
    slow = [half_sent(server.port) for _ in range(count)]
    done = threading.Event()
    thread = threading.Thread(target=drip, args=(slow, done))
    thread.start()
    longest = 0.0
    for _ in range(20):
        time.sleep(0.1)
        longest = max(longest, bounded_health(server.port))
        if longest >= BLOCKED_S:
            break
    done.set()
    thread.join()
    return 1000 * longest


def drip(slow: Sequence[Connection], done: threading.Event) -> None:
    """Send a byte a second, then the rest at once, so that the next measure finds free threads."""
    sent = 1
    while not done.wait(1) and sent < len(BODY) - 1:
        for connection in slow:
            connection.socket.sendall(BODY[sent : sent + 1])
        sent += 1
    for connection in slow:
        connection.socket.sendall(BODY[sent:])
        connection.finish()
        connection.socket.close()


def bounded_health(port: int) -> float:
    try:
        return min(health_once(port, timeout=BLOCKED_S), BLOCKED_S)
    except TimeoutError:
        return BLOCKED_S


def second_server(server: Server, data: Path) -> dict[str, float]:
    """Start the server a second time, as if by mistake: it must refuse, not share the port."""
    second = spawn(server.name, data, server.port)
    try:
        refused = second.wait(timeout=10) != 0
    except subprocess.TimeoutExpired:
        refused = False
    finally:
        end_group(second)
    return {"second server refused": refused}


def kill_worker(server: Server) -> dict[str, float]:
    worker = max(children(server.process.pid), key=memory_of)
    os.kill(worker, signal.SIGKILL)
    seconds, kept = until_healthy(server)
    return {"worker killed: back, s": seconds, "worker killed: port kept": kept}


def kill_main(server: Server) -> dict[str, float]:
    """Kill the main process, and see whether its worker ends too and frees the port for the next server."""
    server.process.kill()
    server.process.wait()
    deadline = time.monotonic() + 8
    while time.monotonic() < deadline:
        time.sleep(0.1)
        with suppress(ConnectionResetError, TimeoutError):
            try:
                health_once(server.port)
            except ConnectionRefusedError:
                return {"main killed: worker goes too": True}
    return {"main killed: worker goes too": False}


def stop_in_flight(server: Server) -> dict[str, float]:
    """Stop the server while a request is under way, which must still be answered."""
    connection = half_sent(server.port)
    time.sleep(0.3)
    server.process.terminate()
    began = time.monotonic()
    time.sleep(0.3)
    try:
        connection.socket.sendall(BODY[1:])
        answered = connection.finish() > 0
    except OSError:
        answered = False
    code = server.process.wait(timeout=GIVE_UP_S)
    return {
        "stop: request under way answered": answered,
        "stop: took, s": time.monotonic() - began,
        "stop: exit code 0": code == 0,
    }


# The table.


def table(seen: dict[str, dict[str, list[float]]]) -> str:
    lines = [f"{'median of ' + str(ROUNDS):38}{NAMES[0]:>10}{NAMES[1]:>10}{'ratio':>8}"]
    lines += [line(row, *(values[name] for name in NAMES)) for row, values in seen.items()]
    return "\n".join(lines) + "\n"


def line(row: str, gunicorn: Sequence[float], granian: Sequence[float]) -> str:
    ours, theirs = median(gunicorn), median(granian)
    if isinstance(gunicorn[0], bool):
        return f"{row:38}{yes(ours):>10}{yes(theirs):>10}"
    return f"{row:38}{ours:10.2f}{theirs:10.2f}{theirs / ours:8.2f}"


def yes(value: float) -> str:
    return "yes" if value else "no"


if __name__ == "__main__":
    main()
