"""The consent in force and the tests that a batch requires, in words, for the page before its launch."""

from collections.abc import Iterator, Sequence

from django.urls import reverse

from hits.admin.batches.launch_facts import LaunchFact, announce
from hits.studies.models import Batch
from qualifications.admin import consent, finding_gates
from qualifications.models import ConsentText, Gate, Holding
from qualifications.queries import gate_words
from qualifications.queries.consents import published_text
from qualifications.queries.gates import active_gates, gates_opening, gates_tested_by, is_gated, tests_to_take

NOTHING_AGREED = "this study has no published text, and workers begin without agreeing to one."


def tell_before_work(batch: Batch) -> Iterator[LaunchFact]:
    """Yield what a worker meets before the work; nothing where neither consent nor gates apply."""
    if is_gated(batch):
        text = published_text(batch.study)
        yield LaunchFact(
            name="Consent",
            sentences=list(_consent(text)) if text else [f"None: {NOTHING_AGREED}"],
            address=reverse("admin:qualifications_consent", args=[batch.study_id]),
            permission=consent.VIEW,
            warnings=[] if text else [f"There is no consent: {NOTHING_AGREED}"],
        )
        active = active_gates(batch.study_id)
        required, tested = gates_opening(active, batch.task), gates_tested_by(active, batch.task)
        open_now = tests_to_take(required, account=batch.account) if required else {}
        yield LaunchFact(
            name="Tests",
            sentences=list(_tests(required, tested, open_now)),
            address=f"{reverse('admin:qualifications_gate_changelist')}?study__id__exact={batch.study_id}",
            permission=finding_gates.VIEW,
            warnings=list(_passed_by_nobody(required, open_now, batch=batch)),
        )


def _consent(text: ConsentText) -> Iterator[str]:
    day = f"{text.published_at:%d %B %Y}".lstrip("0")
    yield f"Version {text.version}, “{text.title}”, in force since {day}. Workers agree to it first."
    if text.asks_demographics:
        yield "They are also asked about themselves, once, and may leave out every question."


def _tests(required: Sequence[Gate], tested: Sequence[Gate], open_now: dict[int, str]) -> Iterator[str]:
    for gate in required:
        yield f"Required: “{gate.name}”, passed {gate_words.passed_in_words(gate)}. {_where(gate, open_now)}"
    for gate in tested:
        opens = gate_words.opens_in_words(gate)
        passed = gate_words.passed_in_words(gate)
        yield f"This batch is itself the test “{gate.name}”, passed {passed}. It opens: {opens}."
    if not required and not tested:
        yield "None: no test keeps anybody from this work."


def _passed_by_nobody(required: Sequence[Gate], open_now: dict[int, str], *, batch: Batch) -> Iterator[str]:
    if not required:
        return
    held = Holding.objects.filter(
        gate__in=required, worker__account=batch.account_id, value=Holding.Value.PASSED
    )
    passed = set(held.values_list("gate", flat=True))
    for gate in required:
        if gate.pk not in passed:
            yield f"Nobody has passed “{gate.name}” yet, and this work asks for it. {_where(gate, open_now)}"


def _where(gate: Gate, open_now: dict[int, str]) -> str:
    if gate.grading == Gate.Grading.PROVIDER:
        return "The provider offers it."
    if title := open_now.get(gate.pk):
        return f"It can be taken in “{title}”."
    return "No batch with this test is open on the account: whoever has not passed it yet cannot begin."


announce(tell_before_work)
