"""Calls of Prolific's API: one connection that is kept, an account's line, and errors in our words."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode, urljoin, urlsplit

import urllib3
from urllib3.exceptions import HTTPError

from hits.common.watching.timings import timed
from hits.core.errors import (
    CrowdError,
    NothingDone,
    ProviderRefused,
    ProviderUnavailable,
    StandsStill,
)
from hits.providers.gateway.calls import CALLS, told_by_errors
from hits.providers.gateway.pacing import Line
from hits.providers.gateway.standstill import refuse_to_tell

Read = TypeVar("Read")

PAGE_SIZE = 100
MOST_PAGES = 10_000
# Waits between tries. Only what may be repeated is: questions, and what Prolific itself repeats safely.
PAUSES_S = (0.5, 2.0, 6.0)
TOO_MANY = 429
GONE = 404
LONGEST_WORDS = 500


@dataclass(frozen=True)
class _Call:
    operation: str
    method: str
    path: str
    body: Mapping[str, Any] | None = None
    # Whether it may be made again where no answer came: done twice, it is the same as done once.
    repeats: bool = False


class ProlificClient:
    """Calls to the API. A client with no line sends at once, once, and records no answer: a person waits."""

    def __init__(
        self,
        *,
        endpoint: str,
        token: str,
        account_id: int | None = None,
        line: Line | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._endpoint = endpoint.rstrip("/") + "/"
        self._headers = {"Authorization": f"Token {token}", "Accept": "application/json"}
        self._account_id, self._line, self._sleep = account_id, line, sleep
        patience = urllib3.Timeout(connect=5, read=30) if line else urllib3.Timeout(connect=2, read=4)
        self._pool = urllib3.PoolManager(timeout=patience, retries=False)

    def ask(self, operation: str, path: str, read: Callable[[Any], Read], **query: Any) -> Read:
        """Ask a question, again where there was no answer. Raises ProviderError."""
        where = f"{path}?{urlencode(query)}" if query else path
        return self._call(_Call(operation, "GET", where, repeats=True), read)

    def tell(
        self,
        operation: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        method: str = "POST",
        repeats: bool = False,
        read: Callable[[Any], Any] = lambda answer: answer,
    ) -> Any:
        """Change something. `repeats`: done twice it is the same as done once. Raises ProviderError."""
        return self._call(_Call(operation, method, path, body or {}, repeats=repeats), read)

    def tell_and_hear(
        self, operation: str, path: str, body: Mapping[str, Any], *, header: str, read: Callable[[Any], Read]
    ) -> tuple[Read, str]:
        """Change something whose answer has a part in a header. Raises ProviderError."""
        answer, headers = self._heard(_Call(operation, "POST", path, body), read)
        return answer, headers.get(header, "")

    def pages(
        self,
        operation: str,
        path: str,
        read: Callable[[Any], Read],
        *,
        size_as: str = "page_size",
        **query: Any,
    ) -> Iterator[Read]:
        """Yield the rows of all pages, following the links. A page is read whole before a row is believed.

        Where pages end exactly with the last row, the next one is not there: that is the end too.
        """
        where = f"{path}?{urlencode({**query, size_as: PAGE_SIZE})}"
        for number in range(MOST_PAGES):
            try:
                rows, where = self._call(_Call(operation, "GET", where, repeats=True), _page_of(read))
            except ProviderRefused as refusal:
                if number and refusal.code == str(GONE):
                    return
                raise
            yield from rows
            if not where:
                return
        raise ProviderUnavailable(f"{operation}: its pages never end")

    def _call(self, call: _Call, read: Callable[[Any], Read]) -> Read:
        return self._heard(call, read)[0]

    def _heard(self, call: _Call, read: Callable[[Any], Read]) -> tuple[Read, Mapping[str, str]]:
        """Return the answer as it was read, and its headers."""
        if self._account_id is not None:
            refuse_to_tell(call.operation, account_id=self._account_id)
        pauses = PAUSES_S if self._line is not None else ()
        for pause in (*pauses, None):
            try:
                with (
                    self._line.turn() if self._line else nullcontext(),
                    timed(CALLS, call.operation) as outcome,
                    told_by_errors(outcome),
                ):
                    return self._once(call, read)
            except StandsStill:
                raise
            except ProviderUnavailable as error:
                if pause is None or not (call.repeats or isinstance(error, NothingDone)):
                    raise
                self._sleep(pause)
        raise AssertionError

    def _once(self, call: _Call, read: Callable[[Any], Read]) -> tuple[Read, Mapping[str, str]]:
        address = urljoin(self._endpoint, call.path)
        if urlsplit(address)[:2] != urlsplit(self._endpoint)[:2]:
            raise ProviderUnavailable(f"{call.operation}: a link leads to another site")  # with our token
        content, headers = None, self._headers
        if call.body is not None:
            content, headers = json.dumps(call.body).encode(), {**headers, "Content-Type": "application/json"}
        try:
            answer = self._pool.request(call.method, address, body=content, headers=headers, redirect=False)
            said = answer.data
        except (HTTPError, OSError, ValueError) as error:
            raise ProviderUnavailable(f"{call.operation}: {type(error).__name__}") from error
        _refuse(call.operation, answer.status, said)
        try:
            return read(json.loads(said) if said.strip() else None), answer.headers
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError) as error:
            raise ProviderUnavailable(f"{call.operation}: not an answer to it") from error


def _page_of(read: Callable[[Any], Read]) -> Callable[[Any], tuple[list[Read], str]]:
    def read_page(page: Any) -> tuple[list[Read], str]:
        following = ((page.get("_links") or {}).get("next") or {}).get("href")
        return [read(row) for row in page["results"]], following or ""

    return read_page


def _refuse(operation: str, status: int, said: bytes) -> None:
    """Raise what an answer that is no success means; nothing for a success."""
    if status < 300:
        return
    if status == TOO_MANY:
        raise NothingDone(f"{operation}: it is busy")
    if status >= 500 or status < 400:
        raise ProviderUnavailable(f"{operation}: {status}")
    words = words_of(said) or f"{operation}: {status}"
    raise _refusal(words, code=str(status))


def _refusal(words: str, *, code: str) -> CrowdError:
    is_about_money = any(word in words.lower() for word in ("insufficient", "not enough", "balance"))
    return ProviderRefused(words, code="InsufficientFunds" if is_about_money else code, is_only_answer=True)


def words_of(said: bytes) -> str:
    """What an error says, whatever its form: an object in `error` or bare, a text, a list, or not JSON."""
    try:
        answer = json.loads(said)
    except ValueError:
        return ""
    if isinstance(answer, Mapping):
        error = answer.get("error", answer)
        answer = error if not isinstance(error, Mapping) else _told(error)
    return " ".join(_flat(answer))[:LONGEST_WORDS]


def _told(error: Mapping[str, Any]) -> Any:
    return error.get("detail") or error.get("message") or error.get("title") or error


def _flat(said: Any) -> Iterator[str]:
    if isinstance(said, Mapping):
        for name, value in said.items():
            yield f"{name}: {' '.join(_flat(value))}"
    elif isinstance(said, list):
        for one in said:
            yield from _flat(one)
    elif said is not None:
        yield str(said)
