"""Clients that load a server: visitors on kept-alive connections, and workers who repeat a job."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection
from math import inf
from statistics import median, quantiles
from typing import Protocol
from urllib.parse import urlencode, urlsplit

ANSWERED = (200, 302, 303, 307)
PATIENCE_S = 180
FORM = "application/x-www-form-urlencoded"

Times = dict[str, list[float]]


class Visitor:
    """A browser on one kept-alive connection. It keeps cookies and notes how long each step took."""

    def __init__(self, port: int, *, host: str = "127.0.0.1", **cookies: str) -> None:
        self.times: Times = defaultdict(list)
        self._connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        self._host = f"{host}:{port}"
        self._cookies = cookies

    def get(self, step: str, url: str) -> str:
        return self._ask(step, "GET", url, headers={})

    def post(self, step: str, url: str, **form: str | Sequence[str]) -> str:
        body = urlencode(form, doseq=True)
        return self._ask(step, "POST", url, body=body, headers={"Content-Type": FORM})

    def put(self, step: str, url: str, json: str) -> str:
        return self._ask(step, "PUT", url, body=json, headers={"Content-Type": "application/json"})

    def close(self) -> None:
        self._connection.close()

    def _ask(self, step: str, method: str, url: str, *, headers: Mapping[str, str], body: str = "") -> str:
        """Ask, and return the page, or the address that it redirects to."""
        parts = urlsplit(url)
        path = parts._replace(scheme="", netloc="", fragment="").geturl()
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        headers = {**headers, "Host": parts.netloc or self._host, "Cookie": cookies}
        began = time.perf_counter()
        self._connection.request(method, path, body or None, headers)
        answer = self._connection.getresponse()
        content = answer.read().decode()
        self.times[step].append(time.perf_counter() - began)
        assert answer.status in ANSWERED, f"{step}: {answer.status} {content[:2000]}"
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self._cookies[name] = value
        return answer.headers["Location"] or content


class Worker(Protocol):
    """Someone at work, whose job is done once with each call."""

    visitor: Visitor

    def work_once(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One run of all workers. The step `loop` is the whole job, with what the client itself takes."""

    times: Times
    seconds: float

    @property
    def rate(self) -> float:
        """Submits per second of all clients together."""
        return len(self.times["submit"]) / self.seconds


def drive(workers: Sequence[Worker], *, loops: int, clients: int, seconds: float = inf) -> Turn:
    """Let the workers do the job so many times each, a few of them at once. No job begins after `seconds`."""
    waiting = list(workers)
    began = time.perf_counter()

    def work() -> None:
        while waiting and time.perf_counter() - began < seconds:
            worker = waiting.pop()
            for _ in range(loops):
                if (at := time.perf_counter()) - began >= seconds:
                    break
                worker.work_once()
                worker.visitor.times["loop"].append(time.perf_counter() - at)
            worker.visitor.close()

    with ThreadPoolExecutor(clients) as crowd:
        for future in [crowd.submit(work) for _ in range(clients)]:
            future.result()
    took = time.perf_counter() - began
    return Turn(times=merged([worker.visitor.times for worker in workers]), seconds=took)


def merged(parts: Sequence[Times]) -> Times:
    whole: Times = defaultdict(list)
    for part in parts:
        for step, values in part.items():
            whole[step] += values
    return whole


def high(values: Sequence[float]) -> float:
    """The 95th percentile."""
    return quantiles(values, n=20)[18] if len(values) > 1 else values[0]


def spread(values: Sequence[float]) -> str:
    return f"{1000 * median(values):.1f} / {1000 * high(values):.1f}"
