"""The first page of the admin and its navigation: by task, by role, and in few queries."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from hits.admin.home.home_page import first_steps
from hits.common import wake
from hits.common.channels import Pipes
from hits.common.next_commands import next_command
from hits.common.pulses import Pulse, write_pulse
from hits.identity.roles import OPERATOR, PAYMENTS_PREPARER, RESEARCHER, REVIEWER, ROLES
from hits.studies.models import Batch, Study
from hits.work.models.early_ends import EarlyEnd
from tests import admin_pages
from tests.crowd.winoground.making_scores import make_project
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_study, make_worker
from tests.hits.ended_early import end_early
from tests.pages import text_of
from tests.people import make_member, sign_in

pytestmark = pytest.mark.django_db
MOST_QUERIES = 25


def home(client: Client) -> str:
    return text_of(client.get(reverse("admin:index")))


def sections(page: str) -> list[str]:
    return re.findall(
        r'class="section">([^<]*)<', page.partition('id="nav-sidebar"')[2].partition("</nav>")[0]
    )


def test_pages_stand_by_task_and_other_tables_are_folded(client: Client) -> None:
    sign_in(client, RESEARCHER)

    page = home(client)

    assert sections(page)[:6] == ["Studies", "Work", "People", "Data", "Money", "Set-up"]
    assert "<summary>All tables</summary>" in page
    assert page.index(reverse("admin:hits_batch_changelist")) < page.index("<summary>All tables")
    assert page.index("<summary>All tables") < page.index(reverse("admin:scoring_verdict_changelist"))


def test_families_of_which_one_has_no_project_are_among_the_tables(client: Client) -> None:
    project = make_project()
    sign_in(client, RESEARCHER, project.study)

    page = home(client)

    shown, _, folded = page.partition("<summary>All tables")
    assert reverse("admin:winoground_project_changelist") in shown
    assert reverse("admin:whoops_project_changelist") not in shown
    assert reverse("admin:whoops_project_changelist") in folded
    assert reverse("admin:winogavil_play_webgame_changelist") not in shown


def test_hits_that_ended_before_their_time_are_among_what_went_wrong(client: Client) -> None:
    hit = make_hit()
    sign_in(client, RESEARCHER, hit.batch.study)
    end_early(hit, at=timezone.now())
    EarlyEnd.objects.update(reason="Its pictures show people.")
    end_early(make_hit(), at=timezone.now())

    page = home(client)

    link = '<a href="/admin/hits/hit/?trouble=ended">HIT ended at the marketplace before its time</a>'
    assert f'<p class="figure">1</p><p>{link} <span class="tag bad">trouble</span>' in page
    assert "The marketplace&#x27;s operator writes: “Its pictures show people.”" in page


@pytest.fixture
def background(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Pipes]:
    """A folder in which a dispatcher of this machine listens, connected to this process."""
    pipes = Pipes(tmp_path)
    monkeypatch.setattr(wake, "_channel", pipes)
    listener = pipes.listen()
    yield pipes
    del listener


def test_an_operator_sees_whether_background_work_is_done(
    client: Client, background: Pipes, settings: LazySettings
) -> None:
    settings.EMBEDDED = True
    now = time.time()
    sign_in(client, OPERATOR)
    background.keep(write_pulse(Pulse(at=now, done_at=now - 3)))
    well = home(client)
    background.keep(write_pulse(Pulse(at=now, done_at=now, unanswered={"hits.survey": now - 600})))
    late = home(client)

    assert re.search(r"<dt>Background work</dt><dd>last done \d+ s ago</dd>", well)
    assert "<dt>Sweeps</dt><dd>on time</dd>" in well
    assert next_command("doctor") in well
    assert f'<a href="{settings.MARKETPLACE_URL}/desk/">its desk</a>' in well
    assert "hits.survey late for 10 minutes <span" in late
    assert "Look for these names in the log of the background process" in late


def test_an_operator_without_the_marketplace_is_not_led_to_its_desk(
    client: Client, settings: LazySettings
) -> None:
    settings.EMBEDDED, settings.MARKETPLACE_URL = False, "http://localhost:8000"
    sign_in(client, OPERATOR)

    page = home(client)

    assert "The installation</h2>" in page
    assert "/desk/" not in page.partition("home-installation")[2].partition("</section>")[0]


@pytest.mark.parametrize("role", sorted({*ROLES} - {OPERATOR}))
def test_other_roles_neither_see_nor_ask_for_the_installation(
    client: Client, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    monkeypatch.setattr(wake, "channel", lambda: 1 / 0)
    sign_in(client, role)

    assert "The installation</h2>" not in home(client)


def test_each_role_sees_what_waits_for_it(client: Client) -> None:
    admin_pages.fill(hits=8, batches=3, now=timezone.now())
    studies = list(Study.objects.all())
    pages = {}
    for role in (RESEARCHER, REVIEWER, PAYMENTS_PREPARER):
        sign_in(client, role, *studies)
        pages[role] = home(client)

    assert "Works to review" in pages[REVIEWER]
    assert "Drafts of batches" in pages[RESEARCHER]
    assert "Drafts of batches" not in pages[REVIEWER]
    assert "Works to review" not in pages[PAYMENTS_PREPARER]
    assert reverse("admin:hits_payments") in pages[PAYMENTS_PREPARER]


def test_a_batch_that_stands_still_comes_first(client: Client) -> None:
    study = make_study()
    make_batch(study=study, status=Batch.Status.OPEN, title="going")
    still = make_batch(study=study, status=Batch.Status.PAUSED_FUNDS, title="still")
    make_batch(status=Batch.Status.OPEN, title="of others")
    sign_in(client, RESEARCHER, study)

    page = home(client)

    assert page.index(">still<") < page.index(">going<")
    assert ">of others<" not in page
    assert "Batch paused: out of funds" in page
    assert reverse("admin:hits_batch_live", args=[still.pk]) in page


def test_the_steps_to_a_first_launch_end_with_it() -> None:
    user = make_member(RESEARCHER)

    assert [step.is_done for step in first_steps(user)] == [False, False, False, False]
    study = make_study()
    study.members.add(user)
    batch = make_batch(study=study, status=Batch.Status.DRAFT)
    assert [step.is_done for step in first_steps(user)] == [True, True, True, False]
    Batch.objects.filter(pk=batch.pk).update(status=Batch.Status.OPEN, launched_at=NOW)
    assert first_steps(user) == []
    assert first_steps(make_member(REVIEWER)) == []


@pytest.mark.parametrize("role", [RESEARCHER, OPERATOR])
def test_the_home_page_asks_little_however_much_there_is(client: Client, role: str) -> None:
    admin_pages.fill(hits=4, batches=2, now=timezone.now())
    sign_in(client, role, *Study.objects.all())
    with CaptureQueriesContext(connection) as few:
        home(client)
    admin_pages.fill(hits=12, batches=4, now=timezone.now())
    sign_in(client, role, *Study.objects.all())

    with CaptureQueriesContext(connection) as many:
        home(client)

    assert len(many) <= MOST_QUERIES, len(many)
    assert len(many) == len(few)


def search(client: Client, text: str) -> str:
    return text_of(client.get(reverse("admin:search"), {"q": text})).partition('<div class="page">')[2]


def test_search_finds_rows_of_each_kind_by_name_or_id(client: Client) -> None:
    study = make_study(name="Owls at night")
    batch = make_batch(study=study, status=Batch.Status.OPEN, title="Owls and words")
    work = make_assignment(hit=make_hit(batch=batch), worker=make_worker(account=batch.account))
    sign_in(client, RESEARCHER, study)

    by_name, by_worker = search(client, "owls"), search(client, work.worker.pseudonym)

    assert reverse("admin:hits_study_change", args=[study.pk]) in by_name
    assert reverse("admin:hits_batch_change", args=[batch.pk]) in by_name
    assert reverse("admin:hits_worker_change", args=[work.worker_id]) in by_worker
    assert reverse("admin:hits_assignment_change", args=[work.pk]) in by_worker


def test_search_finds_nothing_of_other_studies_and_says_so(client: Client) -> None:
    make_batch(study=make_study(name="Owls"), status=Batch.Status.OPEN, title="Owls")
    sign_in(client, RESEARCHER, make_study(name="Other"))

    assert "Nothing has “Owls”." in search(client, "Owls")
    assert "<h2" not in search(client, "")


@pytest.mark.parametrize("text", ["\0", "'\"<b>", "%", "a" * 5000, "۝", "2" * 40])
def test_search_takes_any_text(client: Client, text: str) -> None:
    sign_in(client, OPERATOR, make_study(name="a study"))

    assert client.get(reverse("admin:search"), {"q": text}).status_code == 200


def test_search_shows_some_of_many_and_leads_to_all(client: Client) -> None:
    study = make_study(name="Study")
    for number in range(7):
        make_batch(study=study, status=Batch.Status.OPEN, title=f"Owls {number}")
    sign_in(client, RESEARCHER, study)

    page = search(client, "Owls")

    assert page.count("Owls ") >= 5
    assert f"{reverse('admin:hits_batch_changelist')}?q=Owls" in page
