"""Who took part, counted and shown: whose work counts, who may look, and what a second count may say."""

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from threading import Barrier
from time import sleep
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from hits.core.audit_trail import note
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.workers import Worker
from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER
from hits.studies.models import Study
from qualifications.domain.people_table import figures_of
from qualifications.models import Demographics, PeopleCount
from qualifications.queries.counted_people import people_of
from qualifications.services import consenting, demographics, people_counts
from qualifications.services.people_counts import count_people
from tests.factories import (
    NOW,
    make_assignment,
    make_batch,
    make_consent_text,
    make_hit,
    make_study,
    make_user,
    make_worker,
)
from tests.hits.calling import Notebook
from tests.pages import text_of
from tests.people import make_member, sign_in
from tests.races import all_at_once

pytestmark = pytest.mark.django_db
SOLVE, CREATE = "winogavil.solve", "winogavil.create"


def take_part(study: Study, worker: Worker, *, task: str = SOLVE, **work: Any) -> None:
    batch = make_batch(study=study, account=worker.account, task=task, status="open")
    state = {"status": "approved", "submitted_at": NOW, **work}
    make_assignment(hit=make_hit(batch=batch), worker=worker, **state)


def tell(study: Study, of: int, *, task: str = SOLVE, **answers: Any) -> list[Worker]:
    text = study.consent_texts.first() or make_consent_text(study=study)
    workers = [make_worker() for _ in range(of)]
    for worker in workers:
        take_part(study, worker, task=task)
        consenting.give_consent(worker=worker, text=text, now=NOW)
        demographics.save_answers(worker=worker, answers=answers, now=NOW)
    return workers


def count(study: Study) -> PeopleCount:
    return count_people(study=study, by=make_user(), now=NOW)


def at(name: str, study: Study) -> str:
    return reverse(f"admin:qualifications_{name}", args=[study.pk])


def test_people_are_counted_by_role() -> None:
    study = make_study()
    tell(study, 6, gender="woman")
    tell(study, 9, gender="man")
    both, *_ = tell(study, 7, task=CREATE, gender="man")
    take_part(study, both)

    figures = count(study).figures

    assert {role: one["workers"] for role, one in figures.items()} == {"Solvers": 16, "Spymasters": 7}
    assert PeopleCount.objects.get().figures == figures


@pytest.mark.parametrize(
    "work", [{"status": "gone", "submitted_at": None}, {"status": "rejected"}, {"kept_out": True}]
)
def test_work_that_does_not_count_is_no_part(work: dict[str, Any]) -> None:
    study = make_study()
    take_part(study, make_worker(), **work)

    assert people_of(study) == []
    with pytest.raises(RuleBroken, match="Nobody has taken part yet"):
        count(study)


def test_tests_and_questions_about_the_work_give_no_role() -> None:
    study, worker = make_study(), make_worker()
    take_part(study, worker)
    for task in ("winogavil.solver_test", "plain.ask"):
        take_part(study, worker, task=task)

    assert [person.roles for person in people_of(study)] == [frozenset({"Solvers"})]


def test_questions_of_one_s_own_alone_give_a_role() -> None:
    study = make_study()
    take_part(study, make_worker(), task="plain.ask")

    assert [person.roles for person in people_of(study)] == [frozenset({"Respondents"})]


def test_answers_are_those_of_people_who_agree() -> None:
    study = make_study()
    agrees, withdrew = tell(study, 2, gender="woman")
    consenting.withdraw(worker=withdrew, study=study, takes_work_out=False, now=NOW)
    take_part(study, make_worker())

    assert sorted(dict(person.answers).get("gender", "") for person in people_of(study)) == ["", "", "woman"]
    assert agrees.pk


def test_what_no_question_offers_is_counted_nowhere() -> None:
    study = make_study()
    workers = tell(study, 6)
    planted = json.dumps({"age": 97_531, "gender": "zzplanted", "shoe": "42"})
    Demographics.objects.filter(worker__in=workers).update(answers=planted)

    assert "zzplanted" not in repr(count(study).figures)


def test_count_of_nearly_the_same_people_is_refused_and_the_first_one_stays() -> None:
    study = make_study()
    tell(study, 9, gender="woman")
    first = count(study)
    tell(study, 4, gender="man")

    with pytest.raises(RuleBroken, match="differ by fewer than five"):
        count(study)

    assert PeopleCount.objects.get() == first


def test_nothing_new_is_not_counted_again() -> None:
    study = make_study()
    tell(study, 9, gender="woman")
    count(study)

    with pytest.raises(RuleBroken, match="Nothing has changed"):
        count(study)


def test_five_more_people_are_counted() -> None:
    study = make_study()
    tell(study, 9, gender="woman")
    count(study)
    tell(study, 5, gender="man")

    assert count(study).figures["Solvers"]["workers"] == 14


