"""Lists of the admin: what they say when nothing is there, their filters, numbers, states and progress."""

import re
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.contrib.admin import ModelAdmin, site
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape

from hits.admin.projects.project_page import ProjectPages
from hits.identity.roles import PAYMENTS_PREPARER, RESEARCHER
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.models import Score
from tests.factories import (
    NOW,
    make_assignment,
    make_batch,
    make_bonus,
    make_hit,
    make_study,
    make_user,
)
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
BATCHES = reverse("admin:hits_batch_changelist")
WORK = reverse("admin:hits_assignment_changelist")
# Studies are made on a page of their own.
HAVE_OWN_PAGES = {"hits.match", "winogavil_releases.statistics", "winogavil_play.webgame"}


def lists_of_the_navigation() -> Iterator[tuple[str, ModelAdmin[Any]]]:
    for model, pages in site._registry.items():
        if hasattr(pages, "menu") or isinstance(pages, ProjectPages):
            yield model._meta.label_lower, pages


def test_every_list_of_the_navigation_says_what_would_be_there(client: Client) -> None:
    client.force_login(make_user(is_staff=True, is_superuser=True))
    silent = []
    for name, pages in lists_of_the_navigation():
        address = reverse(f"admin:{pages.opts.app_label}_{pages.opts.model_name}_changelist")
        page = " ".join(unescape(client.get(address).text).split())
        words = "" if name in HAVE_OWN_PAGES else getattr(pages, "nothing_yet", "?")
        is_told = 'id="result_list"' in page or f'class="empty">{words}' in page
        silent += [] if is_told else [name]

    assert silent == []


def test_every_page_of_the_navigation_has_the_name_of_its_link(client: Client) -> None:
    client.force_login(make_user(is_staff=True, is_superuser=True))
    sections = client.get(reverse("admin:index")).context["available_apps"]
    links = [link for section in sections if section["app_label"] != "tables" for link in section["models"]]
    others = {}
    for link in links:
        page = text_of(client.get(link["admin_url"], follow=True))
        if f"<h1>{escape(link['name'])}</h1>" not in page:
            others[link["name"]] = re.findall(r"<h1>(.*?)</h1>", page)

    assert len(links) > 30
    assert others == {}


def test_list_without_a_match_leads_to_everything(client: Client) -> None:
    sign_in(client, RESEARCHER)

    page = text_of(client.get(BATCHES, {"q": "zebra"}))

    assert "<h1>Batches</h1>" in page
    assert "Nothing fits what you chose." in page
    assert "A batch is a number of HITs" not in page


def test_filters_stand_above_the_rows_and_one_in_use_can_be_taken_away(client: Client) -> None:
    study = make_study()
    make_batch(study=study, status="open")
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(BATCHES, {"status__exact": "open", "q": "Which"}))

    tag = re.search(r'<a class="tag strong" href="([^"]*)">Status: Open', page)
    assert tag is not None
    assert "status__exact" not in tag.group(1)
    assert "q=Which" in tag.group(1)
    assert page.index('class="list-filters"') < page.index('id="result_list"')
    assert "changelist-filter" not in page


def test_rows_scroll_in_a_region_that_the_keyboard_reaches(client: Client) -> None:
    study = make_study()
    make_batch(study=study)
    sign_in(client, RESEARCHER, study)

    assert 'class="results" role="region" tabindex="0" aria-label="Batchs"'.replace(
        "Batchs", "Batches"
    ) in text_of(client.get(BATCHES))


def test_batch_shows_its_state_as_a_tag_and_its_progress_as_a_bar(client: Client) -> None:
    hit = make_hit(batch=make_batch(status="paused", title="Cold"), max_assignments=3)
    sign_in(client, RESEARCHER, hit.batch.study)

    page = text_of(client.get(BATCHES))

    assert '<span class="tag bad">Paused</span>' in page
    assert '0 of 3<progress max="3" value="0" aria-label="Submitted in Cold"></progress>' in page


def test_money_of_lists_is_a_number_with_a_dollar_sign(client: Client) -> None:
    bonus = make_bonus(amount=Decimal("1234.5"))
    sign_in(client, PAYMENTS_PREPARER, bonus.assignment.hit.batch.study)

    page = client.get(reverse("admin:hits_bonus_changelist")).text

    assert '<td class="field-number_amount">$1,234.50</td>' in page
    assert "column-number_amount" in page


def score(assignment: Assignment, *shares: int) -> None:
    item = Item.objects.create(study=assignment.hit.batch.study, task="winogavil.solve", wanted=1)
    for number, share in enumerate(shares):
        Score.objects.create(
            assignment=assignment,
            item=item,
            measure=f"measure{number}",
            numerator=share,
            denominator=100,
            scored_at=NOW,
        )


def work_of(study: Study) -> list[Assignment]:
    batch = make_batch(study=study, status="open")
    given = {"status": "submitted", "submitted_at": NOW + timedelta(minutes=2), "worked_s": 120}
    return [make_assignment(hit=make_hit(batch=batch), **given) for _ in range(3)]


def test_submitted_work_is_sorted_by_its_mean_score(client: Client) -> None:
    study = make_study()
    low, high, none = work_of(study)
    score(low, 20, 40)
    score(high, 90)
    sign_in(client, RESEARCHER, study)

    best_first = client.get(WORK, {"o": "-5"})

    assert [work.pk for work in best_first.context["cl"].result_list if work != none] == [high.pk, low.pk]
    assert '<td class="field-number_mean_score">30 %</td>' in best_first.text
    assert '<td class="field-number_mean_score">–</td>' in best_first.text
    assert '<td class="field-number_worked_s">2\xa0minutes</td>' in best_first.text


def test_scores_of_a_list_cost_no_query_for_each_row(client: Client) -> None:
    study = make_study()
    for work in work_of(study):
        score(work, 50)
    sign_in(client, RESEARCHER, study)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get(WORK)
        return len(queries)

    count()
    few = count()
    for work in work_of(study) + work_of(study):
        score(work, 50, 60)

    assert count() == few
