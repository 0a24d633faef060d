"""What a batch requires of workers, for the preview before they accept."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from hits.studies.models import Batch
from qualifications import gate_words
from qualifications.models import ConsentText, Gate
from qualifications.queries.gates import active_gates, gates_opening, gates_tested_by, is_gated, tests_to_take


def conditions_of(batch: Batch) -> list[str]:
    """Sentences about what the batch requires of workers. Three queries at most."""
    if not is_gated(batch):
        return []
    gates = active_gates(batch.study_id)
    asked = gates_opening(gates, batch.task)
    places = tests_to_take(asked, account=batch.account) if asked else {}
    return [
        *_consent_asked(batch.study_id),
        *_english_asked(batch),
        *(_test_asked(gate, places.get(gate.pk)) for gate in asked),
        *(said for gate in gates_tested_by(gates, batch.task) for said in _of_a_test(gate)),
        *gate_words.requirements_in_words(batch.requirements),
    ]


def _consent_asked(study_id: int) -> list[str]:
    published = ConsentText.objects.filter(study=study_id, published_at__isnull=False)
    latest = published.order_by("-version").only("asks_demographics").first()
    if latest is None:
        return []
    said = [_("Before your first task you are asked to read and to agree to what the study does.")]
    if latest.asks_demographics:
        said.append(_("Once, you are asked some things about yourself. You need not answer any of them."))
    return said


def _english_asked(batch: Batch) -> list[str]:
    if not batch.english_speakers:
        return []
    return [_("This work is for people who speak English. You are asked once whether you do.")]


def _test_asked(gate: Gate, title: str | None) -> str:
    """Say what holds for everybody: a preview does not know who looks, and may be of somebody who passed."""
    said = _("This work is for people who have passed “%(test)s”. If you have, accept. If you have not:")
    return f"{said % {'test': gate.name}} {gate_words.where_to_test(gate, title)}"


def _of_a_test(gate: Gate) -> list[str]:
    said = [_("This is a test. Passing it opens more work to you.")]
    if gate.grading == Gate.Grading.PERSON:
        said.append(_("A person grades what you submit."))
    else:
        said += [_("To pass: %(bound)s.") % {"bound": one} for one in gate_words.bounds_in_words(gate.bounds)]
    if gate.retest_after_days is None:
        said.append(_("Each person has one attempt."))
    else:
        again = ngettext(
            "If you do not pass, you may try again after %(days)d day.",
            "If you do not pass, you may try again after %(days)d days.",
            gate.retest_after_days,
        )
        said.append(again % {"days": gate.retest_after_days})
    return said
