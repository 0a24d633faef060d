"""The bonus table on researchers' pages: edited as rows, read in words, refused with what to do."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.batches.services.launching import launch_batch
from hits.core.domain.bonus_tables import EXAMPLES
from hits.core.errors import RuleBroken
from hits.ledger.models.transfers import LedgerEntry
from hits.studies.models import Batch, Study
from tests.factories import NOW, make_association, make_batch, make_study, make_user
from tests.hits.admin.test_admin_pages import study_form
from tests.hits.batches.test_guide import launch_url, make_draft
from tests.hits.calling import notebook
from tests.pages import text_of
from tests.people import sign_in_with
from tests.sent_tables import sent_table
from tests.stubbed import StubbedTurk

pytestmark = pytest.mark.django_db
WORK = ("view_study", "change_study", "see_all_studies", "view_batch", "launch_batch")
LEAN = {"name": "fair", "kind": "wage", "at_most": "1.00"}
FLAT = {"name": "thanks", "kind": "flat", "amount": "0.05"}


def study_url(study: Study) -> str:
    return reverse("admin:hits_study_settings", args=[study.pk])


def test_the_saved_table_is_shown_in_words(client: Client) -> None:
    sign_in_with(client, *WORK)
    study = make_study(bonus_rules=[dict(row) for row in EXAMPLES.values()])

    page = text_of(client.get(study_url(study)))

    assert "<strong>each right</strong>: $0.02 for each item where “jaccard” is at least 80 %" in page
    assert "$0.03 from 50 % to below 80 %; $0.10 from 80 % on" in page
    assert "reward and bonuses come to $12.00 an hour of active time" in page


def test_a_study_without_bonuses_says_so(client: Client) -> None:
    sign_in_with(client, *WORK)

    page = text_of(client.get(study_url(make_study(bonus_rules=[]))))

    assert "No bonuses: work earns its reward alone." in page


def test_every_example_can_be_saved(client: Client) -> None:
    sign_in_with(client, *WORK)
    study = make_study()
    table = [dict(row) for row in EXAMPLES.values()]

    client.post(study_url(study), study_form(**sent_table(table)))

    assert Study.objects.get().bonus_rules == table


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([{**EXAMPLES["tiers"], "measure": "charm"}], "nothing is measured as charm. Known: "),
        ([{**FLAT, "name": "appeal"}], "is kept for bonuses that people decide"),
        ([LEAN], "The bonus table pays up to this wage"),
    ],
    ids=["measure", "name", "floor"],
)
def test_a_table_that_could_not_be_kept_is_refused(client: Client, table: Any, words: str) -> None:
    sign_in_with(client, *WORK)
    study = make_study()
    before = Study.objects.values().get()

    page = client.post(study_url(study), study_form(**sent_table(table)))

    assert words in text_of(page)
    assert Study.objects.values().get() == before


def test_the_api_refuses_the_same(client: Client) -> None:
    study = make_study()
    held = notebook("view_study", "change_study", sees=[study])
    before = Study.objects.values().get()

    answer = held.patch(f"studies/{study.public_id}/", {"bonus_rules": [{**FLAT, "name": "wage top-up"}]})

    assert (answer.status_code, "is kept for" in text_of(answer)) == (400, True)
    assert Study.objects.values().get() == before


def test_launch_page_shows_the_table_and_what_it_comes_to_at_most(client: Client, turk: StubbedTurk) -> None:
    study = make_study(bonus_rules=[dict(EXAMPLES["per_item"]), FLAT])
    batch = make_draft(sign_in_with(client, *WORK), study=study, items_per_assignment=2)

    page = client.get(launch_url(batch))

    assert "<strong>each right</strong>: $0.02 for each item where “jaccard” is at least 80 %" in text_of(
        page
    )
    assert "(at most $0.04 for one assignment)" in text_of(page)
    assert page.context["plan"].cost.bonuses == 3 * (
        2 * batch.rules[0].most(items=1) + batch.rules[1].most(items=2)
    )


def test_a_table_changed_after_the_launch_page_was_shown_is_shown_again(
    client: Client, turk: StubbedTurk
) -> None:
    batch = make_draft(sign_in_with(client, *WORK))
    seen = client.get(launch_url(batch)).context["seen"]
    Study.objects.update(bonus_rules=[FLAT])

    client.post(launch_url(batch), {"seen": seen})

    assert Batch.objects.get().status == "draft"


def test_launch_fixes_the_wage_that_the_table_leans_on() -> None:
    study = make_study(bonus_rules=[LEAN, FLAT], wage_floor=9)
    make_association(study=study)
    batch = make_batch(study=study)

    launch_batch(batch=batch, by=make_user(), now=NOW)
    Study.objects.update(wage_floor=20)

    launched = Batch.objects.get()
    assert launched.terms is not None
    assert launched.terms["bonus_rules"] == [{**LEAN, "hourly": "9.00"}, FLAT]
    assert launched.rules[0].in_words(currency="USD").endswith("come to $9.00 an hour of active time")


def test_launch_without_the_wage_that_the_table_leans_on_is_refused(
    client: Client, turk: StubbedTurk
) -> None:
    batch = make_draft(sign_in_with(client, *WORK), study=make_study(bonus_rules=[LEAN]))
    before = (Batch.objects.values().get(), Study.objects.values().get(), LedgerEntry.objects.count())

    page = text_of(client.get(launch_url(batch)))
    with pytest.raises(RuleBroken, match="Give the study a wage floor") as refused:
        launch_batch(batch=batch, by=make_user(), now=NOW)

    assert "and the study has none. Set one." in page
    assert refused.value.code == "no_wage_floor"
    after = (Batch.objects.values().get(), Study.objects.values().get(), LedgerEntry.objects.count())
    assert after == before
