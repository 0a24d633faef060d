"""A study has one currency: its batches take accounts of it alone, and its first launch fixes it."""

from decimal import Decimal
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from crowd.winogavil.domain import SOLVE
from hits.batches.services import drafting, launching
from hits.batches.services.study_copies import copy_study
from hits.core.errors import RuleBroken
from hits.identity.roles import RESEARCHER
from hits.ledger.models.bonuses import Bonus
from hits.payments.models.runs import Run, RunRow
from hits.providers.models.accounts import Account
from hits.studies.models import Batch, Study
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
    set_aside,
)
from tests.hits.calling import notebook
from tests.pages import text_of
from tests.people import sign_in, sign_in_with

pytestmark = pytest.mark.django_db
SETTINGS = "admin:hits_study_settings"


def make_pounds(**changes: Any) -> Study:
    return make_study(currency="GBP", **changes)


def make_draft(*, study: Study, account: Account) -> Batch:
    make_association(study=study)
    return make_batch(study=study, account=account, reward=Decimal("0.25"))


def settings_of(study: Study, **changes: Any) -> dict[str, Any]:
    kept = ("name", "lab", "language", "time_zone", "budget", "large_bonus", "many_bonuses", "large_run")
    values = {name: getattr(study, name) for name in (*kept, "rejections_a_day")}
    return {**values, "wage_floor": "", "bonus_rules-rules": "0", **changes}


@pytest.mark.parametrize(("study", "account"), [("GBP", "USD"), ("USD", "GBP")])
def test_launch_on_an_account_of_another_currency_is_refused_and_writes_nothing(
    study: str, account: str
) -> None:
    draft = make_draft(study=make_study(currency=study), account=make_account(currency=account))
    before = set_aside().count()

    with pytest.raises(RuleBroken, match=f"Choose an account in {study}, or a study in {account}") as refusal:
        launching.launch_batch(batch=draft, by=make_user(), now=NOW)

    draft.refresh_from_db()
    assert refusal.value.code == "other_currency"
    assert (draft.status, draft.hits.count(), set_aside().count()) == ("draft", 0, before)


def test_launch_in_pounds_says_pounds() -> None:
    draft = make_draft(study=make_pounds(), account=make_account(currency="GBP"))

    launching.launch_batch(batch=draft, by=make_user(), now=NOW)

    draft.refresh_from_db()
    assert draft.status == "launching"
    assert "for at most £" in draft.events.get(kind="launched").words


def test_draft_of_another_currency_is_neither_started_nor_saved() -> None:
    study, dollars = make_pounds(), make_account()
    draft = make_draft(study=study, account=make_account(currency="GBP"))

    with pytest.raises(RuleBroken, match="pays in USD"):
        drafting.start_draft(study=study, account=dollars, task=SOLVE, by=make_user())
    with pytest.raises(RuleBroken, match="pays in USD"):
        drafting.save_step(batch=draft, step="what", values={"account": dollars})

    draft.refresh_from_db()
    assert (Batch.objects.count(), draft.account.currency) == (1, "GBP")


def test_guide_offers_the_accounts_of_the_study_and_refuses_others_with_a_reason(client: Client) -> None:
    study = make_pounds()
    dollars, pounds = make_account(name="In dollars"), make_account(name="In pounds", currency="GBP")
    draft = make_draft(study=study, account=pounds)
    sign_in(client, RESEARCHER, study)
    page = reverse("admin:hits_batch_step", args=[draft.pk, "what"])

    shown = client.get(page)
    asked = {"study": study.pk, "account": dollars.pk, "task": SOLVE, "items_from": "pool"}
    refused = client.post(page, {**asked, "seen": drafting.stamp(draft, "what")})

    offered = [words for _, words in shown.context["form"].fields["account"].choices]
    assert offered == ["–––", f"{pounds}, in GBP"]
    assert f"It pays in USD, and the money of “{study}” is in GBP." in text_of(refused)
    draft.refresh_from_db()
    assert draft.account == pounds


def test_check_page_shows_pounds_and_says_what_stands_in_the_way(client: Client) -> None:
    study = make_pounds()
    draft = make_draft(study=study, account=make_account(currency="GBP"))
    sign_in(client, RESEARCHER, study)
    page = reverse("admin:hits_batch_launch", args=[draft.pk])

    fits = text_of(client.get(page))
    Study.objects.filter(pk=study.pk).update(currency="USD")
    fails = text_of(client.get(page))

    assert "£0.25" in fits
    assert "$" not in fits
    assert "s money is in USD, and" in fails


def test_no_wage_of_the_united_states_is_held_against_pounds(client: Client) -> None:
    warned = {}
    for currency in ("USD", "GBP"):
        study = make_study(currency=currency)
        draft = make_draft(study=study, account=make_account(currency=currency))
        Batch.objects.filter(pk=draft.pk).update(reward=Decimal("0.01"), estimated_s=600)
        sign_in(client, RESEARCHER, study)
        page = text_of(client.get(reverse("admin:hits_batch_launch", args=[draft.pk])))
        warned[currency] = "minimum wage of the United States ($7.25)" in page

    assert warned == {"USD": True, "GBP": False}


