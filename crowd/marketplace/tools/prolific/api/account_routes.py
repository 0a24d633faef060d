"""The account: who asks, the workspaces with their wallets, the projects, what a study would cost."""

from crowd.marketplace.tools.prolific.api.paging import page_of, put_in_order, slice_of
from crowd.marketplace.tools.prolific.api.routing import Answer, Asked, route
from crowd.marketplace.tools.prolific.api.wire_documents import (
    STUDY_ORDERS,
    cost_parts,
    project_document,
    study_row,
    workspace_document,
)
from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.cost_rules import FEES, cost_of, split_balance
from crowd.marketplace.tools.prolific.state.filter_rules import all_filters
from crowd.marketplace.tools.prolific.state.prolific_world import World, find, new_id
from crowd.marketplace.tools.prolific.state.taking_part import add_participant
from crowd.marketplace.tools.prolific.state.wallets import available


@route("GET", "/users/me/")
def get_me(world: World, asked: Asked) -> Answer:
    return Answer(
        body={"id": world.researcher_id, "email": "researcher@example.com", "user_type": "researcher"}
    )


@route("GET", "/workspaces/")
def list_workspaces(world: World, asked: Asked) -> Answer:
    return Answer(body=slice_of(asked, list(world.workspaces.values()), tell=workspace_document))


@route("POST", "/workspaces/")
def create_workspace(world: World, asked: Asked) -> Answer:
    currency = asked.body.get("currency_code", "GBP")
    workspace = world.add_workspace(title=asked.body["title"], currency_code=currency)
    return Answer(status=201, body=workspace_document(workspace))


@route("GET", "/workspaces/{id}/")
def get_workspace(world: World, asked: Asked) -> Answer:
    return Answer(body=workspace_document(find(world.workspaces, asked.params["id"])))


@route("GET", "/workspaces/{id}/balance/")
def get_balance(world: World, asked: Asked) -> Answer:
    workspace = find(world.workspaces, asked.params["id"])
    total, free = workspace.total, available(world, workspace)
    return Answer(
        body={
            "currency_code": workspace.currency_code,
            "total_balance": total,
            "balance_breakdown": cost_parts(split_balance(total, fee_rate=workspace.fee_rate)),
            "available_balance": free,
            "available_balance_breakdown": cost_parts(split_balance(free, fee_rate=workspace.fee_rate)),
        }
    )


@route("GET", "/workspaces/{id}/projects/")
def list_projects(world: World, asked: Asked) -> Answer:
    workspace = find(world.workspaces, asked.params["id"])
    own = [one for one in world.projects.values() if one.workspace is workspace]
    return Answer(body=slice_of(asked, own, tell=project_document))


@route("POST", "/workspaces/{id}/projects/")
def create_project(world: World, asked: Asked) -> Answer:
    workspace = find(world.workspaces, asked.params["id"])
    project = world.add_project(workspace=workspace, title=asked.body["title"])
    return Answer(status=201, body=project_document(project))


@route("GET", "/projects/{id}/")
def get_project(world: World, asked: Asked) -> Answer:
    return Answer(body=project_document(find(world.projects, asked.params["id"])))


@route("GET", "/projects/{id}/studies/")
def list_studies_of_project(world: World, asked: Asked) -> Answer:
    project = find(world.projects, asked.params["id"])
    studies = [one for one in world.studies.values() if one.project is project]
    put_in_order(asked, studies, tell=study_row, allowed=STUDY_ORDERS)
    return Answer(body=page_of(asked, studies, tell=study_row))


@route("POST", "/study-cost-calculator/")
def calculate_cost(world: World, asked: Asked) -> Answer:
    amount = asked.body["reward"] * asked.body["total_available_places"]
    return Answer(body={"total_cost": cost_of(amount, fee_rate=FEES[world.fee]).total})


@route("GET", "/filters/")
def list_filters(world: World, asked: Asked) -> Answer:
    if "workspace_id" in asked.query:
        find(world.workspaces, asked.query["workspace_id"])
    filters = all_filters()
    return Answer(body={"results": filters, "meta": {"count": len(filters)}})


@route("POST", "/credentials/")
def create_credentials(world: World, asked: Asked) -> Answer:
    rows = [line.split(",") for line in asked.body["credentials"].strip().splitlines()]
    if not rows or any(len(row) != 2 or not all(row) for row in rows):
        raise Refused(400, {"credentials": ["Each line holds a user and a password with a comma between."]})
    pool_id = f"pool-{new_id()}"
    world.credential_pools[pool_id] = rows
    return Answer(status=201, body={"credential_pool_id": pool_id, "total_credentials": len(rows)})


@route("POST", "/researchers/participants/")
def create_test_participant(world: World, asked: Asked) -> Answer:
    _check_enabled(world)
    if any(one.email == asked.body["email"] for one in world.participants.values()):
        raise Refused(400, {"email": ["There is a participant with this address already."]})
    participant = add_participant(world, email=asked.body["email"], is_test=True)
    return Answer(status=201, body={"participant_id": participant.id})


def _check_enabled(world: World) -> None:
    if not world.habits.test_participants:
        raise Refused(403, "Test participants are not enabled for this account.")
