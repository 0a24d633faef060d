"""Rivals, queries, verdicts and scores in the REST API."""

from typing import Any

import pytest

from hits.identity.api_tokens import Scope
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from scoring.models import PendingQuery, Score, StudyRival, Verdict
from scoring.services.rival_answers import answer_waiting
from tests.factories import NOW, make_assignment, make_study
from tests.hits.calling import Notebook, notebook
from tests.scoring.fakes import FakeRival, make_rival
from tests.scoring.test_asking import ask
from tests.scoring.test_judging import make_submitted

pytestmark = pytest.mark.django_db


def rows(held: Notebook, path: str, **query: str) -> list[dict[str, object]]:
    answer = held.get(path, **query)
    assert answer.status_code == 200, answer.content
    found: list[dict[str, object]] = answer.json()["results"]
    return found


def test_verdict_is_read_with_all_that_repeats_it(fake: type[FakeRival]) -> None:
    query, _ = ask(make_assignment())
    answer_waiting(clock=lambda: NOW)
    verdict = Verdict.objects.get()
    held = notebook("view_verdict", sees=[query.study])

    (asked,) = rows(held, "rival-queries/", study=str(query.study.public_id))
    (told,) = rows(held, "verdicts/", query=str(query.public_id), rival="minilm")

    assert (asked["text"], asked["chosen"], asked["paid_on"]) == ("snow", [0, 2], "minilm")
    assert asked["assignment"] == str(query.assignment and query.assignment.public_id)
    assert (told["query"], told["rival"]) == (asked["public_id"], "minilm")
    assert (told["scores"], told["places"]) == (verdict.scores, verdict.places)
    assert told["fool_score"] == 100 - verdict.model_score


def test_verdicts_of_other_studies_are_not_there(fake: type[FakeRival]) -> None:
    ask(make_assignment())
    answer_waiting(clock=lambda: NOW)
    held = notebook("view_verdict")

    assert (rows(held, "rival-queries/"), rows(held, "verdicts/")) == ([], [])
    assert held.get(f"verdicts/{Verdict.objects.get().pk}/").status_code == 404


def test_rivals_of_the_site_are_read_by_whoever_may_look_at_them() -> None:
    rival = make_rival("blind", kind="masked")
    held = notebook("view_registeredrival")

    (row,) = rows(held, "rivals/", kind="masked")

    assert (row["number"], row["name"], row["weights_sha256"]) == (rival.pk, "blind", rival.weights_sha256)


def test_facts_of_a_model_are_stated_by_whoever_may_change_it() -> None:
    rival = make_rival("blind", kind="masked")
    body = {"pretraining_captions": 3_300_000}

    refused = notebook("view_registeredrival").patch(f"rivals/{rival.pk}/", body)
    told = notebook("view_registeredrival", "change_registeredrival").patch(f"rivals/{rival.pk}/", body)

    assert (refused.status_code, told.status_code) == (403, 200), told.content
    assert (told.json()["pretraining_captions"], told.json()["pretraining_images"]) == (3_300_000, None)


def test_score_is_an_exact_share_of_one_answer_without_the_workers_id() -> None:
    work = make_submitted()
    item = work.leases.get().item
    Score.objects.create(
        assignment=work, item=item, measure="right", numerator=2, denominator=3, scored_at=NOW
    )
    held = notebook("view_assignment", sees=[work.hit.batch.study])

    answer = held.get("scores/", assignment=str(work.public_id))

    (row,) = answer.json()["results"]
    assert (row["numerator"], row["denominator"], row["worker"]) == (2, 3, work.worker.pseudonym)
    assert work.worker.external_id not in answer.content.decode()


def test_work_that_its_worker_took_out_is_told_nowhere(fake: type[FakeRival]) -> None:
    query, _ = ask(make_assignment())
    answer_waiting(clock=lambda: NOW)
    work = query.assignment
    assert work is not None
    item = Item.objects.create(study=query.study, task="winogavil.solve", answers_needed=1, wanted=1)
    Score.objects.create(
        assignment=work, item=item, measure="right", numerator=1, denominator=1, scored_at=NOW
    )
    held = notebook("view_assignment", "view_verdict", sees=[query.study])
    paths = ("rival-queries/", "verdicts/", "scores/")
    before = [len(rows(held, path)) for path in paths]

    Assignment.objects.filter(pk=work.pk).update(kept_out=True)

    assert (before, [len(rows(held, path)) for path in paths]) == ([1, 1, 1], [0, 0, 0])


def keeper(study: Study, **more: Any) -> Notebook:
    return notebook("view_studyrival", "change_studyrival", sees=[study], **more)


def test_study_plays_against_a_rival_and_puts_to_it_what_was_asked(fake: type[FakeRival]) -> None:
    query, _ = ask(make_assignment())
    blind = make_rival("second", kind="caption")
    body = {"study": str(query.study.public_id), "rival": "second"}

    made, again = (keeper(query.study).post("study-rivals/", body) for _ in range(2))

    assert (made.status_code, again.status_code) == (201, 201), made.content
    assert (made.json()["rival"], made.json()["is_paid"]) == ("second", False)
    assert PendingQuery.objects.filter(rival=blind).count() == 1


def test_bonuses_are_paid_on_the_rival_that_is_chosen_and_on_no_other(fake: type[FakeRival]) -> None:
    study = make_study()
    make_rival("minilm", kind="caption")
    make_rival("second", kind="caption")
    held = keeper(study)

    for name in ("second", "minilm"):
        held.post("study-rivals/", {"study": str(study.public_id), "rival": name, "is_paid": True})

    told = {row["rival"]: row["is_paid"] for row in rows(held, "study-rivals/")}
    assert told == {"minilm": True, "second": False}


def test_rival_that_may_not_be_chosen_changes_nothing() -> None:
    study = make_study()
    make_rival("blind", kind="masked")
    make_rival("second", kind="caption")
    body = {"study": str(study.public_id), "rival": "second"}
    held = keeper(study)

    answers = [
        held.post("study-rivals/", {**body, "rival": "blind"}),
        held.post("study-rivals/", {**body, "rival": "nobody"}),
        held.post("study-rivals/", {**body, "study": str(make_study().public_id)}),
        notebook("view_studyrival", sees=[study]).post("study-rivals/", body),
        keeper(study, scopes=[Scope.READ]).post("study-rivals/", body),
    ]

    assert [answer.status_code for answer in answers] == [409, 400, 400, 403, 403]
    assert not StudyRival.objects.exists()
