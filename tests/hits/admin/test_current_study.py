"""The head of every page names the study that somebody works on; it opens nothing that is not theirs."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from hits.admin.home.current_study import COOKIE, DRAFT_COOKIE
from hits.identity.roles import RESEARCHER
from hits.studies.models import Batch, Study
from tests.factories import NOW, make_account, make_batch, make_study
from tests.pages import text_of
from tests.people import sign_in
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
HOME = reverse("admin:index")


def head_of(page: Any) -> str:
    return text_of(page).partition('<p class="head-study">')[2].partition("</p>")[0]


@pytest.fixture
def study() -> Study:
    return make_study(name="Cold words")


def test_no_study_is_named_before_one_was_looked_at(client: Client, study: Study) -> None:
    sign_in(client, RESEARCHER, study)

    assert head_of(client.get(HOME)) == ""


@pytest.mark.parametrize(
    "address",
    [
        lambda batch: reverse("admin:hits_study_change", args=[batch.study_id]),
        lambda batch: reverse("admin:hits_ledger_study", args=[batch.study_id]),
        lambda batch: reverse("admin:hits_batch_live", args=[batch.pk]),
        lambda batch: reverse("admin:hits_batch_change", args=[batch.pk]),
        lambda batch: f"{reverse('admin:hits_batch_changelist')}?study__id__exact={batch.study_id}",
        lambda batch: f"{reverse('admin:hits_batch_add')}?study={batch.study_id}",
    ],
    ids=["study", "ledger", "live", "terms", "filter", "choice"],
)
def test_study_of_a_page_stays_in_the_head(
    client: Client, study: Study, address: Callable[[Batch], str]
) -> None:
    batch = make_batch(study=study, status="open")
    sign_in(client, RESEARCHER, study)

    client.get(address(batch), follow=True)

    assert "Cold words" in head_of(client.get(HOME))
    assert reverse("admin:hits_study_change", args=[study.pk]) in head_of(client.get(HOME))


def test_another_study_takes_its_place(client: Client, study: Study) -> None:
    other = make_study(name="Warm words")
    sign_in(client, RESEARCHER, study, other)
    for one in (study, other):
        client.get(reverse("admin:hits_study_change", args=[one.pk]))

    assert "Warm words" in head_of(client.get(HOME))
    assert "Cold words" not in head_of(client.get(HOME))


def test_study_of_others_is_never_named(client: Client, study: Study) -> None:
    sign_in(client, RESEARCHER)

    page = client.get(f"{reverse('admin:hits_batch_changelist')}?study={study.pk}", follow=True)

    assert head_of(page) == ""
    assert COOKIE not in client.cookies


def test_cookie_is_sent_to_no_script_and_once(client: Client, study: Study) -> None:
    sign_in(client, RESEARCHER, study)
    address = reverse("admin:hits_study_change", args=[study.pk])

    first, second = client.get(address), client.get(address)

    assert first.cookies[COOKIE]["httponly"]
    assert first.cookies[COOKIE].value == str(study.pk)
    assert COOKIE not in second.cookies


def test_number_that_somebody_writes_into_the_cookie_opens_nothing(client: Client, study: Study) -> None:
    sign_in(client, RESEARCHER)
    client.cookies[COOKIE] = str(study.pk)

    assert head_of(client.get(HOME)) == ""


def test_who_leaves_a_study_sees_it_no_more(client: Client, study: Study) -> None:
    user = sign_in(client, RESEARCHER, study)
    client.get(reverse("admin:hits_study_change", args=[study.pk]))

    study.members.remove(user)

    assert head_of(client.get(HOME)) == ""
    assert "Cold words" not in text_of(client.get(reverse("admin:hits_batch_add")))


def test_new_batch_begins_with_the_current_study(client: Client, study: Study) -> None:
    make_account()
    sign_in(client, RESEARCHER, study, make_study())
    client.get(reverse("admin:hits_study_change", args=[study.pk]))

    page = text_of(client.get(reverse("admin:hits_batch_add")))

    assert f'<option value="{study.pk}" selected>Cold words</option>' in page
    assert not Batch.objects.exists()


def test_draft_is_the_way_back_from_other_pages_of_its_study(client: Client, study: Study) -> None:
    draft = make_batch(study=study, status="draft", title="Which pictures?")
    sign_in(client, RESEARCHER, study)
    step = reverse("admin:hits_batch_step", args=[draft.pk, "people"])

    assert "Draft" not in head_of(client.get(step))
    head = head_of(client.get(reverse("admin:qualifications_gate_changelist")))

    assert f'<a href="{step}">Which pictures?</a>' in head


def test_draft_is_gone_on_with_at_the_step_that_was_left(
    client: Client, study: Study, turk: StubbedTurk
) -> None:
    draft = make_batch(study=study, status="draft", title="Which pictures?")
    sign_in(client, RESEARCHER, study)
    gates = reverse("admin:qualifications_gate_changelist")

    client.get(reverse("admin:hits_batch_launch", args=[draft.pk]))
    checked = head_of(client.get(gates))
    client.cookies[DRAFT_COOKIE] = f"{draft.pk}.nowhere"
    unknown = head_of(client.get(gates))

    assert f'<a href="{reverse("admin:hits_batch_launch", args=[draft.pk])}">' in checked
    assert f'<a href="{reverse("admin:hits_batch_change", args=[draft.pk])}">' in unknown


def test_draft_leaves_the_head_once_it_is_launched_or_another_study_is_looked_at(
    client: Client, study: Study
) -> None:
    draft, other = make_batch(study=study, status="draft"), make_study()
    sign_in(client, RESEARCHER, study, other)
    client.get(reverse("admin:hits_batch_step", args=[draft.pk, "people"]))
    client.get(reverse("admin:hits_study_change", args=[other.pk]))
    elsewhere = head_of(client.get(HOME))
    client.get(reverse("admin:hits_study_change", args=[study.pk]))
    back = head_of(client.get(HOME))
    Batch.objects.update(status="open", launched_at=NOW)

    assert ["Draft" in head for head in (elsewhere, back, head_of(client.get(HOME)))] == [False, True, False]


def test_draft_that_somebody_writes_into_the_cookie_opens_nothing(client: Client, study: Study) -> None:
    foreign = make_batch(status="draft", title="Theirs")
    sign_in(client, RESEARCHER, study)
    client.get(reverse("admin:hits_study_change", args=[study.pk]))
    client.cookies[DRAFT_COOKIE] = str(foreign.pk)

    assert "Theirs" not in text_of(client.get(HOME))


def test_page_costs_no_query_more_for_it(client: Client, study: Study) -> None:
    sign_in(client, RESEARCHER, study)
    address = reverse("admin:hits_batch_changelist")

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            client.get(address)
        return len(queries)

    count()
    without = count()
    client.get(reverse("admin:hits_study_change", args=[study.pk]))

    assert count() == without
