"""The pages over HTTP, as the frame shows them: practice, work, faults, and feedback."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core import signing
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from crowd.winoventi import domain
from crowd.winoventi.domain.outcomes import Question
from crowd.winoventi.domain.premises import Fault
from crowd.winoventi.models import Alternative, Generic, Premise, Prompt
from crowd.winoventi.models.walks import Walk
from crowd.winoventi.premises.pages.premises import words_of
from crowd.winoventi.reason_words import FAULTS, QUESTIONS, reason_in_words
from crowd.winoventi.services.pair_states import ALTERNATIVE_AWAY, settle_premises
from hits import families
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.models.leases import Lease
from tests.crowd.frame.test_question import SITE
from tests.crowd.winoventi.question_pages.asked import (
    ABOUT,
    RIGHT,
    Page,
    begin,
    make_premise,
    make_project,
    open_batch,
)
from tests.factories import NOW, make_account, make_hit
from tests.pages import text_of

pytestmark = pytest.mark.django_db
TASKS = (*domain.TASKS, domain.WALK)
BAD: Mapping[str, Mapping[str, str]] = {
    domain.EXCEPTIONS: {"exception_1": "not <edible>"},
    domain.PREMISES: {"sentence": "The guests found it [sweet / “rotten."},
    domain.VALIDATE: {"generic_synonym": ""},
    domain.CHOOSE: {"choice": ""},
    domain.WALK: {"exception_2": "quite dirty"},
}


def open_hit(task: str, *, items: int = 1) -> HIT:
    account = make_account(worker_site=SITE, ticket_key="ticket-key")
    return make_hit(batch=open_batch(task, items=items, account=account), external_id="HIT1")


def visit(client: Client, hit: HIT, *, number: int = 1) -> Any:
    accepted: datetime = timezone.now() - timedelta(minutes=1)
    claims = {"assignmentId": f"A{number}", "hitId": "HIT1", "workerId": f"AWORKER{number}"}
    signed = {
        "assignment": claims["assignmentId"],
        "hit": claims["hitId"],
        "worker": claims["workerId"],
        "attempt": 1,
        "accepted": accepted.timestamp(),
        "expires": (accepted + timedelta(minutes=10)).timestamp(),
    }
    ticket = signing.dumps(signed, key="ticket-key", salt="marketplace.ticket")
    query = {**claims, "ticket": ticket, "turkSubmitTo": f"{SITE}/submit/signed"}
    return client.get(f"/q/{hit.public_id}/?{urlencode(query)}")


def send(client: Client, hit: HIT, page: Any, texts: Mapping[str, str]) -> Any:
    fields = {
        f"{question['field']}-{entry}": text
        for question in page.context["questions"]
        for entry, text in texts.items()
    }
    return client.post(f"/q/{hit.public_id}/answer/", {"token": page.context["token"], **fields})


@pytest.mark.parametrize("task", TASKS)
def test_bad_answer_shows_the_page_again_with_what_was_typed(client: Client, task: str) -> None:
    hit = open_hit(task)
    page = visit(client, hit)
    texts = {**RIGHT[task], **BAD[task]}

    refused = send(client, hit, page, texts)

    text = text_of(refused)
    assert refused.status_code == 400
    assert f'action="/q/{hit.public_id}/answer/"' in text
    values = {name: entry["value"] for name, entry in refused.context["questions"][0]["entries"].items()}
    assert values == texts
    assert all(f'value="{typed}"' in text for typed in ("rotten", "sweet") if typed in texts.values())
    assert "<edible>" not in text
    assert Assignment.objects.values_list("answer", "status").get() == (None, "opened")

    saved = send(client, hit, refused, RIGHT[task])

    assert (saved.status_code, Assignment.objects.get().status) == (200, "saved")


@pytest.mark.parametrize("task", TASKS)
def test_preview_shows_practice_and_records_nothing(client: Client, task: str) -> None:
    hit = open_hit(task)
    workers = Worker.objects.count()

    page = client.get(f"/q/{hit.public_id}/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")

    text = text_of(page)
    assert (page.status_code, "practice example" in text) == (200, True)
    assert [question["field"] for question in page.context["questions"]] == ["practice"]
    assert (Worker.objects.count(), Lease.objects.count()) == (workers, 0)


@pytest.mark.parametrize("task", TASKS)
def test_review_page_shows_the_answer(task: str) -> None:
    assignment, _ = begin(open_batch(task))
    Assignment.objects.filter(pk=assignment.pk).update(
        status="submitted",
        submitted_at=NOW,
        answer={str(assignment.leases.get().item.public_id): RIGHT[task]},
    )

    text = _reviewed(assignment)

    assert all(word in text for word in RIGHT[task].values() if word not in ("", "yes", "no"))


def _reviewed(assignment: Assignment) -> str:
    assignment.refresh_from_db()
    family = families.get(assignment.hit.batch.task)
    items = [lease.item for lease in assignment.leases.select_related("item")]
    page = family.review_page(assignment=assignment, items=items)
    return str(render_to_string(page.template, dict(page.context)))


def test_choice_page_does_not_depend_on_what_is_right(client: Client) -> None:
    hit = open_hit(domain.CHOOSE)
    prompt = Prompt.objects.get()

    def shown() -> Any:
        return visit(client, hit).context["questions"][0]["options"]

    before = shown()
    other = domain.GENERIC if prompt.kind == domain.EXCEPTION else domain.EXCEPTION
    Prompt.objects.update(kind=other)

    assert shown() == before
    assert sorted(option["value"] for option in before) == ["edible", "inedible"]


@pytest.mark.parametrize("task", [domain.CHOOSE, domain.EXCEPTIONS])
def test_order_is_each_workers_own_and_stays(task: str) -> None:
    page = Page(task, items=6)

    def order() -> list[Any]:
        return [(one["field"], one.get("options")) for one in page.shown().context["questions"]]

    first = order()
    again = order()
    page.assignment = Assignment()
    others = order()

    assert first == again
    assert first != others
    assert sorted(field for field, _ in first) == sorted(field for field, _ in others)


def test_walk_page_tells_nothing_of_the_model_answer(client: Client) -> None:
    hit = open_hit(domain.WALK)
    model = Walk.objects.get().model_answer
    told = [word for word in model.values() if word not in ("", "yes", "no")]

    text = text_of(visit(client, hit))

    assert told
    assert not [word for word in told if word in text]


@pytest.mark.parametrize("task", TASKS)
def test_work_page_asks_the_database_as_often_for_many_as_for_one(
    task: str, django_assert_num_queries: Any
) -> None:
    assignment, items = begin(open_batch(task, items=1 if task == domain.WALK else 4))
    family = families.get(task)

    with django_assert_num_queries(2 if task in (domain.EXCEPTIONS, domain.PREMISES) else 1):
        family.work_page(assignment=assignment, items=items)
    assert len(items) == (1 if task == domain.WALK else 4)


def test_feedback_on_exceptions_waits_for_the_model() -> None:
    assignment, items = begin(open_batch(domain.EXCEPTIONS))
    family: Any = families.get(domain.EXCEPTIONS)
    generic = Generic.objects.get(item=items[0])
    generic.state, generic.worker, generic.assignment = "answered", assignment.worker, assignment
    generic.save()
    word = Alternative.objects.create(
        project=generic.project,
        generic=generic,
        word="inedible",
        position=1,
        key="key",
        worker=assignment.worker,
        assignment=assignment,
    )

    early = family.feedback_page(assignment=assignment, items=items)
    word.state = Alternative.State.FILTERED
    word.save()
    late = family.feedback_page(assignment=assignment, items=items)

    assert early is None
    assert late is not None
    assert [one.state for one in late.context["questions"][0]["alternatives"]] == ["filtered"]


def test_feedback_on_a_premise_gives_the_reasons() -> None:
    assignment, items = begin(open_batch(domain.PREMISES))
    family: Any = families.get(domain.PREMISES)
    premise = make_premise(make_project())
    premise.alternative = Alternative.objects.get(item=items[0])
    premise.assignment = assignment
    premise.save()

    early = family.feedback_page(assignment=assignment, items=items)
    Premise.objects.update(state="failed", reason="generic_synonym,generic_fits_exception", settled_at=NOW)
    late = family.feedback_page(assignment=assignment, items=items)

    assert early is None
    assert late is not None
    assert late.context["questions"][0]["reasons"] == [
        "the first word means the same as its outcome",
        "with the second word both outcomes are possible",
    ]


def test_feedback_on_premises_comes_though_one_of_them_cannot_be_used() -> None:
    assignment, items = begin(open_batch(domain.PREMISES, items=2))
    family: Any = families.get(domain.PREMISES)
    project = Alternative.objects.get(item=items[0]).project
    malformed, judged = (
        Premise.objects.create(
            project=project,
            alternative=Alternative.objects.get(item=item),
            sentence=sentence,
            generic_word="sweet",
            exception_word="rotten",
            worker=assignment.worker,
            assignment=assignment,
        )
        for item, sentence in zip(
            items, ("It is [sweet / rotten /].", "It is [sweet / rotten]."), strict=True
        )
    )
    settle_premises(project=project, premises=Premise.objects.all(), now=NOW)
    early = family.feedback_page(assignment=assignment, items=items)
    Premise.objects.filter(pk=judged.pk).update(state="valid", settled_at=NOW)
    late = family.feedback_page(assignment=assignment, items=items)

    malformed.refresh_from_db()
    assert malformed.state == Premise.State.MALFORMED
    assert early is None
    assert late is not None
    [reasons] = [question["reasons"] for question in late.context["questions"] if question["reasons"]]
    assert reasons == ["The brackets need two words with one slash between them: [one / other]."]


def test_feedback_on_premises_comes_though_one_of_them_is_taken_out() -> None:
    assignment, items = begin(open_batch(domain.PREMISES))
    family: Any = families.get(domain.PREMISES)
    premise = make_premise(make_project())
    premise.alternative = Alternative.objects.get(item=items[0])
    premise.assignment = assignment
    premise.state, premise.reason = Premise.State.WITHDRAWN, ALTERNATIVE_AWAY
    premise.save()

    page = family.feedback_page(assignment=assignment, items=items)

    assert page is not None
    assert page.context["questions"][0]["reasons"] == ["its statement is not asked about any more"]


@pytest.mark.parametrize("code", [*Fault, *Question, ALTERNATIVE_AWAY])
def test_every_reason_of_a_premise_is_in_words_for_workers_and_staff(code: str) -> None:
    [said] = words_of(code)

    assert said != code
    assert code in {**FAULTS, **QUESTIONS}
    assert reason_in_words(code) != code


def test_every_task_says_what_it_pays_and_how_many_do_it() -> None:
    of = {task: families.get(task).terms for task in ABOUT}
    terms = {task: (str(one.reward), one.workers_per_hit) for task, one in of.items()}

    assert {task: terms[task] for task in domain.TASKS} == {
        domain.EXCEPTIONS: ("0.10", 1),
        domain.PREMISES: ("0.30", 1),
        domain.VALIDATE: ("0.20", 3),
        domain.CHOOSE: ("0.03", 1),
    }
    assert families.is_test(domain.WALK)
