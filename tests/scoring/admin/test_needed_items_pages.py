"""The page of needed items: its figures by hand, its costs beside the check page, and who sees what."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.winogavil.domain import JACCARD, SOLVE
from hits.identity.roles import RESEARCHER
from hits.studies.models import Batch, Study
from hits.work.models.items import Item
from tests.crowd.plain.making import asked_project, begin, hand_in, open_batch
from tests.crowd.winogavil.releases.data import make_final
from tests.factories import make_association, make_batch, make_study, make_worker
from tests.pages import text_of
from tests.people import sign_in, sign_in_with
from tests.scoring.admin.judged_studies import play_crowd
from tests.scoring.quality.odd_people import make_crowd

pytestmark = pytest.mark.django_db
RULE = {"name": "all right", "measure": JACCARD, "at_least": 100, "amount": "0.01"}


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def draft() -> Batch:
    """Sixty associations to solve, three times each, five on a page, for 3 cents."""
    study = make_study(bonus_rules=[RULE], budget=Decimal(1000))
    for number in range(60):
        make_association(study=study, cue=f"word{'abcdefghij'[number // 10]}{'abcdefghij'[number % 10]}")
    Item.objects.filter(study=study).update(answers_needed=3, wanted=3)
    batch: Batch = make_batch(
        study=study,
        task=SOLVE,
        status="draft",
        reward=Decimal("0.03"),
        assignments_per_hit=3,
        items_per_assignment=5,
        hits_wanted=12,
    )
    type(batch.account).objects.filter(pk=batch.account_id).update(fee_schedule="amazon")
    return batch


def address(study: Study, name: str = "") -> str:
    return reverse("admin:scoring_needed_items", args=[study.pk]) + name


def planned(client: Client, draft: Batch, **asked: Any) -> Any:
    return client.get(address(draft.study), {"batch": draft.pk, **asked})


def cells(page: Any, table: str, row: int) -> dict[str, str]:
    [found] = [one for one in page.context["tables"] if one.name == table]
    return {column.title: cell.words for column, cell in found.shown()[row]}


def words_of(page: Any) -> str:
    return " ".join(text_of(page).split())


def test_a_share_that_nobody_knows_takes_381_items(client: Client) -> None:
    batch = make_batch(task="plain.ask", status="draft")
    sign_in(client, RESEARCHER, batch.study)

    page = client.get(address(batch.study))

    # (1.96 * sqrt(0.25 / n + 1.96² / (4 n²))) / (1 + 1.96² / n) <= 0.05: n is 380.3.
    assert "<strong>381 items</strong>" in text_of(page)
    assert cells(page, "widths", 3)["Plus or minus, points"] == "5 (wanted)"
    assert "whatever the share will be" in text_of(page)
    assert [cells(page, "widths", row)["Items"] for row in range(5)] == ["9600", "2398", "1064", "381", "93"]


def test_a_mean_is_planned_with_the_spread_of_the_study_s_own_items(client: Client, draft: Batch) -> None:
    for picks in ((0, 1), (0, 2), (2, 3), (0, 1)):
        make_final(draft.study, picks=(picks,) * 3)
    sign_in(client, RESEARCHER, draft.study)

    page = planned(client, draft)

    # Values 1, 1/3, 0 and 1: their spread is 50.0 points, and no form begins with more.
    assert "the mean of 4 items is 58.3, with a spread of 50.0 points; the form begins with 50" in words_of(
        page
    )
    # (2 * 1.959964 * 0.5 / 0.1)² = 384.1
    assert "<strong>385 items</strong>" in text_of(page)


def test_the_draft_as_it_stands_costs_what_its_check_page_says(client: Client, draft: Batch) -> None:
    sign_in(client, RESEARCHER, draft.study)

    page = planned(client, draft, spread="20", reach="5")
    check = client.get(reverse("admin:hits_batch_launch", args=[draft.pk]))

    # (2 * 1.959964 * 0.2 / 0.1)² = 61.5: 62 items, six answers more than the draft's 180.
    assert "<strong>62 items</strong>" in text_of(page)
    assert "<strong>2 more</strong>" in text_of(page)
    now, then = cells(page, "draft", 0), cells(page, "draft", 1)
    plan = check.context["plan"]
    assert (now["HITs"], now["Total at most"]) == (str(plan.hits), f"${plan.cost.total}")
    assert now["Total at most"] in text_of(check)
    # 36 places of 3 cents, and a cent each for the fee, the bonus and its fee.
    assert [now[name] for name in ("Rewards", "Fees on rewards", "Bonuses", "Fees on bonuses")] == [
        "$1.08", "$0.36", "$0.36", "$0.36",
    ]  # fmt: skip
    assert (then["Items"], then["Answers"], then["HITs"]) == ("62", "186", "13")


def test_with_as_many_hits_the_check_page_says_the_same(client: Client, draft: Batch) -> None:
    sign_in(client, RESEARCHER, draft.study)
    page = planned(client, draft, spread="50", reach="10")
    then = cells(page, "draft", 1)
    assert (then["Items"], then["Answers"], then["HITs"]) == ("97", "291", "20")

    Batch.objects.filter(pk=draft.pk).update(hits_wanted=20)
    check = client.get(reverse("admin:hits_batch_launch", args=[draft.pk]))

    assert then["Total at most"] == f"${check.context['plan'].cost.total}"
    assert cells(page, "widths", 4)["Total at most"] == then["Total at most"]


def test_a_plan_of_ten_workers_is_reckoned_in_its_parts(client: Client, draft: Batch) -> None:
    Batch.objects.filter(pk=draft.pk).update(assignments_per_hit=12, hits_wanted=3)
    sign_in(client, RESEARCHER, draft.study)

    page = planned(client, draft, spread="20")
    check = client.get(reverse("admin:hits_batch_launch", args=[draft.pk]))

    now, plan = cells(page, "draft", 0), check.context["plan"]
    assert (now["HITs"], now["Total at most"]) == (str(plan.hits), f"${plan.cost.total}")
    assert plan.hits == 6


def test_a_number_of_hits_that_was_set_by_hand_is_said(client: Client, draft: Batch) -> None:
    Batch.objects.filter(pk=draft.pk).update(hits_wanted=30)
    sign_in(client, RESEARCHER, draft.study)

    page = words_of(planned(client, draft))

    assert "The draft's number of HITs is 30, and the answers that it needs take 12" in page.replace(
        "&#x27;", "'"
    )


def test_items_that_are_there_may_count_too(client: Client, draft: Batch) -> None:
    for _ in range(3):
        make_final(draft.study)
    Item.objects.filter(study=draft.study, wanted=0).update(answers_needed=3)
    sign_in(client, RESEARCHER, draft.study)
    asked: dict[str, Any] = {"batch": draft.pk, "spread": "20"}

    alone = client.get(address(draft.study), asked)
    both = client.get(address(draft.study), {**asked, "settled": "on"})

    assert "Count the 3 items of this study too" in text_of(alone)
    assert alone.context["needed"].further == 2
    assert (both.context["needed"].further, both.context["needed"].items) == (0, 62)
    assert cells(both, "draft", 1)["Items"] == "59"
    # 1.959964 * 20 / sqrt(63)
    assert "plus or minus 4.9 points" in words_of(both)
    assert "settled=on" in both.context["query"]


def test_alpha_needs_answers_and_then_says_how_many_items(client: Client) -> None:
    batch = make_batch(task="plain.ask", status="draft")
    played = play_crowd(make_crowd(odd={}, honest=8, items=40, seed=2))
    sign_in(client, RESEARCHER, batch.study, played.study)
    asked: dict[str, Any] = {"figure": "alpha", "reach": "10"}

    empty = client.get(address(batch.study), asked)
    page = client.get(address(played.study), asked)

    assert "there are none to go by yet" in words_of(empty)
    assert "tables" not in empty.context
    pilot = page.context["chosen"].pilot
    low, high = pilot.interval
    assert pilot.items == 40
    assert page.context["needed"].items == pytest.approx(40 * ((high - low) / 0.2) ** 2, abs=1)
    assert f"So far alpha is {pilot.value:.3f} of 40 items" in words_of(page)


def test_a_share_is_that_of_items_which_most_give_one_answer(client: Client) -> None:
    crowd = make_crowd(odd={}, honest=8, items=40, seed=2)
    played = play_crowd(crowd)
    sign_in(client, RESEARCHER, played.study)

    page = client.get(address(played.study))

    votes = Counter(zip(crowd.labels.item.tolist(), crowd.labels.answer.tolist(), strict=True))
    led = [votes[item, 0] - votes[item, 1] for item in range(40)]
    shares = [sum(one > 0 for one in led) / 40, sum(one < 0 for one in led) / 40]
    pilot = page.context["chosen"].pilot
    assert pilot.items == 40
    assert pilot.value in shares
    assert abs(pilot.value - 0.5) == pytest.approx(min(abs(share - 0.5) for share in shares))
    assert page.context["form"]["share"].value() == 50


def test_a_share_of_everything_is_begun_with_on_the_safe_side(client: Client) -> None:
    sentences = [f"Sentence number {number} has some words." for number in range(10)]
    batch = open_batch(asked_project(*sentences, answers_wanted=1), items=10)
    hand_in(begin(batch, make_worker(account=batch.account)), *[{"q1": "1"}] * 10)
    sign_in(client, RESEARCHER, batch.study)

    page = client.get(address(batch.study))

    # 10 / (10 + 0.8416²)
    assert page.context["form"]["share"].value() == 93.4
    assert "So far it is 100.0 % of 10 items" in words_of(page)
    assert "the form begins with 93.4 %" in words_of(page)


def test_what_the_answers_say_is_for_those_who_may_see_work(client: Client, draft: Batch) -> None:
    make_final(draft.study)
    make_final(draft.study, picks=((2, 3),) * 3)
    sign_in_with(client, "view_batch", studies=[draft.study])

    page = planned(client, draft)

    assert page.context["chosen"].pilot is None
    assert "is shown to those who may see its work" in text_of(page)
    assert "So far it" not in text_of(page)
    assert "Nothing is known" not in text_of(page)


@pytest.mark.parametrize("name", ["", "widths.csv", "draft.json"])
def test_the_page_is_for_those_who_may_see_batches_of_the_study(
    client: Client, draft: Batch, name: str
) -> None:
    sign_in_with(client, "view_assignment", studies=[draft.study])
    forbidden = client.get(address(draft.study, name))
    sign_in(client, RESEARCHER, make_study())
    strange = client.get(address(draft.study, name))

    assert (forbidden.status_code, strange.status_code) == (403, 404)


def test_what_cannot_be_read_is_said_at_its_field(client: Client, draft: Batch) -> None:
    sign_in(client, RESEARCHER, draft.study)

    page = client.get(
        address(draft.study), {"reach": "0", "spread": "x", "confidence": "7", "batch": "9" * 30}
    )

    assert page.status_code == 400
    assert set(page.context["form"].errors) == {"reach", "spread", "confidence"}
    assert "tables" not in page.context
    assert client.get(address(draft.study, "widths.csv"), {"reach": "nan"}).status_code == 404


def test_an_interval_too_narrow_for_any_batch_has_no_cost(client: Client, draft: Batch) -> None:
    sign_in(client, RESEARCHER, draft.study)

    page = planned(client, draft, reach="0.1")

    assert page.context["needed"].items == 960365
    assert cells(page, "draft", 1)["Total at most"] == "–"
    assert "it would take several" in text_of(page)


def test_a_study_without_such_a_task_says_so(client: Client) -> None:
    study = make_study()
    make_batch(study=study, task="whoops.design", status="open")
    sign_in(client, RESEARCHER, study)

    assert "Nothing to plan yet." in text_of(client.get(address(study)))
    assert client.get(address(study, "widths.csv")).status_code == 404


def test_files_hold_exact_numbers(client: Client, draft: Batch) -> None:
    sign_in(client, RESEARCHER, draft.study)
    asked: dict[str, Any] = {"batch": draft.pk, "spread": "20", "reach": "4"}

    sent: Any = client.get(address(draft.study, "widths.csv"), asked)
    rows = list(csv.DictReader(io.StringIO(b"".join(sent).decode("utf-8-sig"))))
    costs = json.loads(client.get(address(draft.study, "draft.json"), asked).content)

    assert [row["points"] for row in rows] == ["1.0", "2.0", "3.0", "4.0", "5.0", "10.0"]
    # (2 * 1.959964 * 0.2 / 0.02)² = 1536.6
    assert (rows[0]["items"], rows[0]["further_items"], rows[0]["answers"]) == ("1537", "1477", "4611")
    assert {*rows[0]} == {"points", "items", "further_items", "answers", "hits", "total"}
    assert costs[0]["total"] == 2.16


def test_drafts_and_studies_lead_to_the_page(client: Client, draft: Batch) -> None:
    sign_in(client, RESEARCHER, draft.study)
    link = f"{address(draft.study)}?batch={draft.pk}"

    check = text_of(client.get(reverse("admin:hits_batch_launch", args=[draft.pk])))
    tab = text_of(client.get(reverse("admin:hits_study_work", args=[draft.study_id])))
    Batch.objects.filter(pk=draft.pk).update(status="open", launched_at=draft.study.created_at)
    live = text_of(client.get(reverse("admin:hits_batch_live", args=[draft.pk])))

    assert f'href="{link}"' in check
    assert f'href="{address(draft.study)}"' in tab
    assert link not in live


def test_as_many_queries_for_many_items_as_for_few(client: Client, draft: Batch) -> None:
    sign_in(client, RESEARCHER, draft.study)
    make_final(draft.study)
    asked: dict[str, Any] = {"batch": draft.pk}
    client.get(address(draft.study), asked)
    with CaptureQueriesContext(connection) as few:
        client.get(address(draft.study), asked)
    for _ in range(5):
        make_final(draft.study)

    with CaptureQueriesContext(connection) as many:
        page = client.get(address(draft.study), asked)

    assert page.context["chosen"].pilot.items == 6
    assert len(many) == len(few)
    assert not any(one["sql"].startswith(("INSERT", "UPDATE", "DELETE")) for one in many.captured_queries)
