"""Three workers annotate in the framed page, over HTTP, from the first load to the final label."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.annotation.services.final_annotations import finalize_annotations
from hits.core.states import move
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from scoring.services.score_recording import judge_submitted
from tests.crowd.frame.test_question import SITE
from tests.crowd.winogavil.annotation.annotators import draw, make_selected
from tests.factories import make_account, make_batch, make_hit, make_study
from tests.pages import text_of

pytestmark = pytest.mark.django_db


def open_hit(kind: Kind) -> HIT:
    study = make_study()
    make_selected(study, cue="cold", size=5, chosen=2)
    draw(study, kind)
    account = make_account(worker_site=SITE, ticket_key="ticket-key")
    batch = make_batch(study=study, account=account, task=kind.task, status="open", items_per_assignment=5)
    return make_hit(batch=batch, external_id="HIT1")


def visit(client: Client, hit: HIT, number: int) -> Any:
    accepted: datetime = timezone.now() - timedelta(minutes=1)
    claims = {"assignmentId": f"A{number}", "hitId": "HIT1", "workerId": f"AWORKER{number}"}
    signed = {
        "assignment": claims["assignmentId"],
        "hit": claims["hitId"],
        "worker": claims["workerId"],
        "attempt": 1,
        "accepted": accepted.timestamp(),
        "expires": (accepted + timedelta(minutes=10)).timestamp(),
    }
    ticket = signing.dumps(signed, key="ticket-key", salt="marketplace.ticket")
    query = {**claims, "ticket": ticket, "turkSubmitTo": f"{SITE}/submit/signed"}
    return client.get(f"/q/{hit.public_id}/?{urlencode(query)}")


def send(client: Client, hit: HIT, page: Any, labels: list[str]) -> Any:
    fields = {question["field"]: labels for question in page.context["questions"]}
    return client.post(f"/q/{hit.public_id}/answer/", {"token": page.context["token"], **fields})


def test_three_people_name_the_type_of_each_picture(client: Client) -> None:
    hit = open_hit(Kind.TYPES)

    for number, label in enumerate(["colors", "activity", "colors"]):
        page = visit(client, hit, number)
        assert page.status_code == 200
        assert send(client, hit, page, [label]).status_code == 200
    for assignment in Assignment.objects.all():
        assert move(assignment, Assignment.Status.SUBMITTED, submitted_at=timezone.now())
    now = timezone.now()
    final, judged = finalize_annotations(now=now), judge_submitted(now=now)

    assert (final, judged) == (2, 3)
    assert [annotation.labels for annotation in Annotation.objects.all()] == [["colors"], ["colors"]]
    assert set(Lease.objects.values_list("status", flat=True)) == {Lease.Status.ANSWERED}


def test_answer_that_is_refused_records_nothing(client: Client) -> None:
    hit = open_hit(Kind.SKILLS)
    page = visit(client, hit, 1)

    refused = send(client, hit, page, ["none", "humor"])

    assert refused.status_code == 400
    assert "Go back and change that" in text_of(refused)
    assert Assignment.objects.get().answer is None


def test_preview_of_labels_shows_practice_and_records_nothing(client: Client) -> None:
    hit = open_hit(Kind.TYPES)

    page = client.get(f"/q/{hit.public_id}/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")

    text = text_of(page)
    assert ("practice example" in text, "cold" in text) == (True, False)
    assert (Worker.objects.filter(account=hit.batch.account).count(), Lease.objects.count()) == (0, 0)


def test_baseline_page_does_not_depend_on_what_is_right(client: Client) -> None:
    hit = open_hit(Kind.BASELINE)
    annotation = Annotation.objects.get()

    def questions() -> Any:
        return visit(client, hit, 1).context["questions"]

    before = questions()
    for place in annotation.association.places.all():
        place.chosen = not place.chosen if place.position in (0, 4) else place.chosen
        place.save()

    assert questions() == before
    [question] = before
    assert set(question) == {"number", "field", "cue", "k", "pictures"}
    assert question["field"] == str(annotation.item.public_id)
    assert [set(picture) for picture in question["pictures"]] == [{"key", "url"}] * 5
    page = text_of(visit(client, hit, 1))
    assert str(annotation.association.item.public_id) not in page
    assert not [place.label for place in annotation.association.places.all() if place.label in page]


def test_baseline_takes_exactly_k_pictures_of_its_own_page(client: Client) -> None:
    hit = open_hit(Kind.BASELINE)
    page = visit(client, hit, 1)
    keys = [picture["key"] for picture in page.context["questions"][0]["pictures"]]

    refused = [send(client, hit, page, picks).status_code for picks in (keys[:1], keys[:3], ["x", "y"])]
    saved = send(client, hit, page, keys[:2])

    assert (refused, saved.status_code) == ([400, 400, 400], 200)
    assert Assignment.objects.get().answer == {page.context["questions"][0]["field"]: sorted(keys[:2])}
