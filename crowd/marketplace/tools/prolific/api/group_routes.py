"""Groups of participants: what is changed acts at once on published studies."""

from crowd.marketplace.tools.prolific.api.paging import slice_of
from crowd.marketplace.tools.prolific.api.routing import Answer, Asked, route
from crowd.marketplace.tools.prolific.api.wire_documents import group_document
from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.entities import Group
from crowd.marketplace.tools.prolific.state.prolific_world import World, find, new_id


@route("GET", "/participant-groups/")
def list_groups(world: World, asked: Asked) -> Answer:
    workspace_id = asked.query.get("workspace_id")
    if workspace_id is None:
        raise Refused(400, {"workspace_id": ["This parameter is required."]})
    workspace = find(world.workspaces, workspace_id)
    own = [one for one in world.groups.values() if one.workspace is workspace and not one.is_deleted]
    return Answer(body=slice_of(asked, own, tell=group_document))


@route("POST", "/participant-groups/")
def create_group(world: World, asked: Asked) -> Answer:
    workspace_id = asked.body.get("workspace_id") or next(iter(world.workspaces))
    group = Group(id=new_id(), name=asked.body["name"], workspace=find(world.workspaces, workspace_id))
    _replace(world, group, asked.body.get("participant_ids", []))
    world.groups[group.id] = group
    return Answer(status=201, body=group_document(group))


@route("GET", "/participant-groups/{id}/")
def get_group(world: World, asked: Asked) -> Answer:
    return Answer(body=group_document(world.group(asked.params["id"])))


@route("PATCH", "/participant-groups/{id}/")
def patch_group(world: World, asked: Asked) -> Answer:
    """Change the name; a list of participants replaces the one before."""
    group = world.group(asked.params["id"])
    if "participant_ids" in asked.body:
        _replace(world, group, asked.body["participant_ids"])
    group.name = asked.body.get("name", group.name)
    return Answer(body=group_document(group))


@route("DELETE", "/participant-groups/{id}/")
def delete_group(world: World, asked: Asked) -> Answer:
    world.group(asked.params["id"]).is_deleted = True
    return Answer(status=204)


@route("GET", "/participant-groups/{id}/participants/")
def list_members(world: World, asked: Asked) -> Answer:
    return Answer(body={"results": _members(world.group(asked.params["id"]))})


@route("POST", "/participant-groups/{id}/participants/")
def add_members(world: World, asked: Asked) -> Answer:
    group = world.group(asked.params["id"])
    _replace(world, group, [*group.participant_ids, *asked.body["participant_ids"]])
    return Answer(body={"results": _members(group)})


@route("DELETE", "/participant-groups/{id}/participants/")
def remove_members(world: World, asked: Asked) -> Answer:
    group = world.group(asked.params["id"])
    leaving = set(asked.body["participant_ids"])
    group.participant_ids = [one for one in group.participant_ids if one not in leaving]
    return Answer(body={"results": _members(group)})


def _members(group: Group) -> list[dict[str, str]]:
    return [{"participant_id": one} for one in group.participant_ids]


def _replace(world: World, group: Group, participant_ids: list[str]) -> None:
    unknown = [one for one in participant_ids if one not in world.participants]
    if unknown:
        raise Refused(400, [f"There is no participant {one}." for one in unknown])
    group.participant_ids = list(dict.fromkeys(participant_ids))
