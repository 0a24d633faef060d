"""Gates, attempts and holdings in the REST API."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from hits.core.models.audit_events import AuditEvent
from hits.identity.api_tokens import Scope
from hits.studies.models import Study
from qualifications.models import Attempt, Gate, Holding
from tests.factories import make_consent_text, make_study, make_worker
from tests.hits.calling import Notebook, notebook
from tests.qualifications.gates import make_candidate, make_gate

pytestmark = pytest.mark.django_db
LOOK = ("view_gate", "view_attempt", "view_holding", "qualifications.view_consenttext")


def reader(study: Study, *permissions: str, **more: Any) -> Notebook:
    return notebook(*LOOK, *permissions, sees=[study], **more)


def make_holding(gate: Gate, **changes: Any) -> Holding:
    values = {"gate": gate, "worker": make_worker(), "value": None, "changed_at": timezone.now(), **changes}
    return Holding.objects.create(**values)


def make_attempt(gate: Gate, *, status: str = "waiting") -> Attempt:
    work = make_candidate(gate)
    graded = timezone.now() if status in ("passed", "failed") else None
    return Attempt.objects.create(
        gate=gate,
        worker=work.worker,
        assignment=work,
        status=status,
        started_at=timezone.now(),
        graded_at=graded,
    )


def test_gate_is_read_with_its_rules_and_only_by_members_of_its_study() -> None:
    gate, hidden = make_gate(), make_gate(study=make_study())
    held = reader(gate.study)

    (row,) = held.get("gates/", study=str(gate.study.public_id)).json()["results"]
    alone = held.get(f"gates/{gate.public_id}/").json()

    assert row == alone
    assert (row["public_id"], row["rules"], row["opens"]) == (str(gate.public_id), gate.rules, gate.opens)
    assert held.get(f"gates/{hidden.public_id}/").status_code == 404


def test_gate_is_switched_as_on_its_page() -> None:
    gate = make_gate(is_active=False)
    held = reader(gate.study, "change_gate")

    on, again = (held.post(f"gates/{gate.public_id}/on/") for _ in range(2))

    gate.refresh_from_db()
    assert (on.status_code, gate.is_active) == (200, True)
    assert AuditEvent.objects.get(kind="qualification.switched").by == held.user
    assert "only workers who have passed" in on.json()["message"]
    assert again.json() == {"message": "It was on already.", "problems": []}


def test_gate_is_switched_with_the_permission_and_the_scope_alone() -> None:
    gate = make_gate(is_active=False)
    look = reader(gate.study)
    unscoped = reader(gate.study, "change_gate", scopes=[Scope.READ, Scope.DRAFT])

    answers = [held.post(f"gates/{gate.public_id}/on/") for held in (look, unscoped)]

    gate.refresh_from_db()
    assert ([answer.status_code for answer in answers], gate.is_active) == ([403, 403], False)


def test_attempt_is_graded_and_one_that_is_not_submitted_is_refused() -> None:
    gate = make_gate(grading="person")
    waiting, started = make_attempt(gate), make_attempt(gate, status="started")
    held = reader(gate.study, "grade_attempt")

    graded = held.post(f"attempts/{waiting.public_id}/grade/", {"passed": True, "words": "Well done."})
    refused = held.post(f"attempts/{started.public_id}/grade/", {"passed": True})

    assert (graded.status_code, graded.json()["status"], graded.json()["words"]) == (
        200,
        "passed",
        "Well done.",
    )
    assert (refused.status_code, refused.json()["code"]) == (409, "not_handed_in")


def test_holding_is_given_and_taken_back_with_a_reason() -> None:
    gate = make_gate()
    holding = make_holding(gate)
    held = reader(gate.study, "grade_attempt")
    here = f"holdings/{holding.pk}/"

    bare = held.post(f"{here}give/")
    given = held.post(f"{here}give/", {"reason": "She wrote the test."})
    shown = held.get(here).json()
    taken = held.post(f"{here}revoke/", {"reason": "Copied answers."})

    assert (bare.status_code, list(bare.json())) == (400, ["reason"])
    assert (given.status_code, shown["is_held"]) == (200, True)
    assert (taken.status_code, held.get(here).json()["reason"]) == (200, "Copied answers.")


def test_rows_without_a_public_id_are_found_by_their_number_alone() -> None:
    gate = make_gate()
    held = reader(gate.study)

    assert [held.get(f"holdings/{number}/").status_code for number in ("0", "99999", "x", "1" * 40)] == [
        404
    ] * 4


@pytest.mark.parametrize("path", ["gates", "attempts", "holdings", "consent-texts"])
def test_lists_ask_as_often_for_many_rows_as_for_few(path: str) -> None:
    study = make_study()
    held = reader(study)
    held.get(f"{path}/")
    counts = []
    for rows in (2, 9):
        for _ in range(rows):
            gate = make_gate()
            held.user.studies.add(gate.study)
            make_attempt(gate)
            make_holding(gate)
            make_consent_text(study=gate.study)
        with CaptureQueriesContext(connection) as queries:
            answer = held.get(f"{path}/")
        counts.append(len(queries))
        assert len(answer.json()["results"]) >= rows

    assert counts[0] == counts[1]
