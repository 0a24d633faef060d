"""Attention items: who meets them, how often, and that no answer to them counts anywhere."""

from datetime import timedelta

import pytest
from django.db.models import QuerySet

from crowd.plain.models import Description, Project
from crowd.plain.queries.results import answered_rows
from hits import families
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.data.services.batch_export import export_batch
from hits.data.services.flat_export import export_flat
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.known_answers import KnownAnswer
from hits.work.models.leases import Lease
from hits.work.services import leasing
from hits.work.services.attention_items import KnownChoice, forget_answers, know_answers
from hits.work.services.counting_answers import answers_that_count
from scoring.models import Score
from scoring.services.score_recording import judge_submitted
from tests.crowd.plain.making import add_sentences, ask, asked_project, begin, hand_in, open_batch
from tests.crowd.winoground import making_asked as captions
from tests.factories import NOW, make_user, make_worker

pytestmark = pytest.mark.django_db
YES = {"q1": "1"}
KNOWN = [KnownChoice(question="natural", about="", label="yes")]
ATTENTION = Lease.Status.ATTENTION


@pytest.fixture
def project() -> Project:
    """Four rows that one worker has answered, all known by now, and six that wait for an answer."""
    project = asked_project(*(f"Sentence {number} was said." for number in range(4)), answers_wanted=1)
    batch = open_batch(project, items=4)
    hand_in(begin(batch, make_worker(account=batch.account)), YES, YES, YES, YES)
    know(Item.objects.all())
    add_sentences(project, *(f"Sentence {number} is new." for number in range(6)))
    ask(project)
    return project


def know(items: QuerySet[Item]) -> None:
    first = items[0]
    answers = {item.pk: KNOWN for item in items}
    know_answers(answers, study=first.study, task=first.task, by=make_user(), now=NOW)


def attention_of(work: Assignment) -> set[int]:
    return set(work.leases.filter(status=ATTENTION).values_list("item", flat=True))


def known_items() -> set[int]:
    return set(KnownAnswer.objects.values_list("item", flat=True))


def new_work(batch: Batch) -> Assignment:
    return begin(batch, make_worker(account=batch.account))


def work_with_attention(batch: Batch) -> Assignment:
    for _ in range(50):
        Item.objects.filter(known_answer=None).update(wanted=9)
        work = new_work(batch)
        if attention_of(work):
            return work
    raise AssertionError("No page had an attention item.")


def test_pages_are_as_long_as_without_and_hold_the_share_that_was_asked_for(project: Project) -> None:
    batch = open_batch(project, items=4, attention_rate=30)

    works = []
    for _ in range(60):
        works.append(new_work(batch))
        # The rows that wait are given back, so that all pages can be full.
        Item.objects.filter(known_answer=None).update(wanted=1)

    assert {len(leasing.items_of(work)) for work in works} == {4}
    met = [len(attention_of(work)) for work in works]
    assert 0.17 < sum(met) / (4 * len(works)) < 0.43
    assert set().union(*map(attention_of, works)) == known_items()


def test_without_a_share_nobody_meets_any(project: Project) -> None:
    works = [new_work(open_batch(project, items=3)) for _ in range(2)]

    assert [attention_of(work) for work in works] == [set(), set()]


def test_nobody_meets_an_item_twice_nor_one_of_their_own(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leasing, "_places_drawn", lambda _: 1)
    batch = open_batch(project, items=2, attention_rate=50)
    earlier = Lease.objects.filter(item__in=known_items()).get(item=min(known_items())).worker
    worker = make_worker(account=batch.account)
    Item.objects.filter(pk=min(known_items())).update(author=worker)

    for _ in range(20):
        Item.objects.filter(known_answer=None).update(wanted=9)
        begin(batch, worker)
        begin(batch, earlier)

    met = Lease.objects.filter(status=ATTENTION)
    assert set(met.values_list("worker", flat=True)) == {worker.pk}
    assert sorted(met.values_list("item", flat=True)) == sorted(known_items() - {min(known_items())})


def test_a_page_of_one_attention_item_is_only_made_while_something_else_is_asked(project: Project) -> None:
    batch = open_batch(project, attention_rate=50)
    Item.objects.filter(known_answer=None).update(wanted=0)

    works = [new_work(batch) for _ in range(10)]

    assert [leasing.items_of(work) for work in works] == [[]] * 10


def test_a_reload_shows_the_same_in_the_same_order(project: Project) -> None:
    batch = open_batch(project, items=4, attention_rate=50)
    work = work_with_attention(batch)

    first = leasing.items_of(work)

    assert leasing.lease_items(assignment=work, now=NOW) == first
    assert leasing.lease_items(assignment=work, now=NOW) == first


def test_an_item_that_needs_an_answer_again_is_no_attention_item_meanwhile(project: Project) -> None:
    batch = open_batch(project, items=3, attention_rate=50)
    Item.objects.filter(pk__in=known_items()).update(wanted=9)

    works = [new_work(batch) for _ in range(3)]

    assert not Lease.objects.filter(status=ATTENTION).exists()
    assert known_items() & {item.pk for work in works for item in leasing.items_of(work)}


def test_work_that_was_given_up_holds_none(project: Project) -> None:
    batch = open_batch(project, items=4, attention_rate=50)
    work = work_with_attention(batch)

    leasing.give_up(work, now=NOW)

    assert leasing.items_of(work) == []
    assert leasing.lease_items(assignment=work, now=NOW) == []
    assert attention_of(work) <= {item.pk for item in leasing.items_served(work)}


