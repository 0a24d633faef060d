"""English speakers only: chosen in the guide, kept with the draft, copied, shown; a paper may ask for it."""

import pytest
from django.test import Client
from django.urls import reverse

from hits.batches.services import drafting
from hits.core.domain.requirements import SPEAKS_ENGLISH
from hits.identity.roles import RESEARCHER
from hits.studies.models import Batch
from tests.factories import make_batch
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db


def save(client: Client, batch: Batch, **form: str) -> None:
    address = reverse("admin:hits_batch_step", args=[batch.pk, "people"])
    client.post(address, {"guarded": "Accept", "seen": drafting.stamp(batch, "people"), **form})
    batch.refresh_from_db()


def test_box_is_saved_shown_and_taken_back(client: Client) -> None:
    batch = make_batch()
    sign_in(client, RESEARCHER, batch.study)

    save(client, batch, english_speakers="on")
    ticked, page = batch.english_speakers, client.get(reverse("admin:hits_batch_launch", args=[batch.pk]))
    save(client, batch)

    assert (ticked, batch.english_speakers) == (True, False)
    assert f"<li>{SPEAKS_ENGLISH}.</li>" in text_of(page)
    assert batch.requirements == []


def test_box_that_another_window_has_ticked_is_noticed(client: Client) -> None:
    batch = make_batch()
    sign_in(client, RESEARCHER, batch.study)
    seen = drafting.stamp(batch, "people")
    save(client, batch, english_speakers="on")

    address = reverse("admin:hits_batch_step", args=[batch.pk, "people"])
    page = client.post(address, {"guarded": "Accept", "seen": seen})

    batch.refresh_from_db()
    assert batch.english_speakers
    assert "Only english speakers" in text_of(page)


def test_copy_asks_for_english_too() -> None:
    batch = make_batch(english_speakers=True)

    assert drafting.copy_batch(batch=batch, by=None).english_speakers


@pytest.mark.parametrize(("task", "asked"), [("winoground.validate", True), ("winogavil.solve", False)])
def test_paper_that_asks_for_english_speakers_asks_the_worker(client: Client, task: str, asked: bool) -> None:
    batch = make_batch(task=task)
    sign_in(client, RESEARCHER, batch.study)
    address = reverse("admin:hits_batch_step", args=[batch.pk, "people"])

    shown = text_of(client.get(address))
    save(client, batch, preset="")

    assert (SPEAKS_ENGLISH in shown, batch.english_speakers) == (asked, asked)
    assert "Ask for that too" not in text_of(client.get(address))