@pytest.mark.parametrize("anew", [1, 3])
def test_answers_given_anew_are_other_answers(anew: int) -> None:
    """Whoever erases and tells again could be followed, so each of them is a difference of one person."""
    study = make_study()
    workers = tell(study, 9, gender="woman")
    count(study)
    for worker in workers[:anew]:
        demographics.erase(worker=worker)
        demographics.save_answers(worker=worker, answers={"gender": "man"}, now=NOW)

    with pytest.raises(RuleBroken, match="differ by fewer than five"):
        count(study)


def take_part_again(study: Study, workers: Sequence[Worker]) -> None:
    """Let people of another study take part in this one, too."""
    text = study.consent_texts.first() or make_consent_text(study=study)
    for worker in workers:
        take_part(study, worker)
        consenting.give_consent(worker=worker, text=text, now=NOW)


@pytest.mark.parametrize(("shared", "new"), [(8, 0), (6, 3)])
def test_study_of_nearly_the_same_people_is_not_counted_beside_the_other(shared: int, new: int) -> None:
    study, other = make_study(), make_study()
    take_part_again(other, tell(study, 9, gender="woman")[:shared])
    tell(other, new, gender="man")
    count(study)

    with pytest.raises(RuleBroken, match="or another one"):
        count(other)


def test_two_people_of_another_role_in_each_study_do_not_hinder_the_other_count() -> None:
    study, other = make_study(), make_study()
    for one in (study, other):
        tell(one, 9, gender="woman")
        tell(one, 2, task=CREATE, gender="woman")

    assert count(study).figures["Spymasters"]["workers"] is None
    assert count(other).figures["Solvers"]["workers"] == 9


def test_age_of_one_who_came_since_is_not_given_away() -> None:
    study = make_study()
    for age, of in ((30, 3), (32, 2)):
        tell(study, of, age=age)
    before = count(study)
    tell(study, 4)
    tell(study, 1, age=70)

    later = count(study)

    assert (before.figures["Solvers"]["age"], later.figures["Solvers"]["age"]) == ([31, 1], None)
    assert ([len(one) for one in before.aged.values()], later.aged) == ([5], {})


def test_figures_are_worked_out_before_anything_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    study, inside = make_study(), []
    tell(study, 9, gender="woman")
    before = len(connection.savepoint_ids)

    def note_and_work(*given: Any, **named: Any) -> Any:
        inside.append(len(connection.savepoint_ids) - before)
        return figures_of(*given, **named)

    monkeypatch.setattr(people_counts, "figures_of", note_and_work)
    count(study)

    assert inside == [0]


def test_nothing_is_counted_if_people_or_counts_change_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    study, other = make_study(), make_study()
    for one in (study, other):
        tell(one, 9, gender="woman")
    for change in (lambda: count_people(study=other, by=make_user(), now=NOW), lambda: tell(study, 5)):
        with monkeypatch.context() as patch:
            patch.setattr(people_counts, "figures_of", work_after(change, patch))
            with pytest.raises(RuleBroken, match="Count once more") as refused:
                count(study)
        assert refused.value.code == "changed_meanwhile"

    assert [one.study for one in PeopleCount.objects.all()] == [other]
    assert count(study).study == study


def work_after(change: Callable[[], object], patch: pytest.MonkeyPatch) -> Callable[..., Any]:
    def work(*given: Any, **named: Any) -> Any:
        patch.setattr(people_counts, "figures_of", figures_of)
        change()
        return figures_of(*given, **named)

    return work


