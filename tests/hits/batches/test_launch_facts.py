"""What rooms above tell of a batch on the page before its launch, and whom the page leads further."""

import pytest
from django.test import Client
from django.urls import reverse

from crowd.winogavil.domain import CREATE, CREATOR_TEST
from hits.batches.services.drafting import stamp
from hits.core.domain.requirements import LOCALE, MASTERS, NUMBER_APPROVED, PERCENT_APPROVED
from hits.studies.models import Batch, Study
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


STRANGERS = [
    {"QualificationTypeId": PERCENT_APPROVED, "Comparator": "GreaterThan", "IntegerValues": [98]},
    {"QualificationTypeId": LOCALE, "Comparator": "In", "LocaleValues": [{"Country": "US"}]},
    {"QualificationTypeId": MASTERS["marketplace"], "Comparator": "Exists"},
]
OWN = {"QualificationTypeId": "3OWN", "Comparator": "Exists"}


def draft_for_strangers(study: Study) -> Batch:
    account = make_account(environment="marketplace")
    return make_batch(study=study, task=CREATE, account=account, requirements=[*STRANGERS, OWN])


def test_what_new_people_of_our_own_marketplace_lack_stands_first_and_is_taken_out_by_one_button(
    client: Client, turk: StubbedTurk
) -> None:
    study = make_study()
    batch = draft_for_strangers(study)
    address = reverse("admin:hits_batch_launch", args=[batch.pk])
    sign_in_with(client, "view_batch", "change_batch", "change_study", studies=[study])

    page = text_of(client.get(address))
    first, _ = page.split("Look at this first")[1].split("<h2>Money</h2>")

    assert "Country: one of US. Workers of your own marketplace state their country themselves" in first
    assert "more than 98. New people have no record" in first
    assert "Masters: is held. Nobody new is one" in first
    assert "Ask for none of these</button>" in first

    seen = stamp(batch, "people")
    own_people = reverse("admin:hits_batch_own_people", args=[batch.pk])
    answer = client.post(own_people, {"seen": seen, "lasts": "on"}, follow=True)

    batch.refresh_from_db()
    study.refresh_from_db()
    assert (batch.requirements, study.own_people) == ([OWN], True)
    assert "Ask for none of these" not in text_of(answer)


def test_taking_them_out_changes_nothing_for_who_may_not_or_has_seen_another_draft(
    client: Client, turk: StubbedTurk
) -> None:
    study = make_study()
    batch = draft_for_strangers(study)
    own_people = reverse("admin:hits_batch_own_people", args=[batch.pk])

    sign_in_with(client, "view_batch", studies=[study])
    looking = client.post(own_people, {"seen": stamp(batch, "people")})
    sign_in_with(client, "view_batch", "change_batch", studies=[study])
    lasting = client.post(own_people, {"seen": stamp(batch, "people"), "lasts": "on"})
    stale = text_of(client.post(own_people, {"seen": "another"}, follow=True))

    assert (looking.status_code, lasting.status_code) == (403, 403)
    assert "This step was saved in another window" in stale
    assert Batch.objects.get(pk=batch.pk).requirements == [*STRANGERS, OWN]
    assert not Study.objects.get(pk=study.pk).own_people
