"""Lists of the admin as CSV: the rows, columns and order of the list, for those who may see it."""

import csv
import io
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver, reverse

from hits.admin.home import list_files
from hits.core.models.audit_events import AuditEvent
from hits.payments.models.matches import Match
from hits.people.models import Message
from scoring.models import RegisteredRival, Score, StudyRival
from tests.admin_pages import fill
from tests.crowd.winogavil.play.table import make_game
from tests.factories import (
    NOW,
    make_account,
    make_assignment,
    make_association,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.pages import text_of
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
OF_ANOTHER_FORM = ("hits_match", "scoring_studyrival", "winogavil_play_webgame")
Rows = list[dict[str, str]]


def file_of(client: Client, name: str, query: str = "") -> Rows:
    response: Any = client.get(reverse(f"admin:{name}_csv") + query)
    assert response.status_code == 200, response.status_code
    text = b"".join(response.streaming_content).decode().removeprefix("\ufeff")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def make_work(client: Client, *, rows: int) -> None:
    user = sign_in_with(client, "view_assignment")
    study = make_study(name="=Study")
    user.studies.add(study)
    hit = make_hit(batch=make_batch(study=study, status="open"), max_assignments=rows)
    for number in range(rows):
        make_assignment(
            hit=hit,
            status="approved" if number % 2 else "submitted",
            submitted_at=NOW + timedelta(days=number),
        )


def test_file_has_all_pages_of_the_list(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_files, "SLICE", 7)
    make_work(client, rows=120)

    rows = file_of(client, "hits_assignment", "?p=2")

    assert len(rows) == 120


def test_file_has_what_is_filtered_searched_and_sorted(client: Client) -> None:
    make_work(client, rows=6)

    filtered = file_of(client, "hits_assignment", "?status__exact=approved")
    everything = file_of(client, "hits_assignment")
    page = text_of(client.get(reverse("admin:hits_assignment_changelist") + "?status__exact=approved"))

    assert len(filtered) == 3
    assert len(everything) == 6
    assert f'{reverse("admin:hits_assignment_csv")}?status__exact=approved">These 3 rows as CSV' in page


def test_cells_are_plain_values(client: Client) -> None:
    user = sign_in_with(client, "view_bonus")
    bonus = make_bonus(status="owed", amount=Decimal("0.30"))
    user.studies.add(bonus.assignment.hit.batch.study)

    [row] = file_of(client, "hits_bonus")

    assert not any("<" in cell for cell in row.values())
    assert "0.30" in row.values()


def test_submitted_work_has_its_score_and_seconds_as_plain_numbers(client: Client) -> None:
    user = sign_in_with(client, "view_assignment", "view_association")
    work = make_assignment(status="submitted", submitted_at=NOW, worked_s=75)
    solved = make_association(study=work.hit.batch.study)
    solved.solvers_numerator, solved.solvers_denominator = 2, 3
    solved.save()
    Score.objects.create(
        assignment=work, item=solved.item, measure="jaccard", numerator=7, denominator=8, scored_at=NOW
    )
    user.studies.add(work.hit.batch.study)

    [row] = file_of(client, "hits_assignment")
    [word] = file_of(client, "winogavil_association")

    assert (row["score"], row["worked_s"]) == ("0.875", "75")
    assert (word["fool_score_percent"], word["solvers_mean_percent"][:5]) == ("", "66.66")


def test_moments_are_in_utc_as_programs_read_them(client: Client) -> None:
    user = sign_in_with(client, "view_batch")
    batch = make_batch(status="open")
    user.studies.add(batch.study)

    [row] = file_of(client, "hits_batch")

    assert NOW.isoformat() in row.values()


def test_a_formula_is_only_text(client: Client) -> None:
    user = sign_in_with(client, "view_study")
    user.studies.add(make_study(name="=1+1"))

    [row] = file_of(client, "hits_study")

    assert "'=1+1" in row.values()


def test_file_is_for_whoever_may_see_the_list_and_has_only_what_they_see(client: Client) -> None:
    make_work(client, rows=1)
    make_assignment(status="submitted")

    refused = client.get(reverse("admin:hits_user_csv"))
    rows = file_of(client, "hits_assignment")

    assert (refused.status_code, len(rows)) == (403, 1)


def test_file_of_workers_has_pseudonyms_and_no_id_of_the_provider(client: Client) -> None:
    sign_in_with(client, "view_worker", "see_all_studies")
    work = make_assignment(worker=make_worker(external_id="APLANTEDWORKER"), status="submitted")

    rows = file_of(client, "hits_worker")

    text = str(rows)
    assert work.worker.pseudonym in text
    assert "APLANTED" not in text


def test_file_is_on_record(client: Client) -> None:
    user = sign_in_with(client, "view_assignment")

    client.get(reverse("admin:hits_assignment_csv"))

    event = AuditEvent.objects.get()
    assert (event.kind, event.by, event.words) == ("file.list", user, "assignments as CSV: 0.")


def test_wrong_filter_leads_back_to_the_list(client: Client) -> None:
    sign_in_with(client, "view_assignment", "see_all_studies")

    answer = client.get(reverse("admin:hits_assignment_csv") + "?status__odd=1")

    assert (answer.status_code, answer["Location"]) == (302, reverse("admin:hits_assignment_changelist"))
    assert not AuditEvent.objects.exists()


def test_empty_list_offers_no_file(client: Client) -> None:
    sign_in_with(client, "view_assignment", "see_all_studies")

    page = text_of(client.get(reverse("admin:hits_assignment_changelist")))

    assert "as CSV" not in page


def test_pages_of_another_form_have_a_file_of_their_rows_too(client: Client) -> None:
    study, foreign = make_study(), make_study()
    sign_in_with(client, "view_match", "view_studyrival", "view_webgame", studies=[study])
    own = make_batch(study=study, account=make_account())
    rival = RegisteredRival.objects.create(name="model", kind="caption", added_at=NOW)
    for one in (own, make_batch(study=foreign, account=make_account())):
        Match.objects.create(account=one.account, status="done", started_at=NOW, ended_at=NOW)
        StudyRival.objects.create(study=one.study, rival=rival, added_at=NOW)
        make_game(study=one.study)

    files = {name: file_of(client, name) for name in OF_ANOTHER_FORM}

    assert {name: len(rows) for name, rows in files.items()} == dict.fromkeys(OF_ANOTHER_FORM, 1)
    for name in OF_ANOTHER_FORM:
        page = text_of(client.get(reverse(f"admin:{name}_changelist")))
        assert f'href="{reverse(f"admin:{name}_csv")}"' in page


def test_messages_have_their_figures_in_the_file(client: Client) -> None:
    sign_in_with(client, "view_message", "see_all_studies")
    Message.objects.create(
        account=make_account(), study=make_study(), subject="Hello", text="T.", by=make_user(), made_at=NOW
    )

    [row] = file_of(client, "hits_message")

    assert "Hello" in row.values()


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ('<a href="/x/">Study &amp; more</a>', "Study & more"),
        ("one<br>two", "one two"),
        ("<ul><li>one</li><li>two</li></ul>", "one two"),
        ('<img src="/p/" alt="a dog">', "a dog"),
        ("<strong>a</strong>b", "ab"),
    ],
)
def test_tags_are_stripped_and_words_stay_apart(html: str, words: str) -> None:
    assert list_files._words_of(html) == words


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("$1,234.50", Decimal("1234.50")),
        ("12", Decimal(12)),
        ("0012", "0012"),
        ("45.3 %", "45.3 %"),
        ("3 of 9", "3 of 9"),
        ("1,23", "1,23"),
    ],
)
def test_figures_are_numbers_and_names_stay_names(text: str, cell: object) -> None:
    assert list_files._figure_or_words(text) == cell


def test_each_list_with_figures_of_its_page_can_fill_other_rows() -> None:
    assert get_resolver().url_patterns

    own = [one for one in admin.site._registry.values() if "get_changelist_instance" in type(one).__dict__]

    assert own
    assert [one for one in own if not hasattr(one, "fill_rows")] == []


def count_queries(client: Client) -> dict[str, int]:
    """Return how many queries the file of each list takes that has one."""
    assert get_resolver().url_patterns
    found = {}
    for model, lists in admin.site._registry.items():
        if getattr(lists, "has_own_file", False):
            continue
        address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_csv")
        with CaptureQueriesContext(connection) as queries:
            b"".join(getattr(client.get(address), "streaming_content", ()))
        found[model._meta.label] = len(queries)
    return found


def test_no_list_asks_more_for_many_rows_than_for_few(client: Client) -> None:
    client.force_login(fill(hits=6, batches=2, now=NOW))
    few = count_queries(client)
    client.force_login(fill(hits=30, batches=6, now=NOW))
    many = count_queries(client)

    assert len(few) > 40
    assert {name: (few[name], many[name]) for name in few if many[name] > few[name] + 2} == {}