@pytest.mark.needs_postgres
@pytest.mark.django_db(transaction=True)
def test_two_studies_counted_at_once_know_of_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are worked out before either is kept; the studies share nearly all of their people."""
    study, other, ready = make_study(), make_study(), Barrier(2)
    take_part_again(other, tell(study, 9, gender="woman")[:8])
    deeds = [partial(count_people, study=one, by=make_user(), now=NOW) for one in (study, other)]

    def note_slowly(*given: Any, **named: Any) -> Any:
        sleep(0.5)
        return note(*given, **named)

    def work_together(*given: Any, **named: Any) -> Any:
        ready.wait(timeout=20)
        return figures_of(*given, **named)

    monkeypatch.setattr(people_counts, "figures_of", work_together)
    monkeypatch.setattr(people_counts, "note", note_slowly)
    first, second = all_at_once(*deeds)

    assert "changed_meanwhile" in (first, second)
    assert PeopleCount.objects.count() == 1


def test_counting_takes_as_many_queries_for_many_people(django_assert_num_queries: Any) -> None:
    study = make_study()
    tell(study, 12, gender="woman")

    with django_assert_num_queries(2):
        people_of(study)


def test_researcher_counts_and_takes_the_table(client: Client) -> None:
    study = make_study()
    tell(study, 8, gender="woman", age=40)
    tell(study, 9, gender="man", age=50)
    sign_in(client, RESEARCHER, study)

    empty = client.get(at("people", study))
    asked = client.get(at("count_people", study))
    page = client.post(at("count_people", study), {"confirmed": "yes"}, follow=True)
    csv = b"".join(client.get(f"{at('people', study)}people.csv").streaming_content).decode()  # type: ignore[attr-defined]
    rows = client.get(f"{at('people', study)}people.json").json()

    assert "Nobody has been counted yet." in text_of(empty)
    assert "You can count again once each role has at least five new people, or none." in text_of(asked)
    assert "Everybody who took part is counted." in text_of(page)
    assert '<th scope="row"># Workers</th><td class="number">17</td>' in text_of(page)
    assert "fewer than 5 people stand behind a figure" in text_of(page)
    assert csv.splitlines()[:3] == ["\ufeffStatistic,Solvers", "# Workers,17", "Avg. Age,45 ± 5"]
    assert {row["statistic"]: row["solvers"] for row in rows}["Women : Men"] == "8 : 9"
    assert [event.kind for event in AuditEvent.objects.order_by("pk")][-2:] == ["file.people"] * 2


def test_ratio_of_sexes_and_share_of_native_speakers_stand_where_both_counts_do(client: Client) -> None:
    study = make_study()
    tell(study, 8, gender="woman", native_english="yes")
    tell(study, 9, gender="man", native_english="yes")
    tell(study, 7, native_english="no")
    tell(study, 6)
    tell(study, 1, gender="nonbinary")
    sign_in(client, RESEARCHER, study)
    count(study)

    rows = client.get(f"{at('people', study)}people.json").json()

    said = {row["statistic"]: row["solvers"] for row in rows}
    assert (said["Women : Men"], said["% Native English Speakers"]) == ("8 : 9", 71)
    assert (said["# Native English Speakers"], said["# Women"]) == (17, 8)
    assert (said["# Non-binary"], said["# Another Gender"]) == ("withheld", "withheld")


def test_later_look_shows_the_count_and_not_who_came_since(client: Client) -> None:
    study = make_study()
    tell(study, 8, gender="woman")
    count(study)
    tell(study, 30, gender="man")
    sign_in(client, RESEARCHER, study)

    page = client.get(at("people", study))

    assert '<th scope="row"># Workers</th><td class="number">8</td>' in text_of(page)
    assert PeopleCount.objects.get().counted_at - NOW == timedelta()


def test_refused_count_says_what_to_do(client: Client) -> None:
    study = make_study()
    tell(study, 8, gender="woman")
    count(study)
    tell(study, 1, gender="man")
    sign_in(client, RESEARCHER, study)

    page = client.post(at("count_people", study), {"confirmed": "yes"}, follow=True)

    assert "Count once more when more people have taken part." in text_of(page)
    assert PeopleCount.objects.count() == 1


def test_table_is_for_people_of_the_study_who_may_count(client: Client) -> None:
    study = make_study()
    tell(study, 8, gender="woman")
    count(study)
    addresses = [at("people", study), at("count_people", study), f"{at('people', study)}people.csv"]
    codes = {}
    for name, role, member in (
        ("reviewer", REVIEWER, study),
        ("stranger", RESEARCHER, make_study()),
        ("operator", OPERATOR, None),
    ):
        sign_in(client, role, *([member] if member else []))
        codes[name] = {client.get(address).status_code for address in addresses}

    assert codes == {"reviewer": {403}, "stranger": {404}, "operator": {200}}


def test_notebook_counts_and_takes_the_table() -> None:
    study = make_study()
    tell(study, 8, gender="woman", age=40)
    tell(study, 9, gender="man", age=50)
    held, body = Notebook(make_member(RESEARCHER, study)), {"study": str(study.public_id)}

    empty = held.get("people-counts/", **body).json()["results"]
    counted, again = held.post("people-counts/", body), held.post("people-counts/", body)
    (table,) = held.get("people-counts/", **body).json()["results"]

    said = {row["statistic"]: row["solvers"] for row in table["rows"]}
    assert (empty, counted.json()["message"]) == ([], "Everybody who took part is counted.")
    assert (again.status_code, PeopleCount.objects.count()) == (409, 1)
    assert (said["Women : Men"], table["counted_by"]) == ("8 : 9", held.user.username)
    assert [event.kind for event in AuditEvent.objects.order_by("pk")][-1:] == ["file.people"]


def test_notebook_of_who_may_not_count_is_told_nothing() -> None:
    study = make_study()
    tell(study, 8, gender="woman")
    count(study)
    body = {"study": str(study.public_id)}
    reviewer = Notebook(make_member(REVIEWER, study))
    stranger = Notebook(make_member(RESEARCHER, make_study()))

    told = [held.get("people-counts/", **body).status_code for held in (reviewer, stranger)]
    counted = [held.post("people-counts/", body).status_code for held in (reviewer, stranger)]

    assert (told, counted, PeopleCount.objects.count()) == ([403, 404], [403, 404], 1)
