"""The way from a request to its answer: the token, the faults, the schema, the routes."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qsl

from crowd.marketplace.tools.prolific.api import (  # noqa: F401 - importing them registers their routes
    account_routes,
    bonus_routes,
    group_routes,
    hook_routes,
    message_routes,
    study_routes,
    submission_routes,
)
from crowd.marketplace.tools.prolific.api.routing import PREFIX, Answer, Asked, Route, find_route
from crowd.marketplace.tools.prolific.contract import answer_misfits, check_request
from crowd.marketplace.tools.prolific.control_routes import answer_control
from crowd.marketplace.tools.prolific.pages.participant_pages import answer_page
from crowd.marketplace.tools.prolific.refused import Refused, error_body, error_object
from crowd.marketplace.tools.prolific.session_tokens import public_keys
from crowd.marketplace.tools.prolific.state.injected_faults import Fault
from crowd.marketplace.tools.prolific.state.prolific_world import World

# Where studies find the key of the tokens in secure addresses.
KEYS = "/.well-known/study/jwks.json"
JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, kw_only=True)
class Received:
    """A request as it came over the wire."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, kw_only=True)
class Sent:
    """What goes back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def respond(world: World, received: Received) -> Sent | None:
    """The answer, or None where the connection is to be dropped without one."""
    if received.path.startswith(f"{PREFIX}/"):
        return _respond_to_api(world, received)
    if received.path == KEYS:
        return _as_json(200, public_keys())
    if received.path.startswith("/control/"):
        return _respond_to_control(world, received)
    return _respond_with_page(world, received)


def _respond_to_api(world: World, received: Received) -> Sent | None:
    path = received.path.removeprefix(PREFIX)
    with world.lock:
        world.requests.append({"method": received.method, "path": path, "query": received.query})
        fault = world.faults.take(received.method, path)
    if fault is not None and fault.kind == "slow":
        time.sleep(fault.delay_s)
    elif fault is not None and not _acts_after(fault):
        return _faulty(fault)
    answer = _answer_of_api(world, received, path)
    if fault is not None and _acts_after(fault):
        return _faulty(fault)
    return _as_json(answer.status, answer.body, answer.headers)


def _acts_after(fault: Fault) -> bool:
    return fault.kind == "drop_after" or (fault.kind == "error" and fault.after)


def _faulty(fault: Fault) -> Sent | None:
    if fault.kind != "error":
        return None
    body = fault.body()
    if isinstance(body, str):
        return Sent(status=fault.status, headers={"Content-Type": "text/html"}, body=body.encode())
    return _as_json(fault.status, body)


def _answer_of_api(world: World, received: Received, path: str) -> Answer:
    """What the routes answer, held to the schema; what does not fit is a 500 that is remembered."""
    with world.lock:
        route: Route | None = None
        try:
            _check_token(world, received)
            route = find_route(received.method, path)
            answer = _call(world, received, path, route)
        except Refused as refusal:
            tell = error_object if world.habits.bare_errors else error_body
            answer = Answer(status=refusal.status, body=tell(refusal.status, refusal.detail))
        found = answer_misfits(route.name if route else None, status=answer.status, body=answer.body)
        if found:
            world.answered_amiss.extend(found)
            answer = Answer(status=500, body=error_body(500, found))
    world.settle()
    return answer


def _call(world: World, received: Received, path: str, route: Route) -> Answer:
    world.agenda.run_due(world.now())
    query = dict(parse_qsl(received.query, keep_blank_values=True))
    body = _read_json(received.body)
    try:
        check_request(route.name, query=query, body=body)
    except Refused as refusal:
        world.asked_amiss.append(f"{route.name} was asked with {refusal.detail}")
        raise
    asked = Asked(
        method=received.method,
        path=path,
        params=route.params,
        query=query,
        body=body,
        base_url=world.base_url,
    )
    return route.function(world, asked)


def _check_token(world: World, received: Received) -> None:
    if received.headers.get("authorization") != f"Token {world.token}":
        raise Refused(401, "Invalid token.")


def _read_json(body: bytes) -> Any:
    if not body:
        return None
    try:
        return json.loads(body)
    except ValueError:
        raise Refused(400, "The body is not JSON.") from None


def _respond_to_control(world: World, received: Received) -> Sent:
    try:
        _check_token(world, received)
        body = _read_json(received.body)
        with world.lock:
            world.agenda.run_due(world.now())
            told = answer_control(world, method=received.method, path=received.path, body=body)
        world.settle()
    except Refused as refusal:
        return _as_json(refusal.status, error_body(refusal.status, refusal.detail))
    return _as_json(200, told)


def _respond_with_page(world: World, received: Received) -> Sent:
    cookies = SimpleCookie(received.headers.get("cookie", ""))
    with world.lock:
        world.agenda.run_due(world.now())
        shown = answer_page(
            world,
            method=received.method,
            path=received.path,
            query=dict(parse_qsl(received.query)),
            fields=dict(parse_qsl(received.body.decode(errors="replace"))),
            cookies={name: morsel.value for name, morsel in cookies.items()},
        )
    world.settle()
    policy = "default-src 'none'; style-src 'self'; form-action *; base-uri 'none'; frame-ancestors 'none'"
    headers = {**shown.headers, "Content-Security-Policy": policy, "Cache-Control": "no-store"}
    return Sent(status=shown.status, headers=headers, body=shown.text.encode())


def _as_json(status: int, body: Any, headers: Mapping[str, str] | None = None) -> Sent:
    if status == 204:
        return Sent(status=status, headers=headers or {}, body=b"")
    return Sent(status=status, headers={**JSON, **(headers or {})}, body=json.dumps(body).encode())
