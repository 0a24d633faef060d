"""The HIT by which workers become designers: the frame's real pages and the workspace beside it."""

from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from crowd.whoops import domain
from crowd.whoops.design.services.invitations import places_of, set_active, want_designers
from crowd.whoops.models import Designer, Project
from hits import families
from hits.core.errors import InvalidAnswer
from hits.identity.models.workers import Worker
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.services.leasing import items_of, lease_items
from tests.crowd.whoops.making_designers import form_of, make_designer, make_project, send
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_worker

pytestmark = pytest.mark.django_db
FAMILY: Any = families.get(domain.DESIGN)


def open_batch(project: Project, *, places: int = 2) -> Batch:
    want_designers(project=project, places=places)
    return make_batch(study=project.study, task=domain.DESIGN, status="open")


def begin(batch: Batch, worker: Worker | None = None) -> Assignment:
    worker = worker or make_worker(account=batch.account)
    assignment = make_assignment(hit=make_hit(batch=batch, max_assignments=9), worker=worker)
    lease_items(assignment=assignment, now=NOW)
    return assignment


def work_page(assignment: Assignment) -> dict[str, object]:
    return dict(FAMILY.work_page(assignment=assignment, items=items_of(assignment)).context)


def read(assignment: Assignment) -> object:
    return FAMILY.read_answer(form=QueryDict(), assignment=assignment, items=items_of(assignment))


def test_whoever_takes_the_hit_becomes_a_paid_designer_once() -> None:
    project = make_project()
    assignment = begin(open_batch(project))

    urls = {str(work_page(assignment)["workspace_url"]) for _ in range(2)}

    (designer,) = project.designers.all()
    assert (designer.worker, designer.is_paid, designer.is_active) == (assignment.worker, True, True)
    assert designer.name == f"Worker {assignment.worker.pseudonym}"
    assert len(urls) == 1
    assert places_of(project) == (1, 1)


def test_an_invited_designer_who_takes_the_hit_is_the_same_designer_and_paid() -> None:
    project = make_project()
    batch = open_batch(project)
    worker = make_worker(account=batch.account)
    invited = make_designer(project, worker=worker, days=1)

    work_page(begin(batch, worker))

    assert project.designers.get() == invited
    invited.refresh_from_db()
    assert invited.is_paid


def test_the_hit_is_handed_in_once_an_image_is_sent(client: Client) -> None:
    project = make_project()
    assignment = begin(open_batch(project))
    url = str(work_page(assignment)["workspace_url"])
    with pytest.raises(InvalidAnswer, match="not sent an image yet"):
        read(assignment)

    sent = client.post(f"{url}new/", form_of())

    assert sent.status_code == 302
    image = project.images.get()
    assert read(assignment) == {"images": [str(image.public_id)]}
    assert work_page(assignment)["sent"] == 1


def test_a_place_is_for_one_worker_and_those_shut_out_get_none() -> None:
    project = make_project()
    batch = open_batch(project, places=1)
    worker = make_worker(account=batch.account)
    shut_out = make_designer(project, worker=worker)
    set_active(designer=shut_out, is_active=False)

    assert items_of(begin(batch, worker)) == []
    assert len(items_of(begin(batch))) == 1
    assert items_of(begin(batch)) == []


@pytest.mark.parametrize(
    "answer", [None, {}, {"images": []}, {"images": "x"}, {"images": [1]}, {"images": ["x"]}]
)
def test_an_answer_that_the_page_could_not_have_sent_is_refused(answer: object) -> None:
    with pytest.raises(InvalidAnswer):
        FAMILY.check_answer(answer=answer, items=[])


def test_an_answer_with_the_images_of_somebody_else_is_not_recovered() -> None:
    project = make_project()
    batch = open_batch(project)
    assignment = begin(batch)
    work_page(assignment)
    own = send(Designer.objects.get())
    other = send(make_designer(project))

    def recover(*images: object) -> object:
        answer = {"images": [str(image) for image in images]}
        return FAMILY.recover_answer(answer=answer, assignment=assignment, items=items_of(assignment))

    assert recover(own.public_id) == {"images": [str(own.public_id)]}
    with pytest.raises(InvalidAnswer):
        recover(own.public_id, other.public_id)
