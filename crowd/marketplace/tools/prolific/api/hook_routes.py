"""Hooks: a secret for each workspace, and subscriptions that their receiver must confirm."""

import hmac
import secrets
from urllib.parse import urlsplit

from crowd.marketplace.tools.prolific.api.paging import slice_of
from crowd.marketplace.tools.prolific.api.routing import Answer, Asked, route
from crowd.marketplace.tools.prolific.api.wire_documents import subscription_document
from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.entities import Subscription
from crowd.marketplace.tools.prolific.state.hook_delivery import is_loopback
from crowd.marketplace.tools.prolific.state.hook_events import EVENT_TYPES
from crowd.marketplace.tools.prolific.state.prolific_world import World, find, new_id


@route("GET", "/hooks/event-types/")
def list_event_types(world: World, asked: Asked) -> Answer:
    return Answer(body={"results": [{"event_type": one} for one in EVENT_TYPES]})


@route("POST", "/hooks/secrets/")
def create_secret(world: World, asked: Asked) -> Answer:
    """Each workspace has one secret; a new one replaces it."""
    workspace = find(world.workspaces, asked.body["workspace_id"])
    workspace.hook_secret = secrets.token_urlsafe(32)
    return Answer(status=201, body={"value": workspace.hook_secret, "workspace_id": workspace.id})


@route("GET", "/hooks/secrets/")
def list_secrets(world: World, asked: Asked) -> Answer:
    found = [one for one in world.workspaces.values() if one.hook_secret]
    return Answer(body={"results": [{"value": one.hook_secret, "workspace_id": one.id} for one in found]})


@route("GET", "/hooks/subscriptions/")
def list_subscriptions(world: World, asked: Asked) -> Answer:
    workspace_id = asked.query.get("workspace_id")
    found = [one for one in world.hooks.subscriptions.values() if workspace_id in (None, one.workspace.id)]
    return Answer(body=slice_of(asked, found, tell=subscription_document))


@route("POST", "/hooks/subscriptions/")
def create_subscription(world: World, asked: Asked) -> Answer:
    """The header X-Hook-Secret brings what the receiver sends back to confirm."""
    workspace = find(world.workspaces, asked.body["workspace_id"])
    if not workspace.hook_secret:
        raise Refused(400, "Create a secret for this workspace first.")
    _check_target(asked.body["target_url"])
    subscription = Subscription(
        id=new_id(),
        workspace=workspace,
        event_type=asked.body["event_type"],
        target_url=asked.body["target_url"],
        secret=secrets.token_urlsafe(32),
    )
    world.hooks.subscriptions[subscription.id] = subscription
    body = subscription_document(subscription)
    return Answer(status=201, body=body, headers={"X-Hook-Secret": subscription.secret})


@route("GET", "/hooks/subscriptions/{id}/")
def get_subscription(world: World, asked: Asked) -> Answer:
    return Answer(body=subscription_document(find(world.hooks.subscriptions, asked.params["id"])))


@route("POST", "/hooks/subscriptions/{id}/")
def confirm_subscription(world: World, asked: Asked) -> Answer:
    subscription = find(world.hooks.subscriptions, asked.params["id"])
    if not hmac.compare_digest(asked.body["secret"].encode(), subscription.secret.encode()):
        raise Refused(400, {"secret": ["This is not the secret of this subscription."]})
    subscription.is_confirmed = True
    return Answer(body=subscription_document(subscription))


@route("PATCH", "/hooks/subscriptions/{id}/")
def patch_subscription(world: World, asked: Asked) -> Answer:
    subscription = find(world.hooks.subscriptions, asked.params["id"])
    if "target_url" in asked.body:
        _check_target(asked.body["target_url"])
        subscription.target_url = asked.body["target_url"]
    if "is_enabled" in asked.body:
        subscription.is_enabled = asked.body["is_enabled"]
        subscription.failing_since = None
    return Answer(body=subscription_document(subscription))


@route("DELETE", "/hooks/subscriptions/{id}/")
def delete_subscription(world: World, asked: Asked) -> Answer:
    subscription = find(world.hooks.subscriptions, asked.params["id"])
    subscription.is_enabled = False
    del world.hooks.subscriptions[subscription.id]
    return Answer(status=204)


@route("GET", "/hooks/subscriptions/{id}/events/")
def list_events(world: World, asked: Asked) -> Answer:
    subscription = find(world.hooks.subscriptions, asked.params["id"])
    return Answer(body=slice_of(asked, subscription.log, tell=dict))


def _check_target(url: str) -> None:
    """HTTPS, but for loopback, which is all that a stand-in calls."""
    if not _is_possible(url):
        raise Refused(400, {"target_url": ["The address must begin with https://."]})


def _is_possible(url: str) -> bool:
    try:
        parts = urlsplit(url)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    is_allowed = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(url))
    return has_port and bool(parts.hostname) and is_allowed