def page_with_attention(project: Project) -> Assignment:
    """Work of which some is attention, answered and submitted."""
    batch = open_batch(project, items=3, attention_rate=50)
    for _ in range(50):
        work = new_work(batch)
        if 0 < len(attention_of(work)) < 3:
            hand_in(work, YES, YES, YES)
            return work
        leasing.give_up(work, now=NOW)
    raise AssertionError("No page had an attention item beside another one.")


def test_answers_to_attention_items_count_nowhere(project: Project) -> None:
    before = {
        item.pk: (item.wanted, item.answers_needed) for item in Item.objects.filter(pk__in=known_items())
    }
    rows = {row.row.pk: len(row.given) for row in answered_rows(newest(project))}

    work = page_with_attention(project)

    attention = attention_of(work)
    assert attention
    counted = answers_that_count([item.pk for item in Item.objects.all()])
    assert {item: len(counted[item]) for item in attention} == dict.fromkeys(attention, 1)
    assert {
        item.pk: (item.wanted, item.answers_needed) for item in Item.objects.filter(pk__in=known_items())
    } == before
    after = {row.row.pk: len(row.given) for row in answered_rows(newest(project))}
    assert sum(after.values()) - sum(rows.values()) == 3 - len(attention)


def newest(project: Project) -> Description:
    return project.descriptions.order_by("-version")[0]


def test_files_have_attention_items_in_a_column_of_their_own(project: Project) -> None:
    work = page_with_attention(project)
    batch = work.hit.batch

    [row] = export_batch(batch=batch, include_excluded=False)
    flat = list(export_flat(batch=batch, include_excluded=False))

    ids = {str(item.public_id) for item in Item.objects.filter(pk__in=attention_of(work))}
    assert set(row["attention_items"]) == ids
    assert set(row["items"]) == {str(item.public_id) for item in leasing.items_judged(work)}
    assert not ids & set(row["items"])
    assert len(flat) == 3 - len(ids)


def test_giving_up_and_keeping_out_ask_no_attention_item_of_anybody(project: Project) -> None:
    kept_out = page_with_attention(project)
    given_up = new_work(kept_out.hit.batch)
    Lease.objects.filter(assignment=given_up).update(status=ATTENTION)

    leasing.keep_out(kept_out, now=NOW)
    leasing.give_up(given_up, now=NOW + timedelta(minutes=1))

    known = Item.objects.filter(pk__in=known_items())
    assert set(known.values_list("wanted", "recount")) == {(0, False)}
    ended = Lease.objects.filter(assignment=given_up).values_list("status", "ended_at")
    assert set(ended) == {(ATTENTION, NOW + timedelta(minutes=1))}


def test_votes_on_captions_leave_attention_items_out() -> None:
    project = captions.make_project(answers_wanted=1, apart="never")
    captions.ask(project, count=6)
    first = captions.open_batch(project, items=6)
    answered = captions.answer_all(first, make_worker(account=first.account))
    items = leasing.items_of(answered)
    choices = [KnownChoice(question="match", about="", label="yes")]
    know_answers(
        {item.pk: choices for item in items}, study=project.study, task=first.task, by=make_user(), now=NOW
    )
    batch = captions.open_batch(project, items=3, attention_rate=50)

    works = [captions.answer_all(batch, make_worker(account=first.account)) for _ in range(4)]
    judge_submitted(now=NOW)

    attention = set().union(*map(attention_of, works))
    assert attention
    assert Score.objects.filter(item__in=attention).count() == len(attention)
    for work in works:
        examples = captions.examples_of(leasing.items_of(work))
        assert len(examples) == len(set(examples)) == 3


def test_items_that_need_answers_are_refused_and_nothing_is_known(project: Project) -> None:
    waiting = Item.objects.filter(known_answer=None)
    KnownAnswer.objects.all().delete()

    with pytest.raises(RuleBroken) as broken:
        know(Item.objects.all())

    assert broken.value.code == "needs_answers"
    assert f"{waiting.filter(wanted=1).count()}" in str(broken.value)
    assert not KnownAnswer.objects.exists()


def test_items_of_another_study_are_refused(project: Project) -> None:
    other = asked_project("A sentence of another study.", answers_wanted=1)
    item = Item.objects.get(study=other.study)

    with pytest.raises(RuleBroken) as broken:
        know_answers({item.pk: KNOWN}, study=project.study, task=item.task, by=make_user(), now=NOW)

    assert broken.value.code == "no_such_item"


def test_forgetting_makes_an_ordinary_item_and_both_stand_in_the_trail(project: Project) -> None:
    gone = min(known_items())

    count = forget_answers([gone], study=project.study, by=make_user(), now=NOW)

    assert count == 1
    assert gone not in known_items()
    told = AuditEvent.objects.filter(kind="study.attention_items").order_by("pk")
    words = list(told.values_list("words", flat=True))
    assert len(words) == 2
    assert words[-1] == "Attention items: 1 fewer."


def test_only_work_whose_answers_are_compared_mixes_them() -> None:
    mixing = {key for key in families.registered() if families.mixes_attention(key)}

    assert {"plain.ask", "winoground.validate"} <= mixing
    assert not mixing & {"winoground.onboarding", "whoops.design", "winogavil.solve"}
