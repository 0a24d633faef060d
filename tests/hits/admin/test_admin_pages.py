"""Who sees which rows in the lists and pages of researchers and payments staff."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hits.admin.page_parts import in_words
from hits.batches.services.budgets import reserve
from hits.studies.models import Batch, Study
from hits.work.models.hits import HIT
from tests.factories import (
    NOW,
    make_assignment,
    make_batch,
    make_bonus,
    make_study,
    make_user,
)
from tests.pages import text_of
from tests.people import sign_in_with
from tests.sent_tables import sent_table

pytestmark = pytest.mark.django_db


def study_form(**changes: Any) -> dict[str, Any]:
    values = {
        "name": "Cues",
        "lab": "lab",
        "language": "en",
        "time_zone": "UTC",
        "budget": "100",
        "bonus_rules-rules": "0",
        "rejections_a_day": "10",
        "large_bonus": "5",
        "many_bonuses": "20",
        "large_run": "100",
    }
    return {**values, **changes}


def test_provider_ids_of_workers_are_shown_on_no_page(client: Client) -> None:
    client.force_login(make_user(is_superuser=True))
    assignment = make_assignment()
    planted = assignment.worker.external_id
    make_bonus(assignment=assignment)
    models = ("worker", "assignment", "bonus", "hit")

    pages = [client.get(reverse(f"admin:hits_{model}_changelist")) for model in models]
    pages += [
        client.get(reverse("admin:hits_worker_change", args=[assignment.worker.pk])),
        client.get(reverse("admin:hits_assignment_work", args=[assignment.pk])),
    ]

    assert [page.status_code for page in pages] == [200] * len(pages)
    assert [planted in text_of(page) for page in pages] == [False] * len(pages)


@pytest.mark.parametrize("model", ["batch", "study", "assignment", "bonus", "hit", "worker", "ledgerentry"])
def test_lists_ask_as_often_for_many_rows_as_for_few(client: Client, model: str) -> None:
    user = sign_in_with(client, f"view_{model}", "add_batch", "change_batch", "delete_batch")
    address = reverse(f"admin:hits_{model}_changelist")
    counts = []
    for _ in range(2):
        for _ in range(3):
            batch = make_bonus().assignment.hit.batch
            batch.study.members.add(user)
            reserve(batch=batch, amount=Decimal(1), words="Launch", by=None, now=NOW)
        with CaptureQueriesContext(connection) as queries:
            client.get(address)
        counts.append(len(queries))

    assert counts[0] == counts[1]
    assert counts[0] < 10


def test_study_belongs_to_whoever_makes_it(client: Client) -> None:
    user = sign_in_with(client, "add_study", "view_study")

    client.post(reverse("admin:hits_study_add"), study_form())

    assert list(Study.objects.get().members.all()) == [user]


@pytest.mark.parametrize("page", ["settings", "delete"])
def test_study_of_others_is_not_found(client: Client, page: str) -> None:
    sign_in_with(client, "view_study", "change_study", "delete_study")
    study = make_study()
    before = Study.objects.values().get()

    answer = client.post(reverse(f"admin:hits_study_{page}", args=[study.pk]), study_form(name="Mine"))

    assert answer.status_code == 302
    assert Study.objects.values().get() == before


def test_list_offers_no_name_of_a_study_of_others(client: Client) -> None:
    user = sign_in_with(client, "view_batch", "view_ledgerentry")
    mine, theirs = make_batch(), make_batch()
    other = make_batch()
    for batch in (mine, other):
        batch.study.members.add(user)

    pages = [
        client.get(reverse(f"admin:hits_{model}_changelist")).content.decode()
        for model in ("batch", "ledgerentry")
    ]

    assert [theirs.study.name in page for page in pages] == [False, False]
    assert [mine.study.name in page for page in pages] == [True, True]


def test_study_keeps_what_was_reserved_while_its_form_was_open(client: Client) -> None:
    sign_in_with(client, "view_study", "change_study", "see_all_studies")
    study = make_study()
    client.get(reverse("admin:hits_study_settings", args=[study.pk]))
    Study.objects.update(reserved=7)

    client.post(reverse("admin:hits_study_settings", args=[study.pk]), study_form(name="Renamed"))

    found = Study.objects.get()
    assert (found.name, found.reserved) == ("Renamed", Decimal(7))


def test_study_keeps_language_and_time_zone_once_a_batch_is_launched(client: Client) -> None:
    sign_in_with(client, "view_study", "change_study", "see_all_studies")
    study = make_batch(status="open").study

    client.post(
        reverse("admin:hits_study_settings", args=[study.pk]),
        study_form(name="Renamed", language="de", time_zone="Europe/Berlin"),
    )

    found = Study.objects.get()
    assert (found.name, found.language, found.time_zone) == ("Renamed", "en", "UTC")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            sent_table([{"name": "a", "measure": "speed", "at_least": 1, "amount": "0.01"}]),
            "nothing is measured as speed",
        ),
        ({"budget": "6.99"}, "$7.00 are reserved already"),
    ],
)
def test_study_refuses_what_could_not_be_kept(client: Client, changes: dict[str, str], words: str) -> None:
    sign_in_with(client, "view_study", "change_study", "see_all_studies")
    study = make_study(reserved=7)
    before = Study.objects.values().get()

    page = client.post(reverse("admin:hits_study_settings", args=[study.pk]), study_form(**changes))

    assert words in text_of(page)
    assert Study.objects.values().get() == before


def test_lists_are_named_after_what_is_in_them(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin.site, "get_app_list", lambda *_, **__: [])
    client.force_login(make_user(is_superuser=True))
    pages = {
        model: text_of(
            client.get(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"))
        )
        for model in admin.site._registry
    }

    titles = {model: re.findall(r"<h1>(.*?)</h1>", page) for model, page in pages.items()}

    assert [model for model, found in titles.items() if len(found) != 1 or "Select" in found[0]] == []
    assert [titles[model][0].strip() for model in (Batch, HIT, Study)] == ["Batches", "HITs", "Studies"]
    assert "<title>Batches | Crowd</title>" in pages[Batch].replace("<title> ", "<title>")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "1 second"), (30, "30 seconds"), (900, "15 minutes"), (604_800, "1 week"), (31_536_000, "1 year")],
)
def test_in_words_names_the_largest_units(seconds: int, words: str) -> None:
    assert in_words(seconds).replace("\xa0", " ") == words


def test_bonuses_of_a_study_one_is_no_member_of_are_not_listed(client: Client) -> None:
    user = sign_in_with(client, "view_bonus")
    theirs, own = make_bonus(status="owed"), make_bonus(status="owed")
    own.assignment.hit.batch.study.members.add(user)
    address = reverse("admin:hits_bonus_changelist")

    page = client.get(address)

    assert [bonus.pk for bonus in page.context["cl"].result_list] == [own.pk]
    assert client.get(reverse("admin:hits_bonus_change", args=[theirs.pk])).status_code == 404
