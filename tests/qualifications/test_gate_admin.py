"""Gates in the admin: made from presets and by hand, changed, switched, granted and revoked."""

import html
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from qualifications.models import Attempt, Gate, Holding, PlatformType
from qualifications.presets import PRESETS
from tests.factories import make_account, make_assignment, make_batch, make_hit, make_study
from tests.pages import text_of
from tests.people import client_of, make_permitted
from tests.qualifications.gates import (
    RIGHT,
    TEST,
    WORK,
    make_candidate,
    make_gate,
    make_work_hit,
    sit,
    toys,  # noqa: F401 - a fixture
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("toys")]
KEEPER = ("view_gate", "add_gate", "change_gate", "view_attempt", "view_holding", "grade_attempt")


def make_keeper(study: Study, *permissions: str) -> User:
    return make_permitted(*(permissions or KEEPER), studies=[study])


def signed_in(study: Study, *permissions: str) -> Client:
    return client_of(make_keeper(study, *permissions))


def at(name: str, *args: Any) -> str:
    return reverse(f"admin:qualifications_{name}", args=args)


def rows(name: str, *filled: dict[str, Any]) -> dict[str, Any]:
    """Convert rows to what a form sends for them."""
    sent: dict[str, Any] = {f"{name}-TOTAL_FORMS": len(filled) + 1, f"{name}-INITIAL_FORMS": 0}
    for number, row in enumerate([*filled, {"measure": ""}]):
        sent |= {f"{name}-{number}-{field}": value for field, value in row.items()}
    return sent


def filled_in(**changes: Any) -> dict[str, Any]:
    return {
        "name": "Reader test",
        "description": "Ten questions.",
        "grading": "scores",
        "test_task": TEST,
        "opens": [WORK],
        "items": 10,
        "retest_after_days": "30",
        "test_duration_s_amount": 30,
        "test_duration_s_unit": "minutes",
        "test_duration_s_0": 30,
        "test_duration_s_1": "minutes",
        "passing_value": 80,
        **rows("rules", {"measure": RIGHT, "comparison": "above", "percent": 80}),
        **rows("floors", {"measure": RIGHT, "below": 60, "last": 20}),
        **changes,
    }


def add(client: Client, study: Study, **changes: Any) -> Any:
    return client.post(f"{at('gate_add')}?study={study.pk}&preset=by-hand", filled_in(**changes))


def test_gate_made_by_hand_begins_switched_off_and_is_told_in_words() -> None:
    study = make_study()
    client = signed_in(study)

    page = add(client, study)

    gate = Gate.objects.get()
    assert page["Location"] == at("gate_change", gate.pk)
    assert not gate.is_active
    assert (gate.rules, gate.opens, gate.retest_after_days) == (
        [{"measure": RIGHT, "above": 80}],
        [WORK],
        30,
    )
    assert gate.floors == [{"measure": RIGHT, "below": 60, "last": 20}]
    told = text_of(client.get(page["Location"]))
    for words in (
        "Off</span> It keeps no worker out",
        "<dt>Opens</dt><dd>Toy: work</dd>",
        "when the mean of ‘right’ over at least 10 items is above 80 %",
        "over the latest 20 scores of what it opens falls below 60 %",
        "again after 30 days",
        "None yet.",
    ):
        assert words in told


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "Taken"}, "This study has a gate of this name already."),
        ({"test_task": ""}, "Choose the test."),
        ({"opens": [TEST]}, "A test cannot open itself."),
        ({"opens": []}, "This field is required."),
        ({"rules-0-percent": ""}, "Fill in the whole row, or leave all of it empty."),
        ({"rules-0-percent": "101"}, "less than or equal to 100"),
        ({"rules-0-measure": "", "rules-0-percent": ""}, "graded by its scores needs a rule."),
        ({"rules-0-measure": "jaccard"}, "This test does not measure ‘jaccard’; it measures: right."),
        ({"floors-0-last": "0"}, "greater than or equal to 1"),
        ({"grading": "provider"}, "The provider&#x27;s test needs its questions."),
        ({"grading": "provider", "question_form": "<a>", "answer_key": "<b/>"}, "errorlist"),
    ],
    ids=[
        "name",
        "no-test",
        "opens-itself",
        "opens-nothing",
        "half-a-row",
        "percent",
        "no-rule",
        "measure",
        "floor",
        "questions",
        "xml",
    ],
)
def test_gate_that_makes_no_sense_is_not_saved_and_says_why(changes: dict[str, Any], words: str) -> None:
    study = make_study()
    make_gate(study=study, name="Taken", test_task="toy.other")

    page = add(signed_in(study), study, **changes)

    assert page.status_code == 400
    assert words in text_of(page)
    assert Gate.objects.count() == 1


