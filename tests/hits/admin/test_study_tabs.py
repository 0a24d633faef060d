"""A study is a place: its overview, its tabs, and who is shown which."""

import html
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crowd.plain.models import Project as OwnQuestions
from crowd.winogavil.domain import CREATE, WINOGAVIL_TIERS
from hits.core import audit_trail
from hits.identity.roles import PAYMENTS_PREPARER, RESEARCHER
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from qualifications.models import ConsentText, Gate
from tests.factories import make_assignment, make_batch, make_bonus, make_hit, make_study
from tests.pages import text_of
from tests.people import sign_in, sign_in_with

pytestmark = pytest.mark.django_db
TABS = ("people", "work", "review", "money", "data", "settings", "log")


@pytest.fixture
def study(db: None) -> Study:
    return make_study(name="Idioms")


@pytest.fixture
def researcher(client: Client, study: Study) -> Client:
    sign_in(client, RESEARCHER, study)
    return client


def page_of(client: Client, study: Study, tab: str = "change") -> str:
    return text_of(client.get(reverse(f"admin:hits_study_{tab}", args=[study.pk])))


def names_of_tabs(client: Client, study: Study, tab: str = "change") -> list[str]:
    response = client.get(reverse(f"admin:hits_study_{tab}", args=[study.pk]))
    return [one.name for one in response.context["tabs"]]


def test_people_say_how_workers_are_invited(researcher: Client, study: Study) -> None:
    people = page_of(researcher, study, "people")
    workers = text_of(researcher.get(reverse("admin:hits_worker_changelist")))

    assert "an operator makes each worker an account" in people
    assert "your name and password of this site do not work there" in people
    assert "manage.py marketplace_operator NAME" in people
    assert "An operator invites them at the marketplace's desk" in html.unescape(workers)


def test_each_tab_opens_and_leads_to_the_others(researcher: Client, study: Study) -> None:
    OwnQuestions.objects.create(study=study)

    shown = {tab: page_of(researcher, study, tab) for tab in TABS}

    others = [reverse(f"admin:hits_study_{tab}", args=[study.pk]) for tab in TABS]
    assert {tab: [url for url in others if f'href="{url}"' not in page] for tab, page in shown.items()} == (
        {tab: [] for tab in TABS}
    )
    assert all(page.count('aria-current="page">') >= 1 for page in shown.values())


def test_families_that_the_study_uses_are_tabs_of_it_and_lead_back(researcher: Client, study: Study) -> None:
    before = names_of_tabs(researcher, study)
    project = OwnQuestions.objects.create(study=study)

    after = names_of_tabs(researcher, study)

    assert before == ["Overview", "People", "Work", "Review", "Money", "Data", "Settings", "Log"]
    assert after == ["Overview", "Questions of one's own", *before[1:]]
    of_family = text_of(researcher.get(reverse("admin:plain_project_change", args=[project.pk])))
    assert f'href="{reverse("admin:hits_study_change", args=[study.pk])}"' in of_family


def test_tabs_are_for_those_who_may_see_what_is_on_them(client: Client, study: Study) -> None:
    sign_in(client, PAYMENTS_PREPARER, study)

    names = names_of_tabs(client, study)

    assert {"People", "Data"}.isdisjoint(names)
    assert {"Overview", "Money"} <= set(names)
    assert client.get(reverse("admin:hits_study_people", args=[study.pk])).status_code == 403


@pytest.mark.parametrize("tab", ["change", *TABS])
def test_study_of_others_has_no_page(client: Client, tab: str) -> None:
    sign_in(client, RESEARCHER, make_study())
    foreign = make_study(name="Theirs")

    answer = client.get(reverse(f"admin:hits_study_{tab}", args=[foreign.pk]))

    # Django's own form answers a row that it does not find with a message on the first page.
    assert answer.status_code == (302 if tab == "settings" else 404)
    assert "Theirs" not in answer.content.decode()


