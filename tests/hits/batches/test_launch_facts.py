"""What rooms above tell of a batch on the page before its launch, and whom the page leads further."""

import pytest
from django.test import Client
from django.urls import reverse

from crowd.winogavil.domain import CREATE, CREATOR_TEST
from hits.core.domain.requirements import NUMBER_APPROVED
from hits.studies.models import Study
from qualifications.models import Gate
from tests.factories import make_account, make_assignment, make_batch, make_hit, make_study, make_worker
from tests.pages import text_of
from tests.people import sign_in_with
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
BOUNDS = [("marketplace", 5000, True), ("marketplace", 0, False), ("sandbox", 5000, False)]
PERMISSIONS = ("view_studyrival", "view_consenttext", "view_gate")


def pages_of(study: Study) -> list[str]:
    return [
        reverse("admin:scoring_rivals", args=[study.pk]),
        reverse("admin:qualifications_consent", args=[study.pk]),
        f"{reverse('admin:qualifications_gate_changelist')}?study__id__exact={study.pk}",
    ]


@pytest.mark.parametrize("permissions", [(), PERMISSIONS])
def test_check_page_names_model_consent_and_tests_and_leads_whoever_may_look(
    permissions: tuple[str, ...], client: Client, turk: StubbedTurk
) -> None:
    study = make_study()
    sign_in_with(client, "view_batch", *permissions, studies=[study])
    batch = make_batch(study=study, task=CREATE)

    page = text_of(client.get(reverse("admin:hits_batch_launch", args=[batch.pk])))

    assert "<dt>Model</dt><dd><p>Workers play against “minilm”" in page
    assert "<dt>Consent</dt><dd><p>None: this study has no published text" in page
    assert "<dt>Tests</dt><dd><p>None: no test keeps anybody" in page
    assert [f'href="{url}"' in page for url in pages_of(study)] == [bool(permissions)] * 3


def test_what_would_keep_a_batch_still_or_is_seldom_meant_stands_first_with_the_way_to_mend_it(
    client: Client, turk: StubbedTurk
) -> None:
    study = make_study(wage_floor=None)
    Gate.objects.create(
        study=study,
        name="Creator test",
        grading="person",
        test_task=CREATOR_TEST,
        opens=[CREATE],
        is_active=True,
    )
    sign_in_with(client, "view_batch", "change_batch", *PERMISSIONS, studies=[study])
    batch = make_batch(study=study, task=CREATE, reward="0.05", estimated_s=120)

    page = text_of(client.get(reverse("admin:hits_batch_launch", args=[batch.pk])))
    _, first = page.split("Look at this first")
    first, _ = first.split("<h2>Money</h2>")

    assert "At $1.50 an hour, before bonuses, the batch pays less than the minimum wage" in first
    assert (
        f'<a href="{reverse("admin:hits_batch_step", args=[batch.pk, "terms"])}">Change “Terms”</a>' in first
    )
    assert (
        "There is no consent: this study has no published text, and workers begin without agreeing to one."
        in first
    )
    assert "Nobody has passed “Creator test” yet, and this work asks for it." in first
    assert all(f'href="{url}"' in first for url in pages_of(study)[1:])


@pytest.mark.parametrize(("environment", "bound", "warned"), BOUNDS)
def test_a_record_that_nobody_of_our_own_marketplace_has_yet_is_warned_of(
    environment: str, bound: int, warned: bool, client: Client, turk: StubbedTurk
) -> None:
    study = make_study()
    sign_in_with(client, "view_batch", studies=[study])
    asked = {"QualificationTypeId": NUMBER_APPROVED, "Comparator": "GreaterThan", "IntegerValues": [bound]}
    account = make_account(environment=environment)
    batch = make_batch(study=study, task=CREATE, account=account, requirements=[asked])
    make_assignment(hit=make_hit(batch=batch), worker=make_worker(account=account), status="approved")

    page = text_of(client.get(reverse("admin:hits_batch_launch", args=[batch.pk])))

    name = "Number of earlier assignments that were approved"
    told = f"No worker known on this account meets this yet: {name}: more than {bound}."
    assert (told in page) is warned
