"""One bonus as payments staff find it, from the id in a file, and read it."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.ledger.models.bonuses import Bonus
from hits.payments.queries.run_list import visible_runs
from hits.studies.models import Study
from tests.factories import make_study
from tests.hits.books import open_batch, owed_bonus, paid_bonus
from tests.pages import text_of
from tests.people import sign_in_with

pytestmark = pytest.mark.django_db
DESK = ("view_bonus", "view_run", "view_ledgerentry", "view_worker", "view_study", "view_assignment")


def study_of(bonus: Bonus) -> Study:
    return bonus.assignment.hit.batch.study


def page_of(bonus: Bonus) -> str:
    return reverse("admin:hits_bonus_change", args=[bonus.pk])


def listed(client: Client, name: str, text: str) -> list[Any]:
    page: Any = client.get(reverse(f"admin:hits_{name}_changelist"), {"q": text})
    return list(page.context["cl"].result_list)


def search(client: Client, text: str) -> str:
    return text_of(client.get(reverse("admin:search"), {"q": text})).partition('<div class="page">')[2]


@pytest.mark.parametrize("name", ["public_id", "token"])
def test_bonus_of_a_file_is_found_by_its_id_everywhere(client: Client, name: str) -> None:
    batch = open_batch()
    paid_bonus(batch)
    bonus = paid_bonus(batch, rule="thanks")
    sign_in_with(client, *DESK, studies=[batch.study])
    key = str(getattr(bonus, name))

    found = search(client, key)

    assert page_of(bonus) in found
    assert "Nothing has" not in found
    assert listed(client, "bonus", f" {key} ") == [bonus]
    assert {entry.bonus for entry in listed(client, "ledgerentry", key)} == {bonus}
    books: Any = client.get(reverse("admin:hits_ledger_study", args=[batch.study_id]), {"q": key})
    assert {entry.bonus for entry in books.context["entries"]} == {bonus}


def test_run_is_found_by_the_id_in_its_manifests_name_and_shows_the_bonus_by_its_id(client: Client) -> None:
    batch = open_batch()
    bonus = paid_bonus(batch)
    user = sign_in_with(client, *DESK, studies=[batch.study])
    run = visible_runs(user).get()
    address = reverse("admin:hits_run_change", args=[run.pk])

    page: Any = client.get(address, {"q": str(bonus.public_id)})

    assert address in search(client, str(run.public_id))
    assert [row.bonus_id for row, _ in page.context["lines"]] == [bonus.pk]
    assert f'<a href="{page_of(bonus)}">' in text_of(page)


def test_ledger_is_searched_by_a_worker_and_says_what_it_searches(client: Client) -> None:
    batch = open_batch()
    bonus, _ = paid_bonus(batch), paid_bonus(batch)
    sign_in_with(client, *DESK, studies=[batch.study])
    worker = bonus.assignment.worker

    found = listed(client, "ledgerentry", worker.pseudonym)

    assert {entry.assignment.worker for entry in found} == {worker}
    for name in ("bonus", "ledgerentry"):
        page = text_of(client.get(reverse(f"admin:hits_{name}_changelist")))
        assert 'id="searchbar_helptext">A bonus’s ' in page


def test_bonus_of_a_hidden_study_is_not_found_by_its_id(client: Client) -> None:
    bonus = owed_bonus(open_batch())
    sign_in_with(client, *DESK, studies=[make_study()])

    assert "Nothing has" in search(client, str(bonus.public_id))
    assert listed(client, "bonus", str(bonus.public_id)) == []
    assert listed(client, "ledgerentry", str(bonus.public_id)) == []
    assert client.get(page_of(bonus)).status_code in (302, 404)


def test_bonus_is_not_found_without_the_permission_to_see_bonuses(client: Client) -> None:
    bonus = owed_bonus(open_batch())
    sign_in_with(client, "view_study", "view_ledgerentry", studies=[study_of(bonus)])

    assert page_of(bonus) not in search(client, str(bonus.public_id))
    assert client.get(page_of(bonus)).status_code == 403
