"""Messages between the researcher and participants."""

from datetime import datetime, timedelta

from crowd.marketplace.tools.prolific.api.routing import Answer, Asked, route
from crowd.marketplace.tools.prolific.api.wire_documents import message_document
from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.entities import Message
from crowd.marketplace.tools.prolific.state.prolific_world import World, find, new_id

REACH = timedelta(days=30)


@route("GET", "/messages/")
def list_messages(world: World, asked: Asked) -> Answer:
    """The messages with one person, or of the last days: one of the two must be asked for."""
    user_id, after = asked.query.get("user_id"), asked.query.get("created_after")
    if user_id is None and after is None:
        raise Refused(400, "Give user_id or created_after.")
    since = _time(world, after) if after is not None else None
    found = [one for one in world.messages if user_id in (None, one.sender_id, one.recipient_id)]
    return Answer(
        body={"results": [message_document(one) for one in found if since is None or one.sent_at > since]}
    )


@route("GET", "/messages/unread/")
def list_unread_messages(world: World, asked: Asked) -> Answer:
    received = [one for one in world.messages if one.recipient_id == world.researcher_id]
    return Answer(body={"results": [message_document(one) for one in received]})


@route("POST", "/messages/")
def send_message(world: World, asked: Asked) -> Answer:
    _send(world, [asked.body["recipient_id"]], asked)
    return Answer(status=204)


@route("POST", "/messages/bulk/")
def send_messages(world: World, asked: Asked) -> Answer:
    _send(world, asked.body["ids"], asked)
    return Answer(status=204)


def receive_message(world: World, *, participant_id: str, body: str, study_id: str | None = None) -> None:
    """A participant writes to the researcher."""
    find(world.participants, participant_id)
    _keep(world, sender=participant_id, recipient=world.researcher_id, body=body, study_id=study_id)


def _send(world: World, recipients: list[str], asked: Asked) -> None:
    study_id = asked.body.get("study_id")
    if study_id is not None:
        find(world.studies, study_id)
    unknown = [one for one in recipients if one not in world.participants]
    if unknown:
        raise Refused(400, [f"There is no participant {one}." for one in unknown])
    for recipient in recipients:
        _keep(
            world,
            sender=world.researcher_id,
            recipient=recipient,
            body=asked.body["body"],
            study_id=study_id,
        )


def _keep(world: World, *, sender: str, recipient: str, body: str, study_id: str | None) -> None:
    world.messages.append(
        Message(
            id=new_id(),
            sender_id=sender,
            recipient_id=recipient,
            body=body,
            study_id=study_id,
            sent_at=world.now(),
        )
    )


def _time(world: World, text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(400, {"created_after": ["This is not a time."]}) from None
    if at.tzinfo is None:
        raise Refused(400, {"created_after": ["This time has no zone."]})
    if at < world.now() - REACH:
        raise Refused(400, {"created_after": ["This is more than 30 days ago."]})
    return at
