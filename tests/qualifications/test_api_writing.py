"""Gates made and changed, consent texts written and published, and lists removed, by the REST API."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext

from hits.identity.api_tokens import Scope
from hits.studies.models import Study
from qualifications.models import ConsentText, Gate, Holding, SwowList
from tests.factories import NOW, make_account, make_consent_text, make_study, make_worker
from tests.hits.calling import Notebook, notebook
from tests.qualifications.gates import (
    RIGHT,
    TEST,
    WORK,
    make_candidate,
    make_gate,
    sit,
    toys,  # noqa: F401 - a fixture
)
from tests.qualifications.platforms import make_type

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
KEEPER = ("view_gate", "add_gate", "change_gate", "view_holding", "grade_attempt")
WRITER = ("qualifications.view_consenttext", "qualifications.publish_consenttext")


def keeper(study: Study, *permissions: str, **more: Any) -> Notebook:
    return notebook(*(permissions or KEEPER), sees=[study], **more)


def filled_in(study: Study, **changes: Any) -> dict[str, Any]:
    return {
        "study": str(study.public_id),
        "name": "Reader test",
        "grading": "scores",
        "test_task": TEST,
        "opens": [WORK],
        "items": 4,
        "retest_after_days": 30,
        "rules": [{"measure": RIGHT, "above": 80}],
        "floors": [{"measure": RIGHT, "below": 60, "last": 20}],
        **changes,
    }


def test_gate_is_made_as_on_its_page_and_once_for_a_key() -> None:
    study = make_study()
    held = keeper(study)

    made, again = (held.post("gates/", filled_in(study), **{"Idempotency-Key": "reader"}) for _ in range(2))

    gate = Gate.objects.get()
    assert (made.status_code, again.json()) == (201, made.json()), made.content
    assert (gate.is_active, gate.rules, gate.opens) == (False, [{"measure": RIGHT, "above": 80}], [WORK])
    assert gate.floors == [{"measure": RIGHT, "below": 60, "last": 20}]
    assert (gate.items, gate.retest_after_days, gate.test_duration_s) == (4, 30, 1800)
    assert LogEntry.objects.get().user == held.user


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"test_task": ""}, "test_task"),
        ({"opens": [TEST]}, "opens"),
        ({"opens": []}, "opens"),
        ({"rules": []}, "__all__"),
        ({"rules": [{"measure": RIGHT}]}, "rules"),
        ({"rules": [{"measure": "unheard", "above": 5}]}, "rules"),
        ({"rules": [{"measure": RIGHT, "above": 101}]}, "rules"),
        ({"floors": [{"measure": RIGHT, "below": 5, "last": 0}]}, "floors"),
        ({"floors": [{"measure": RIGHT, "below": 5, "last": 1}] * 9}, "floors"),
        ({"grading": "provider", "question_form": ""}, "question_form"),
        ({"test_duration_s": 5}, "test_duration_s"),
        ({"name": "Taken"}, "name"),
    ],
)
def test_gate_that_the_page_would_refuse_is_not_made(changes: dict[str, Any], field: str) -> None:
    study = make_study()
    make_gate(study=study, name="Taken", test_task="another.test")

    answer = keeper(study).post("gates/", filled_in(study, **changes))

    assert (answer.status_code, list(answer.json())) == (400, [field]), answer.content
    assert Gate.objects.count() == 1


def test_gate_is_changed_field_by_field_and_keeps_the_rest() -> None:
    gate = make_gate(floors=[{"measure": RIGHT, "below": 50, "last": 10}], retest_after_days=7)
    held = keeper(gate.study)
    here = f"gates/{gate.public_id}/"

    changed = held.patch(here, {"items": 5, "rules": [{"measure": RIGHT, "at_least": 90}]})
    same = held.patch(here, {"items": 5})

    gate.refresh_from_db()
    assert (changed.status_code, same.status_code) == (200, 200), changed.content
    assert (changed.json()["items"], gate.rules) == (5, [{"measure": RIGHT, "at_least": 90}])
    assert (gate.floors[0]["below"], gate.retest_after_days, gate.is_active) == (50, 7, True)
    assert LogEntry.objects.count() == 1


def test_what_is_fixed_by_an_attempt_is_refused_and_nothing_changes() -> None:
    gate = make_gate()
    sit(gate, 1, 1)
    held = keeper(gate.study)
    before = Gate.objects.values().get()

    fixed = held.patch(f"gates/{gate.public_id}/", {"grading": "person", "items": 9})
    moved = held.patch(f"gates/{gate.public_id}/", {"study": str(gate.study.public_id), "items": 0})
    elsewhere = make_study()
    held.user.studies.add(elsewhere)
    studied = held.patch(f"gates/{gate.public_id}/", {"study": str(elsewhere.public_id)})

    assert (fixed.status_code, fixed.json()["code"]) == (409, "fixed")
    assert (moved.status_code, list(moved.json())) == (400, ["items"])
    assert (studied.status_code, list(studied.json())) == (400, ["study"])
    assert Gate.objects.values().get() == before


def test_gates_are_made_and_changed_with_permission_and_scope_in_ones_own_studies() -> None:
    gate = make_gate()
    study = gate.study
    body = filled_in(study, test_task="")
    here = f"gates/{gate.public_id}/"

    look, unscoped, stranger = (
        keeper(study, "view_gate"),
        keeper(study, scopes=[Scope.READ]),
        keeper(make_study()),
    )

    assert [held.post("gates/", body).status_code for held in (look, unscoped)] == [403, 403]
    assert [held.patch(here, {"items": 9}).status_code for held in (look, unscoped)] == [403, 403]
    assert [stranger.post("gates/", body).status_code, stranger.patch(here, {}).status_code] == [400, 404]
    assert Gate.objects.get().items == gate.items


def test_gate_is_given_by_pseudonyms_and_those_not_found_are_named() -> None:
    gate = make_gate()
    workers = [make_candidate(gate, status="approved").worker for _ in range(2)]
    hidden = make_worker()
    names = [*(worker.pseudonym for worker in workers), hidden.pseudonym]
    held = keeper(gate.study)
    here = f"gates/{gate.public_id}/give/"

    given = held.post(here, {"pseudonyms": names, "reason": "They helped us."})
    again = held.post(here, {"pseudonyms": names, "reason": "They helped us."})

    assert (given.status_code, given.json()["message"]) == (200, "Given to 2 workers.")
    assert f"Not found: {hidden.pseudonym}." in given.json()["problems"][0]
    assert (again.status_code, list(again.json())) == (400, ["pseudonyms"])
    assert Holding.objects.filter(gate=gate, value=1).count() == 2
    assert keeper(gate.study, "view_gate").post(here, {}).status_code == 403


def test_type_that_a_provider_refused_is_asked_for_again() -> None:
    row = make_type(gate=make_gate(), status="refused", external_id="", problem="The name is too odd.")
    held = keeper(row.gate.study)

    (told,) = held.get("gate-types/", gate=str(row.gate.public_id)).json()["results"]
    asked = held.post(f"gate-types/{told['number']}/retry/")

    row.refresh_from_db()
    assert (told["problem"], asked.status_code, row.status) == ("The name is too odd.", 200, "intended")
    assert keeper(make_study()).post(f"gate-types/{row.pk}/retry/").status_code == 404


def test_consent_text_is_drafted_changed_and_published_once() -> None:
    study = make_study()
    held = notebook(*WRITER, sees=[study])
    body = {"study": str(study.public_id), "title": "About this study", "text": "We ask for your consent."}

    first = held.post("consent-texts/", body)
    second = held.post("consent-texts/", {**body, "text": "We ask."})
    here = f"consent-texts/{second.json()['public_id']}/"
    old = held.post(f"{here}publish/", {"seen": first.json()["digest"]})
    unpublished = held.get(here).json()["published_at"]
    published, again = (held.post(f"{here}publish/", {"seen": second.json()["digest"]}) for _ in range(2))

    assert (old.status_code, unpublished) == (409, None)
    assert (first.status_code, first.json()["public_id"]) == (201, second.json()["public_id"])
    assert (published.status_code, again.status_code) == (200, 409)
    assert (ConsentText.objects.get().text, held.get(here).json()["published_at"] is None) == (
        "We ask.",
        False,
    )


def test_consent_text_is_written_and_published_by_whoever_may() -> None:
    text = make_consent_text(published_at=None)
    here = f"consent-texts/{text.public_id}/publish/"
    body = {"study": str(text.study.public_id), "title": "T", "text": "Other."}
    look = notebook(WRITER[0], sees=[text.study])
    unscoped = notebook(*WRITER, sees=[text.study], scopes=[Scope.READ])
    stranger = notebook(*WRITER)

    answers = [held.post(here).status_code for held in (look, unscoped, stranger)]
    written = [held.post("consent-texts/", body).status_code for held in (look, unscoped, stranger)]

    text.refresh_from_db()
    assert (answers, written) == ([403, 403, 404], [403, 403, 400])
    assert (text.published_at, text.text != "Other.") == (None, True)


def test_withdrawals_are_told_under_pseudonyms() -> None:
    text = make_consent_text()
    worker = make_worker()
    for withdrawn_at in (NOW, None):
        text.consents.create(worker=worker, given_at=NOW, withdrawn_at=withdrawn_at)

    answer = notebook(WRITER[0], sees=[text.study]).get("withdrawals/", study=str(text.study.public_id))

    (row,) = answer.json()["results"]
    assert (row["worker"], row["text"]) == (worker.pseudonym, str(text.public_id))
    assert worker.external_id not in answer.content.decode()
    assert notebook(WRITER[0]).get("withdrawals/").json()["results"] == []


def test_association_list_is_removed_by_whoever_may() -> None:
    swow = SwowList.objects.create(
        name="SWOW", language="en", kind="r123", status="ready", started_at=NOW, imported_at=NOW
    )
    here = f"association-lists/{swow.public_id}/"
    look, held = notebook("view_swowlist"), notebook("view_swowlist", "delete_swowlist")

    refused, removed = look.post(f"{here}remove/"), held.post(f"{here}remove/")

    assert (refused.status_code, removed.status_code) == (403, 200)
    assert held.get("association-lists/").json()["results"] == []


@pytest.mark.parametrize("path", ["gates", "gate-types", "withdrawals"])
def test_lists_ask_as_often_for_many_rows_as_for_few(path: str) -> None:
    held = notebook(*KEEPER, WRITER[0], "hits.see_all_studies")
    held.get(f"{path}/")
    counts = []
    for rows in (2, 7):
        for _ in range(rows):
            make_type(gate=make_gate(), account=make_account())
            make_consent_text().consents.create(worker=make_worker(), given_at=NOW, withdrawn_at=NOW)
        with CaptureQueriesContext(connection) as queries:
            answer = held.get(f"{path}/")
        counts.append(len(queries))
        assert len(answer.json()["results"]) >= rows

    assert counts[0] == counts[1]
