import json
from datetime import date

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from hits.core.models.audit_events import AuditEvent
from hits.data.models import Purge
from hits.data.services import purging
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from tests.factories import NOW, make_assignment, make_batch, make_consent_text, make_hit, make_study
from tests.pages import text_of
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
PERMISSIONS = ("view_study", "see_all_studies", "view_purge", "change_study", "purge_study")


@pytest.fixture
def study() -> Study:
    study = make_study(name="Cues", personal_data_until=date(2026, 1, 31))
    hit = make_hit(batch=make_batch(study=study, status="complete"))
    make_assignment(hit=hit, status="approved", approved_at=NOW, owed_at=NOW)
    return study


def address(study: Study, name: str = "personal_data") -> str:
    return reverse(f"admin:hits_study_{name}", args=[study.pk])


def test_page_counts_what_a_purge_would_erase(client: Client, study: Study) -> None:
    sign_in_with(client, *PERMISSIONS)

    page = text_of(client.get(address(study)))

    row = 'People: the provider&#x27;s id and the pseudonym of each</th><td class="number">1</td>'
    assert row in page
    assert "a purge is due" in page


def test_purge_wants_the_name_of_the_study(client: Client, study: Study) -> None:
    sign_in_with(client, *PERMISSIONS)

    answer = client.post(address(study, "purge"), {"name": "Clues", "confirmed": "yes"})

    assert "This is not the name" in text_of(answer)
    assert not Purge.objects.exists()


def test_purge_ends_with_a_proof_on_a_page_and_in_a_file(client: Client, study: Study) -> None:
    sign_in_with(client, *PERMISSIONS)

    answer = client.post(address(study, "purge"), {"name": "Cues", "confirmed": "yes"}, follow=True)
    purging.go_on(now=timezone.now())
    at = answer.request["PATH_INFO"]
    page, file = text_of(client.get(at)), json.loads(client.get(at, {"json": ""}).content)

    assert "<dd>nothing</dd>" in page
    assert file["found_again"] == {}
    assert {row["table"]: row["erased"] for row in file["tables"]}["hits_worker"] == 1
    assert Worker.objects.get().external_id == ""


@pytest.mark.parametrize("missing", ["view_purge", "purge_study"])
def test_purge_has_a_permission_of_its_own(client: Client, study: Study, missing: str) -> None:
    sign_in_with(client, *(one for one in PERMISSIONS if one != missing))
    name = "personal_data" if missing == "view_purge" else "purge"

    assert client.get(address(study, name)).status_code == 403


def test_last_day_is_suggested_from_the_consent_text_and_noted(client: Client) -> None:
    sign_in_with(client, *PERMISSIONS)
    study = make_study()
    make_consent_text(study=study, text="We keep your id until 31 December 2027.")

    page = text_of(client.get(address(study)))
    client.post(address(study, "kept_until"), {"personal_data_until": "2027-12-31", "confirmed": "yes"})

    study.refresh_from_db()
    assert "31 December 2027" in page
    assert study.personal_data_until == date(2027, 12, 31)
    assert AuditEvent.objects.get(kind="study.kept_until").study == study


def test_home_says_that_a_purge_is_due(client: Client, study: Study) -> None:
    sign_in_with(client, *PERMISSIONS)

    assert "past their last day: Cues" in text_of(client.get(reverse("admin:index")))