def test_overview_of_a_study_that_collects_nothing_offers_ways_to_begin(
    researcher: Client, study: Study
) -> None:
    page = page_of(researcher, study)

    assert "This study collects nothing yet." in page
    assert f'href="{reverse("admin:papers_of_study", args=[study.pk])}"' in page
    assert f'href="{reverse("admin:winoventi_of_study", args=[study.pk])}"' in page


def test_overview_of_a_study_with_a_running_batch_does_not_say_that_it_collects_nothing(
    researcher: Client, study: Study
) -> None:
    make_batch(study=study, status="open", title="Guess the word")

    page = page_of(researcher, study)

    assert "Guess the word" in page
    assert "This study collects nothing yet." not in page


def test_overview_has_a_line_of_stages_and_one_next_step_for_each_family(
    researcher: Client, study: Study
) -> None:
    OwnQuestions.objects.create(study=study)

    response = researcher.get(reverse("admin:hits_study_change", args=[study.pk]))

    (line,) = response.context["lines"]
    assert [one.title for one in line.stages] == ["The page", "Rows", "Results"]
    assert line.next.button == "Describe the page…"
    assert researcher.get(line.next.url).status_code == 200


def test_overview_counts_what_waits_in_this_study_alone(researcher: Client, study: Study) -> None:
    for of in (study, study, make_study()):
        hit = make_hit(batch=make_batch(study=of, status="open"))
        make_assignment(hit=hit, status="submitted", submitted_at=timezone.now())

    response = researcher.get(reverse("admin:hits_study_change", args=[study.pk]))

    assert [(one.waits.count, one.waits.name) for one in response.context["waiting"]] == [
        (2, "works to review")
    ]
    review = researcher.get(reverse("admin:hits_study_review", args=[study.pk]))
    assert sorted(count for _, count in review.context["batches"]) == [1, 1]


def test_work_lists_the_batches_of_the_study_and_copies_one_by_a_click(
    researcher: Client, study: Study
) -> None:
    batch = make_batch(study=study, status="open", title="Guess the word")
    make_batch(study=make_study(), title="Not this one")

    page = page_of(researcher, study, "work")
    researcher.post(reverse("admin:hits_batch_copy", args=[batch.pk]))

    assert "Guess the word" in page
    assert "Not this one" not in page
    assert f'action="{reverse("admin:hits_batch_copy", args=[batch.pk])}"' in page
    copy = Batch.objects.exclude(pk=batch.pk).get(study=study)
    assert (copy.title, copy.status) == ("Guess the word", "draft")


def test_data_leads_to_statistics_files_and_releases_of_each_family(researcher: Client, study: Study) -> None:
    OwnQuestions.objects.create(study=study)

    empty = page_of(researcher, make_member_study(researcher), "data")
    page = page_of(researcher, study, "data")

    assert "This study collects nothing yet." in empty
    assert "Answers that are in" in page
    assert f'href="{reverse("admin:releases_release_changelist")}?study__id__exact={study.pk}"' in page


def test_data_leads_to_the_answers_of_each_launched_batch(researcher: Client, study: Study) -> None:
    launched, draft = make_batch(study=study, status="open"), make_batch(study=study)

    page = page_of(researcher, study, "data")

    assert f'href="{reverse("admin:hits_batch_export", args=[launched.pk])}"' in page
    assert f'href="{reverse("admin:hits_batch_export", args=[draft.pk])}"' not in page


def make_member_study(client: Client) -> Study:
    other = make_study(name="Empty")
    other.members.add(int(client.session["_auth_user_id"]))
    return other


def test_log_tells_what_was_done_newest_first_a_page_at_a_time(client: Client, study: Study) -> None:
    user = sign_in_with(client, "view_study", "view_auditevent", studies=[study])
    for number in range(35):
        audit_trail.note("study.paper", f"Act {number}.", by=user, now=timezone.now(), study=study)
    audit_trail.note("study.paper", "Elsewhere.", by=user, now=timezone.now(), study=make_study())

    newest = client.get(reverse("admin:hits_study_log", args=[study.pk]))
    older = client.get(f"{reverse('admin:hits_study_log', args=[study.pk])}?before={newest.context['older']}")

    told = [one.words for page in (newest, older) for one in page.context["events"]]
    assert told == [f"Act {number}." for number in reversed(range(35))]


