"""Attention items from end to end: chosen on their page, met by workers, and a sign beside the worker."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crowd.plain.models import Project
from hits.core.states import move
from hits.identity.roles import RESEARCHER, REVIEWER
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from hits.work.models.known_answers import KnownAnswer
from hits.work.models.leases import Lease
from hits.work.services.leasing import answer_leases, items_of
from tests.crowd.frame.test_question import SITE
from tests.crowd.plain.making import add_sentences, ask, asked_project, begin, hand_in, open_batch
from tests.crowd.plain.visiting import fields_of, send, visit
from tests.factories import make_account, make_hit, make_study, make_worker
from tests.pages import text_of
from tests.people import sign_in, sign_in_with

pytestmark = pytest.mark.django_db
YES, NO = {"q1": "1"}, {"q1": "2"}
KNOWN, NEW, PAGE = 12, 60, 20


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def project() -> Project:
    """Rows that three people have answered alike, but for the last, and rows that nobody has seen."""
    project = asked_project(
        *(f"Sentence {number} was said." for number in range(KNOWN + 1)), answers_wanted=3
    )
    batch = open_batch(project, items=KNOWN + 1)
    truth = dict(zip(Item.objects.order_by("pk"), [YES, NO] * KNOWN, strict=False))
    last = max(truth, key=lambda item: item.pk)
    for odd in (YES, NO, NO):
        work = begin(batch, make_worker(account=batch.account))
        hand_in(work, *({**truth, last: odd}[item] for item in items_of(work)))
    add_sentences(project, *(f"Sentence {number} is new." for number in range(NEW)))
    ask(project)
    return project


def page_of(project: Project) -> str:
    return reverse("admin:scoring_attention", args=[project.study_id, "plain.ask"])


def do(project: Project, key: str) -> str:
    return reverse("admin:scoring_attention_do", args=[project.study_id, "plain.ask", key])


def state_of(project: Project, item: Item) -> str:
    return reverse("admin:scoring_attention_state", args=[project.study_id, "plain.ask", item.public_id])


def take(client: Client, project: Project, **values: Any) -> Any:
    return client.post(do(project, "take"), {"least": 3, "most": 30, "confirmed": "yes", **values})


def open_mixing(project: Project, **changes: Any) -> HIT:
    account = make_account(worker_site=SITE, ticket_key="ticket-key")
    batch = open_batch(project, items=PAGE, attention_rate=40, account=account, **changes)
    return make_hit(batch=batch, external_id="HIT1", max_assignments=9)


def redirect_of(answer: Any) -> str:
    return str(answer.url)


def label_of(item: Item) -> dict[str, str]:
    """What is known of the item; of a new one, what everybody would say."""
    row = KnownAnswer.objects.filter(item=item).first()
    return NO if row and row.choices[0]["label"] == "no" else YES


def work_through(hit: HIT, *, number: int, careless: bool) -> Assignment:
    """Open the page in a browser of its own, answer it, and have the provider confirm it."""
    client = Client()
    page = visit(client, hit, number=number)
    items = {str(item.public_id): item for item in Item.objects.filter(public_id__in=fields_of(page))}
    wrong = {"1": "2", "2": "1"}
    said = {
        name: wrong[label_of(item)["q1"]] if careless else label_of(item)["q1"]
        for name, item in items.items()
    }
    answer = send(client, page, {f"{name}-q1": text for name, text in said.items()})
    assert answer.status_code == 200
    work = Assignment.objects.get(external_id=f"A{number}HIT1")
    assert move(work, Assignment.Status.SUBMITTED, submitted_at=timezone.now(), worked_s=20 * PAGE)
    answer_leases(work, now=timezone.now())
    return work


def test_a_worker_who_misses_attention_items_stands_out_on_the_page_of_quality(
    client: Client, project: Project
) -> None:
    sign_in(client, RESEARCHER, project.study)
    looked = client.get(do(project, "take") + "?least=3&most=30&asked=yes")
    taken = take(client, project)
    hit = open_mixing(project)

    works = [work_through(hit, number=number, careless=number == 7) for number in range(1, 8)]

    assert f"Items that become attention items: {KNOWN}." in text_of(looked)
    assert (taken.status_code, redirect_of(taken)) == (302, page_of(project))
    assert [work.leases.count() for work in works] == [PAGE] * 7
    page = client.get(reverse("admin:scoring_quality", args=[project.study_id]))
    first = page.context["ranking"][0]["evidence"]
    careless = works[-1]
    met = careless.leases.filter(status=Lease.Status.ATTENTION).count()
    assert met
    assert first.worker == careless.worker.pseudonym
    assert (first.attention.met, first.attention.right) == (met, 0)
    assert f"Answers 0 of {met} attention items as is known" in text_of(page)
    honest = [one["evidence"].attention for one in page.context["ranking"][1:]]
    assert all(one.met == one.right for one in honest if one)
    answers = page.context["tables"]["agreement"].rows[0].answers
    assert answers == 3 * (KNOWN + 1) + sum(PAGE - len(known_leases(work)) for work in works)


def known_leases(work: Assignment) -> list[Lease]:
    return list(work.leases.filter(status=Lease.Status.ATTENTION))


def test_the_file_of_workers_has_what_they_met(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)
    take(client, project)
    work = work_through(open_mixing(project), number=1, careless=False)

    address = reverse("admin:scoring_quality_csv", args=[project.study_id, "workers"])
    sent = b"".join(client.get(address)).decode()

    rows = {row["worker"]: row for row in csv.DictReader(io.StringIO(sent.lstrip("\ufeff")))}
    own = rows[work.worker.pseudonym]
    count = str(len(known_leases(work)))
    assert count != "0"
    assert (own["attention_items"], own["attention_items_as_known"]) == (count, count)


def test_nothing_in_the_browser_tells_which_item_is_which(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)
    take(client, project)
    hit = open_mixing(project)

    page = visit(Client(), hit)

    work = Assignment.objects.get(external_id="A1HIT1")
    attention = {str(lease.item.public_id) for lease in known_leases(work)}
    names = fields_of(page)
    assert 0 < len(attention) < len(names) == PAGE
    assert {name in attention for name in names[:4]} | {name in attention for name in names[-4:]} == {
        True,
        False,
    }
    text = text_of(page)
    assert "attention" not in text.lower()
    shapes = {
        tuple(sorted(question)) + tuple(sorted(question["entries"])) for question in page.context["questions"]
    }
    assert len(shapes) == 1


def test_items_are_taken_in_turn_by_what_was_answered(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)

    take(client, project, most=4)

    labels = [row.choices[0]["label"] for row in KnownAnswer.objects.all()]
    assert sorted(labels) == ["no", "no", "yes", "yes"]


def test_where_nobody_agrees_so_far_nothing_is_taken(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)

    looked = client.get(do(project, "take") + "?least=4&most=30&asked=yes")
    sent = take(client, project, least=4)

    assert "Nobody has answered any finished item so" in text_of(looked)
    assert sent.status_code == 409
    assert not KnownAnswer.objects.exists()


@pytest.mark.parametrize("values", [{"least": 1}, {"most": 0}, {"least": "x"}, {"most": 501}])
def test_numbers_out_of_bounds_are_refused_in_place(client: Client, project: Project, values: Any) -> None:
    sign_in(client, RESEARCHER, project.study)

    assert take(client, project, **values).status_code == 400
    assert not KnownAnswer.objects.exists()


def test_one_item_is_stated_and_stated_anew_and_removed(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)
    disputed = Item.objects.order_by("pk")[KNOWN]

    found = client.get(page_of(project), {"item": str(disputed.public_id)})
    form = client.get(state_of(project, disputed))
    client.post(state_of(project, disputed), {"choice_1": "yes", "confirmed": "yes"})
    first = KnownAnswer.objects.get().choices
    client.post(state_of(project, disputed), {"choice_1": "no", "confirmed": "yes"})
    second = KnownAnswer.objects.get().choices
    shown = text_of(client.get(page_of(project)))
    gone = client.post(do(project, "forget"), {"item": [str(disputed.public_id)]})

    assert redirect_of(found) == state_of(project, disputed)
    assert "natural" in text_of(form)
    assert first == [{"question": "natural", "about": "", "label": "yes"}]
    assert second == [{"question": "natural", "about": "", "label": "no"}]
    assert "1 attention item" in shown
    assert str(disputed.public_id) in shown
    assert redirect_of(gone) == page_of(project)
    assert not KnownAnswer.objects.exists()


def test_an_answer_that_the_task_does_not_state_is_refused(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)
    item = Item.objects.order_by("pk")[0]

    odd = client.post(state_of(project, item), {"choice_1": "perhaps", "confirmed": "yes"})
    none = client.post(state_of(project, item), {"choice_1": "", "confirmed": "yes"})

    assert (odd.status_code, none.status_code) == (400, 400)
    assert "Choose at least one answer that is known." in text_of(none)
    assert not KnownAnswer.objects.exists()


def test_an_item_that_still_needs_answers_is_refused_in_words(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)
    item = Item.objects.order_by("pk")[0]
    Item.objects.filter(pk=item.pk).update(wanted=1)

    refused = client.post(state_of(project, item), {"choice_1": "yes", "confirmed": "yes"})

    assert "still need answers of their own" in text_of(refused)
    assert not KnownAnswer.objects.exists()


def test_forgetting_counts_no_answer_any_more(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)
    take(client, project)
    work_through(open_mixing(project), number=1, careless=True)
    ids = [
        str(one)
        for one in Item.objects.filter(known_answer__isnull=False).values_list("public_id", flat=True)
    ]

    client.post(do(project, "forget"), {"item": ids})

    page = client.get(reverse("admin:scoring_quality", args=[project.study_id]))
    assert not page.context["has_attention"]
    assert "None yet." in text_of(client.get(page_of(project)))


def test_nothing_ticked_is_said(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)

    page = client.post(do(project, "forget"), {"item": "x"}, follow=True)

    assert "Choose the items first." in text_of(page)


def test_who_may_only_look_changes_nothing(client: Client, project: Project) -> None:
    item = Item.objects.order_by("pk")[0]
    sign_in_with(client, "view_assignment", studies=[project.study])

    shown = client.get(page_of(project))
    sent = [
        take(client, project),
        client.post(state_of(project, item), {"choice_1": "yes", "confirmed": "yes"}),
        client.post(do(project, "forget"), {"item": str(item.public_id)}),
    ]

    assert shown.status_code == 200
    assert "Take over" not in text_of(shown)
    assert [one.status_code for one in sent] == [403] * 3
    assert not KnownAnswer.objects.exists()


def test_the_pages_are_for_those_who_may_see_work_of_the_study(client: Client, project: Project) -> None:
    item = Item.objects.order_by("pk")[0]
    addresses = [page_of(project), do(project, "take"), state_of(project, item)]
    sign_in_with(client, "change_batch", studies=[project.study])
    forbidden = [client.get(address).status_code for address in addresses]
    sign_in(client, RESEARCHER, make_study())
    strange = [client.get(address).status_code for address in addresses]

    assert forbidden == [403] * 3
    assert strange == [404] * 3


def test_the_first_page_leads_to_a_task_or_says_that_there_is_none(client: Client, project: Project) -> None:
    other = make_study()
    sign_in(client, REVIEWER, project.study, other)

    leads = client.get(reverse("admin:scoring_attention_first", args=[project.study_id]))
    none = client.get(reverse("admin:scoring_attention_first", args=[other.pk]))
    odd = client.get(reverse("admin:scoring_attention", args=[project.study_id, "whoops.design"]))

    assert redirect_of(leads) == page_of(project)
    assert "No task of this study can have attention items." in text_of(none)
    assert odd.status_code == 404


def test_an_unknown_id_is_said(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)

    page = client.get(page_of(project), {"item": "<b>x"})

    assert page.status_code == 404
    assert "No item “&lt;b&gt;x”" in page.content.decode()


def test_batches_that_mix_them_are_named(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)
    before = text_of(client.get(page_of(project)))
    Batch.objects.update(attention_rate=15)

    assert "No batch of this task mixes them" in before
    assert "(15 of a hundred places)" in text_of(client.get(page_of(project)))
