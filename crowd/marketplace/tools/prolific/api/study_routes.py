"""Studies: made as drafts, published, changed a little, watched."""

from collections import Counter
from dataclasses import replace
from datetime import datetime

from crowd.marketplace.tools.prolific.api.paging import page_of, put_in_order, slice_of
from crowd.marketplace.tools.prolific.api.routing import Answer, Asked, route
from crowd.marketplace.tools.prolific.api.wire_documents import (
    STUDY_ORDERS,
    cost_amounts,
    study_document,
    study_row,
    submission_row,
)
from crowd.marketplace.tools.prolific.refused import Refused
from crowd.marketplace.tools.prolific.state.cost_rules import Cost, cost_of
from crowd.marketplace.tools.prolific.state.entities import Project, Study
from crowd.marketplace.tools.prolific.state.prolific_world import World, find, new_id
from crowd.marketplace.tools.prolific.state.study_rules import check_fields, fill_in
from crowd.marketplace.tools.prolific.state.study_states import (
    DRAFT,
    change_state,
    change_study,
    clone_of,
    publish,
)
from crowd.marketplace.tools.prolific.state.taking_part import allocations


@route("GET", "/studies/")
def list_studies(world: World, asked: Asked) -> Answer:
    state = asked.query.get("state")
    studies = [one for one in world.studies.values() if state in (None, one.status)]
    put_in_order(asked, studies, tell=study_row, allowed=STUDY_ORDERS)
    return Answer(body=page_of(asked, studies, tell=study_row))


@route("POST", "/studies/")
def create_study(world: World, asked: Asked) -> Answer:
    project = _project_of(world, asked.body.get("project"))
    fields = fill_in(asked.body)
    check_fields(world, project.workspace, fields)
    study = Study(id=new_id(), project=project, fields=fields, created_at=world.now())
    world.studies[study.id] = study
    return Answer(status=201, body=study_document(study))


@route("GET", "/studies/{id}/")
def get_study(world: World, asked: Asked) -> Answer:
    return Answer(body=study_document(find(world.studies, asked.params["id"])))


@route("PATCH", "/studies/{id}/")
def patch_study(world: World, asked: Asked) -> Answer:
    study = find(world.studies, asked.params["id"])
    changes = dict(asked.body)
    project = _project_of(world, changes.pop("project", study.project.id))
    if project is not study.project and study.status not in DRAFT:
        raise Refused(400, {"project": ["This field can't be changed once the study is published."]})
    change_study(world, study, changes, project=project)
    return Answer(body=study_document(study))


@route("DELETE", "/studies/{id}/")
def delete_study(world: World, asked: Asked) -> Answer:
    study = find(world.studies, asked.params["id"])
    if study.status not in DRAFT:
        raise Refused(400, "Only drafts can be deleted.")
    study.status = "UNPUBLISHED"
    del world.studies[study.id]
    return Answer(status=204)


@route("POST", "/studies/{id}/transition/")
def transition_study(world: World, asked: Asked) -> Answer:
    study = find(world.studies, asked.params["id"])
    publish_at = asked.body.get("publish_at")
    change_state(world, study, asked.body["action"], publish_at=_instant(publish_at) if publish_at else None)
    return Answer(body=study_document(study))


@route("POST", "/studies/{id}/clone/")
def clone_study(world: World, asked: Asked) -> Answer:
    study = clone_of(world, find(world.studies, asked.params["id"]), key=new_id())
    world.studies[study.id] = study
    return Answer(status=201, body=study_document(study))


@route("GET", "/studies/{id}/cost/")
def get_study_cost(world: World, asked: Asked) -> Answer:
    study = find(world.studies, asked.params["id"])
    is_projected = asked.query.get("is_projected", "false").lower() == "true"
    amount = max(study.paid, study.reward * study.places) if is_projected else study.paid
    currency = study.workspace.currency_code
    return Answer(
        body={
            "rewards": cost_amounts(cost_of(amount, fee_rate=study.workspace.fee_rate), currency),
            "bonuses": cost_amounts(_cost_of_bonuses(world, study), currency),
        }
    )


@route("GET", "/studies/{id}/submissions/")
def list_submissions_of_study(world: World, asked: Asked) -> Answer:
    study = find(world.studies, asked.params["id"])
    return Answer(body=slice_of(asked, study.submissions, tell=submission_row))


@route("GET", "/studies/{id}/submissions/counts/")
def count_submissions(world: World, asked: Asked) -> Answer:
    study = find(world.studies, asked.params["id"])
    counts = Counter(one.status for one in study.submissions)
    return Answer(body={**counts, "TOTAL": len(study.submissions)})


@route("GET", "/studies/{id}/access-details-progress/")
def get_access_details_progress(world: World, asked: Asked) -> Answer:
    study = find(world.studies, asked.params["id"])
    return Answer(body={"access_details": allocations(study)})


@route("POST", "/studies/{id}/test-study")
def create_test_study(world: World, asked: Asked) -> Answer:
    """Publish a copy for test participants, which costs nothing."""
    if not world.habits.test_participants:
        raise Refused(403, "Test participants are not enabled for this account.")
    draft = find(world.studies, asked.params["id"])
    if draft.status not in DRAFT:
        raise Refused(400, "Only a draft can be tested.")
    study = replace(draft, id=new_id(), status="UNPUBLISHED", submissions=[], is_test=True)
    world.studies[study.id] = study
    publish(world, study, world.now())
    return Answer(status=201, body={"study_id": study.id, "study_url": f"{asked.base_url}/participants/"})


def _project_of(world: World, project_id: str | None) -> Project:
    if project_id is None:
        return next(iter(world.projects.values()))
    if project_id not in world.projects:
        raise Refused(400, {"project": ["There is no such project."]})
    return world.projects[project_id]


def _instant(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(400, {"publish_at": ["This is not a time."]}) from None
    if at.tzinfo is None:
        raise Refused(400, {"publish_at": ["This time has no zone."]})
    return at


def _cost_of_bonuses(world: World, study: Study) -> Cost:
    """The sum of what left the wallet for bonuses of this study."""
    own = {setup.id for setup in world.setups.values() if setup.study is study}
    costs = [one.cost for one in study.workspace.movements if one.kind == "bonus" and one.reference in own]
    return Cost(
        rewards=sum(one.rewards for one in costs),
        fees=sum(one.fees for one in costs),
        vat=sum(one.vat for one in costs),
    )