def test_looking_at_a_study_changes_nothing_and_its_overview_takes_no_form(
    researcher: Client, study: Study
) -> None:
    before = Study.objects.values().get(pk=study.pk)

    answer = researcher.post(reverse("admin:hits_study_change", args=[study.pk]), {"name": "Changed"})

    assert answer.status_code == 405
    assert Study.objects.values().get(pk=study.pk) == before


def test_saved_settings_lead_back_to_the_study(client: Client, study: Study) -> None:
    sign_in_with(client, "view_study", "change_study", studies=[study])
    form = client.get(reverse("admin:hits_study_settings", args=[study.pk])).context["adminform"].form
    sent = {field.html_name: field.value() or "" for field in form if field.name != "bonus_rules"}

    answer = client.post(
        reverse("admin:hits_study_settings", args=[study.pk]),
        {
            **sent,
            "name": "Proverbs",
            "bonus_rules-rules": "0",
            "members": [*study.members.values_list("pk", flat=True)],
        },
    )

    assert answer.headers["Location"] == reverse("admin:hits_study_change", args=[study.pk])
    assert Study.objects.get(pk=study.pk).name == "Proverbs"


def test_overview_lists_what_waits_besides_and_does_not_say_that_nothing_is_to_be_done(
    admin_client: Client, study: Study
) -> None:
    OwnQuestions.objects.create(study=study)
    quiet = page_of(admin_client, study)
    batch = make_batch(study=study, status="open", title="Ten words", pilot_hits=1, hits_wanted=3)
    make_hit(batch=batch, number=1, status="open")
    for number in (2, 3):
        make_hit(batch=batch, number=number, status="intended", external_id="", sent_at=None)
    make_bonus(assignment=make_assignment(hit=batch.hits.first(), status="approved"), status="owed")
    Gate.objects.create(study=study, name="Creator test", grading="person", test_task="t", is_active=False)
    ConsentText.objects.create(study=study, version=1, title="About", text="T.")

    page = page_of(admin_client, study)
    consent = text_of(admin_client.get(reverse("admin:qualifications_consent", args=[study.pk])))

    assert "HITs of “Ten words” wait until you send the rest" in page
    assert f'href="{reverse("admin:hits_batch_live", args=[batch.pk])}"' in page
    assert "Bonus owed, in no run yet" in page
    assert "Switched off, so that it keeps nobody out: “Creator test”." in page
    assert (
        "A draft of the consent text is not published: until then workers are asked for no consent." in page
    )
    assert "There is a draft: read it, and publish it." in consent
    assert ("Nothing needs to be done now." in page, "Switched off" in quiet) == (False, False)


def test_money_counts_approved_work_whose_bonus_waits_for_other_peoples_answers(
    researcher: Client, study: Study
) -> None:
    open_batch = partial(make_batch, study=study, task=CREATE, status="open")
    pays = open_batch(terms={"bonus_rules": list(WINOGAVIL_TIERS)})
    pays_none = open_batch(terms={"bonus_rules": []})
    done: dict[str, Any] = {"status": "approved", "answer": {}, "owed_at": None}
    waits = make_assignment(hit=make_hit(batch=pays), judged_at=None, **done)
    make_assignment(hit=make_hit(batch=pays), judged_at=timezone.now(), **done)
    make_assignment(hit=make_hit(batch=pays_none), judged_at=None, **done)

    before = page_of(researcher, study, "money")
    Assignment.objects.filter(pk=waits.pk).update(judged_at=timezone.now(), owed_at=timezone.now())
    after = page_of(researcher, study, "money")

    assert "1 approved work may still earn a bonus." in before
    assert "may still earn" not in after
