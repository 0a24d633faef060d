"""Submissions by day, against days counted by hand: the studies' own midnights, and clocks that change."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from hits.batches.queries.daily_submissions import DAYS, submissions_by_day
from hits.core import slow_counts
from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER
from hits.studies.models import Study
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_study
from tests.pages import text_of
from tests.people import make_member, sign_in

pytestmark = pytest.mark.django_db


def submit(study: Study, *moments: datetime) -> None:
    hit = make_hit(batch=make_batch(study=study, status="open"))
    for at in moments:
        make_assignment(hit=hit, status="submitted", submitted_at=at)


def counted(*studies: Study, role: str = RESEARCHER, now: datetime = NOW) -> dict[date, int]:
    days = submissions_by_day(make_member(role, *studies), now=now)
    assert len(days) == DAYS
    return {day: count for day, count in days if count}


def test_days_begin_at_the_studys_own_midnight() -> None:
    berlin, tokyo = make_study(time_zone="Europe/Berlin"), make_study(time_zone="Asia/Tokyo")
    late = datetime(2026, 11, 18, 22, 59, tzinfo=UTC)
    submit(berlin, late, late + timedelta(minutes=1), late + timedelta(minutes=2))
    submit(tokyo, late)

    assert counted(berlin) == {date(2026, 11, 18): 1, date(2026, 11, 19): 2}
    assert counted(berlin, tokyo) == {date(2026, 11, 18): 1, date(2026, 11, 19): 3}


def test_the_day_on_which_clocks_go_forward_has_23_hours() -> None:
    study = make_study(time_zone="Europe/Berlin")
    midnight = datetime(2026, 3, 28, 23, 0, tzinfo=UTC)
    submit(study, midnight, midnight + timedelta(hours=22, minutes=59), midnight + timedelta(hours=23))

    found = counted(study, now=datetime(2026, 4, 2, 12, tzinfo=UTC))

    assert found == {date(2026, 3, 29): 2, date(2026, 3, 30): 1}


def test_only_the_last_days_of_studies_that_one_sees_are_counted() -> None:
    mine, foreign = make_study(), make_study()
    first = datetime(2026, 11, 8, tzinfo=UTC)
    submit(mine, first - timedelta(seconds=1), first, NOW)
    submit(foreign, NOW)

    assert counted(mine) == {date(2026, 11, 8): 1, date(2026, 11, 21): 1}
    assert counted(role=OPERATOR) == {date(2026, 11, 8): 1, date(2026, 11, 21): 2}
    assert counted() == {}


def test_the_home_page_draws_them_with_a_table(client: Client) -> None:
    study = make_study()
    submit(study, timezone.now(), timezone.now())
    sign_in(client, REVIEWER, study)
    page = text_of(client.get(reverse("admin:index")))
    sign_in(client, REVIEWER, make_study())

    assert "Handed in during the last 14 days" in page
    assert page.count('<td class="number">0</td>') == DAYS - 1
    assert '<td class="number">2</td>' in page
    assert "Handed in during" not in text_of(client.get(reverse("admin:index")))


def test_home_page_says_as_of_when_slow_days_were_counted(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_counts, "SLOW_S", 0)
    monkeypatch.setattr(slow_counts, "TIMES", 1_000_000)
    study = make_study()
    submit(study, timezone.now())
    sign_in(client, RESEARCHER, study)

    first, second = (text_of(client.get(reverse("admin:index"))) for _ in range(2))

    assert ("Counted at" in first, "Counted at" in second) == (False, True)