def test_preset_fills_the_form_and_says_why_it_cannot_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = replace(PRESETS["winoventi.walk"], test_task="elsewhere.test", opens=[])
    monkeypatch.setattr("qualifications.admin.gate_edit.PRESETS", {**PRESETS, "elsewhere": elsewhere})
    study = make_study()
    make_gate(study=study, test_task="winogavil.solver_test")
    client = signed_in(study)

    choice = text_of(client.get(f"{at('gate_add')}?study={study.pk}"))
    form = client.get(f"{at('gate_add')}?study={study.pk}&preset=winogavil.creator")

    assert "This study has a gate with this test already." in choice
    assert "Its task is not part of this installation." in choice
    assert form.context["form"].initial["name"] == "Creator test"
    assert [row["percent"].value() for row in form.context["editor"].rules][:2] == [40, 80]


def test_rules_can_be_changed_once_tried_and_the_test_cannot() -> None:
    gate = make_gate()
    sit(gate, 1, 1)
    PlatformType.objects.create(gate=gate, account=make_account(), status="ready", external_id="T1")
    changes = {"name": "Another", "test_task": "", "grading": "person", "description": "New words."}

    page = signed_in(gate.study).post(at("gate_edit", gate.pk), filled_in(**changes, items=5))

    kept = Gate.objects.get()
    assert page.status_code == 302
    assert (kept.name, kept.test_task, kept.grading) == (gate.name, TEST, "scores")
    assert (kept.items, kept.description) == (5, "New words.")
    assert Attempt.objects.get().status == "passed"


def test_switch_is_asked_first_with_whom_it_concerns() -> None:
    gate = make_gate(is_active=False)
    make_work_hit(gate, title="Sort the words")
    client = signed_in(gate.study)

    asked = text_of(client.get(f"{at('gate_switch', gate.pk)}?to=on"))
    assert not Gate.objects.get().is_active
    client.post(at("gate_switch", gate.pk), {"to": "on"})

    assert "1 batch of what it opens runs now: “Sort the words”." in asked
    assert "No batch of the test runs:</strong> nobody can pass before you launch one." in asked
    assert Gate.objects.get().is_active
    assert "Switched on." in text_of(client.get(at("gate_history", gate.pk)))


def test_switching_off_says_that_running_batches_keep_the_gate_and_what_to_do() -> None:
    gate = make_gate()
    make_work_hit(gate, title="Sort the words")

    asked = text_of(signed_in(gate.study).get(f"{at('gate_switch', gate.pk)}?to=off"))

    assert "they go on asking for the gate there" in asked
    assert "give the gate by hand" in asked
    assert "launch copies" in asked


def test_type_that_a_provider_refused_is_asked_for_again() -> None:
    gate = make_gate()
    row = PlatformType.objects.create(
        gate=gate, account=make_account(name="Sandbox"), status="refused", problem="The name is too odd."
    )
    client = signed_in(gate.study)

    page = text_of(client.get(at("gate_change", gate.pk)))
    client.post(at("gate_retry", gate.pk, row.pk))

    assert "Refused by the provider: The name is too odd." in page
    assert PlatformType.objects.get().status == "intended"


@pytest.mark.parametrize("permissions", [(), ("view_gate",)], ids=["stranger", "looker"])
def test_who_may_not_change_gates_changes_none(permissions: tuple[str, ...]) -> None:
    gate = make_gate()
    client = signed_in(gate.study, *(permissions or ("view_study",)))

    answers = [
        client.post(at("gate_switch", gate.pk), {"to": "off"}).status_code,
        client.post(at("gate_edit", gate.pk), filled_in()).status_code,
        add(client, gate.study).status_code,
        client.get(at("give", gate.pk)).status_code,
        client.get(at("grading")).status_code,
    ]

    assert answers == [403] * 5
    assert list(Gate.objects.values_list("pk", "is_active", "name")) == [(gate.pk, True, gate.name)]


def test_gates_of_other_studies_are_not_there() -> None:
    gate = make_gate()
    holding = sit(gate, 1, 1).worker.holdings.get()
    client = signed_in(make_study(), *KEEPER, "export_batch")

    addresses = [
        at("gate_change", gate.pk),
        at("gate_edit", gate.pk),
        at("attempt_change", Attempt.objects.get().pk),
        at("holding_change", holding.pk),
        at("hand", holding.pk, "revoke"),
        at("give", gate.pk),
        at("holdings_file", gate.pk),
        at("funnel", gate.study_id),
        f"{at('grading')}?at={Attempt.objects.get().pk}",
    ]

    assert [client.get(address).status_code for address in addresses] == [404] * len(addresses)
    for name in ("gate", "attempt", "holding"):
        assert gate.name not in text_of(client.get(at(f"{name}_changelist")))