@pytest.mark.parametrize("is_launched", [False, True])
def test_currency_of_a_study_changes_until_its_first_launch(client: Client, is_launched: bool) -> None:
    study = make_study()
    if is_launched:
        make_batch(study=study, status="open")
    sign_in_with(client, "view_study", "change_study", studies=[study])

    client.post(reverse(SETTINGS, args=[study.pk]), settings_of(study, currency="GBP", lab="Another lab"))

    study.refresh_from_db()
    assert (study.lab, study.currency) == ("Another lab", "USD" if is_launched else "GBP")


def test_page_that_sends_no_currency_keeps_it(client: Client) -> None:
    study = make_pounds()
    sign_in_with(client, "view_study", "change_study", studies=[study])

    client.post(reverse(SETTINGS, args=[study.pk]), settings_of(study, lab="Another lab"))

    study.refresh_from_db()
    assert (study.lab, study.currency) == ("Another lab", "GBP")


def test_api_makes_studies_in_pounds_and_refuses_to_change_launched_ones() -> None:
    caller = notebook("add_study", "change_study", "view_study", "view_batch")

    made = caller.post("studies/", {"name": "Pounds", "lab": "Lab", "budget": "10.00", "currency": "GBP"})
    study = Study.objects.get()
    batch = make_batch(study=study, status="open")
    path = f"studies/{study.public_id}/"
    refused = caller.patch(path, {"currency": "USD"})
    same = caller.patch(path, {"currency": "GBP", "lab": "Other"})
    unknown = caller.post("studies/", {"name": "Euros", "lab": "L", "budget": "1.00", "currency": "EUR"})

    assert (made.status_code, made.json()["currency"]) == (201, "GBP")
    assert (refused.status_code, same.status_code, unknown.status_code) == (400, 200, 400)
    assert "fixed by the first launch" in str(refused.json())
    assert caller.get(f"batches/{batch.public_id}/").json()["currency"] == "GBP"
    assert Study.objects.get().currency == "GBP"


def test_copy_of_a_study_has_its_currency() -> None:
    made = copy_study(
        source=make_pounds(), name="Copy", budget=Decimal(1), same_people=False, by=make_user(), now=NOW
    )

    assert made.currency == "GBP"


def test_upgrade_gives_rows_of_an_account_in_pounds_its_currency() -> None:
    pounds, dollars = make_account(currency="GBP"), make_account()
    alone, mixed = make_study(), make_study()
    batches = [
        make_batch(study=study, account=account, status="open")
        for study, account in ((alone, pounds), (mixed, pounds), (mixed, dollars))
    ]
    works = [make_assignment(hit=make_hit(batch=batch), status="approved") for batch in batches]
    bonuses = [make_bonus(status="owed", assignment=work, currency="USD") for work in works]
    run = Run.objects.create(title="Pounds", prepared_by=make_user(), prepared_at=NOW)
    RunRow.objects.create(run=run, bonus=bonuses[0])

    import_module("hits.migrations.0016_currencies").take_over(apps, None)

    currencies = list(Bonus.objects.order_by("pk").values_list("currency", flat=True))
    assert currencies == ["GBP", "GBP", "USD"]
    assert [Study.objects.get(pk=one.pk).currency for one in (alone, mixed)] == ["GBP", "USD"]
    assert Run.objects.get().currency == "GBP"


@pytest.mark.parametrize(
    ("currency", "words"),
    [("GBP", "An account of this kind pays in USD."), ("EUR", "Select a valid choice.")],
)
def test_account_takes_no_currency_that_its_provider_does_not_pay_in(
    client: Client, currency: str, words: str
) -> None:
    sign_in_with(client, "view_account", "change_account")
    account = make_account()
    names = ("name", "kind", "environment", "endpoint", "worker_site", "access_key_id", "fee_schedule")
    values = {name: getattr(account, name) for name in (*names, "send_rate", "notify_by", "notify_address")}

    page = client.post(
        reverse("admin:hits_account_change", args=[account.pk]), {**values, "currency": currency}
    )

    account.refresh_from_db()
    assert words in text_of(page)
    assert account.currency == "USD"


def test_account_at_a_provider_that_pays_in_pounds_may_be_in_pounds(client: Client) -> None:
    sign_in_with(client, "view_account", "change_account")
    account = make_account(
        kind="prolific", access_key_id="", workspace_id="one", project_id="two", ticket_key=""
    )
    names = ("name", "kind", "environment", "endpoint", "worker_site", "workspace_id", "project_id")
    kept = (*names, "fee_schedule", "send_rate", "notify_by", "notify_address")
    values = {name: getattr(account, name) for name in kept}

    page = client.post(reverse("admin:hits_account_change", args=[account.pk]), {**values, "currency": "GBP"})

    account.refresh_from_db()
    assert (page.status_code, account.currency) == (302, "GBP")