def test_holding_is_taken_back_and_given_with_a_reason() -> None:
    gate = make_gate()
    holding = sit(gate, 1, 1).worker.holdings.get()
    client = signed_in(gate.study)

    refused = client.post(at("hand", holding.pk, "revoke"), {"reason": " "})
    assert (refused.status_code, Holding.objects.get().value) == (400, 1)
    client.post(at("hand", holding.pk, "revoke"), {"reason": "Answers were\ncopied."})

    held = Holding.objects.get()
    assert (held.value, held.reason) == (0, "Answers were copied.")
    page = text_of(client.get(at("holding_change", holding.pk)))
    assert "Answers were copied." in page
    client.post(at("hand", holding.pk, "give"), {"reason": "A mistake of ours."})
    assert Holding.objects.get().value == 1
    assert AuditEvent.objects.filter(kind__startswith="qualification.").count() == 2


def test_gate_is_given_to_a_list_of_pseudonyms_after_a_look() -> None:
    gate = make_gate()
    held = sit(gate, 1, 1).worker
    others = [make_candidate(gate, status="approved").worker for _ in range(2)]
    client = signed_in(gate.study)
    names = f"{others[0]}, {others[1]}\n{held} nobody"
    sent = {"pseudonyms": names, "reason": "They have worked with us before."}

    look = text_of(client.post(at("give", gate.pk), sent))
    assert Holding.objects.filter(value=1).count() == 1
    client.post(at("give", gate.pk), {**sent, "confirmed": "yes"})

    assert "2 workers</strong> get it" in look
    assert "1 holds it already." in look
    assert "Not found:</strong> nobody." in look
    assert "the operator's desk lists each worker with the id, which begins with A" in html.unescape(look)
    assert Holding.objects.filter(gate=gate, value=1).count() == 3


def test_gate_is_given_to_whom_one_has_invited_by_the_provider_id_and_that_is_on_record() -> None:
    gate = make_gate()
    batch = make_batch(study=gate.study)
    client = signed_in(gate.study)
    sent = {"pseudonyms": "AINVITEDPERSON", "reason": "Invited by letter."}

    look = text_of(client.post(at("give", gate.pk), sent))
    assert not Worker.objects.exists()
    client.post(at("give", gate.pk), {**sent, "confirmed": "yes"})

    assert f"AINVITEDPERSON, by the worker id at {batch.account}" in look
    worker = Worker.objects.get()
    assert (worker.account, worker.external_id) == (batch.account, "AINVITEDPERSON")
    assert worker.holdings.get(gate=gate).is_held
    assert worker.disclosures.get().reason == "Named by id: Invited by letter."


def test_id_of_somebody_who_has_worked_leads_to_a_pseudonym_only_with_the_permission() -> None:
    gate = make_gate()
    worker = make_assignment(hit=make_hit(batch=make_batch(study=gate.study))).worker
    sent = {"pseudonyms": worker.external_id, "reason": "Curious.", "confirmed": "yes"}

    refused = signed_in(gate.study).post(at("give", gate.pk), sent)
    assert not Holding.objects.exists()
    signed_in(gate.study, *KEEPER, "see_worker_id").post(at("give", gate.pk), sent)

    assert "Name them by pseudonym" in text_of(refused)
    assert Holding.objects.get().worker == worker


def test_file_of_holdings_names_pseudonyms_alone() -> None:
    gate = make_gate()
    worker = sit(gate, 1, 1).worker
    client = signed_in(gate.study, *KEEPER, "export_batch")

    page = client.get(at("holdings_file", gate.pk))
    lines = b"".join(page.streaming_content).decode().splitlines()  # type: ignore[attr-defined]

    assert len(lines) == 2
    assert lines[1].startswith(f"{gate.study},{gate.name},{worker.pseudonym},Passed,")
    assert worker.external_id not in "".join(lines)
    assert signed_in(gate.study).get(at("holdings_file", gate.pk)).status_code == 403


def test_lists_find_attempts_and_holdings_by_pseudonym_and_gate() -> None:
    gate, other = make_gate(), make_gate(name="Another gate")
    passed = sit(gate, 1, 1)
    failed = sit(gate, 0, 0)
    client = signed_in(gate.study)

    attempts = text_of(client.get(f"{at('attempt_changelist')}?gate={gate.pk}&status__exact=failed"))
    found = text_of(client.get(f"{at('holding_changelist')}?q={passed.worker}"))

    assert failed.worker.pseudonym in attempts
    assert passed.worker.pseudonym not in attempts
    assert "✗ right: 0 %, above 80 % is needed" in attempts
    assert passed.worker.pseudonym in found
    assert failed.worker.pseudonym not in found
    assert other.name not in found  # no filter offers another study's gate


def test_study_leads_to_its_gates_and_its_funnel() -> None:
    study = make_study()
    client = signed_in(study, *KEEPER, "view_study", "change_study")

    page = text_of(client.get(reverse("admin:hits_study_people", args=[study.pk])))

    assert f"{at('gate_changelist')}?study__id__exact={study.pk}" in page
    assert at("funnel", study.pk) in page


def test_empty_list_says_what_to_do() -> None:
    study = make_study()
    make_hit(batch=make_batch(study=study))

    page = text_of(signed_in(study).get(f"{at('gate_changelist')}?study__id__exact={study.pk}"))

    assert "Add a gate" in page
