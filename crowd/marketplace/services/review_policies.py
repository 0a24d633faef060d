"""Review policies: known answers at submission, plurality when a HIT becomes reviewable.

Lock order as everywhere: the HIT is locked by the caller.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from crowd.marketplace import agreement, domain
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import APIError, ParameterValidationError, out_of_range
from crowd.marketplace.models import HIT, Assignment, PolicyOutcome
from crowd.marketplace.questions import read_answers
from crowd.marketplace.services import hit_creation, money, reviewing

KNOWN_ANSWERS = "ScoreMyKnownAnswers/2011-09-01"
PLURALITY = "SimplePlurality/2011-09-01"
SHORTEST_EXTENSION_S = 3600
LONGEST_EXTENSION_S = 31_536_000
LONGEST_QUESTION = 128
Level = PolicyOutcome.Level
# No policy finds this: it is why an operator took the HIT down, and stays whatever a policy finds.
TAKEN_DOWN_BECAUSE = "TakenDownBecause"
Status = Assignment.Status
Parameters = Mapping[str, Any]  # a list of values, or for AnswerKey a mapping of lists


def check_policy(policy: Mapping[str, Any], *, level: Level) -> None:
    """Raise ParameterValidationError for the first thing that is missing or wrong in the policy."""
    wanted = KNOWN_ANSWERS if level == Level.ASSIGNMENT else PLURALITY
    if policy["PolicyName"] != wanted:
        raise _invalid(f"The {level} review policy must be {wanted}.")
    parameters = read_parameters(policy)
    needed = ["AnswerKey"] if level == Level.ASSIGNMENT else ["QuestionIds", "QuestionAgreementThreshold"]
    extends = next((name for name in parameters if name.startswith("ExtendIf")), None)
    if extends:
        needed += ["ExtendMaximumAssignments", "ExtendMinimumTimeInSeconds"]
    for name in needed:
        if not parameters.get(name):
            raise _invalid(f"{wanted} needs the parameter {name}.")
    for name, values in parameters.items():
        if isinstance(values, Mapping) != (name == "AnswerKey"):
            raise _invalid(f"{name} takes {'MapEntries' if name == 'AnswerKey' else 'Values'}.")
        if name not in ("AnswerKey", "QuestionIds") and not name.endswith("Reason"):
            _number(parameters, name)
    if extends:
        _check_range(parameters, "ExtendMinimumTimeInSeconds", SHORTEST_EXTENSION_S, LONGEST_EXTENSION_S)
        _check_range(parameters, "ExtendMaximumAssignments", 1, hit_creation.MOST_ASSIGNMENTS)
    _check_texts(parameters)


def _check_range(parameters: Parameters, name: str, low: int, high: int) -> None:
    if not low <= (_number(parameters, name) or 0) <= high:
        raise out_of_range(name, low=low, high=high)


def _check_texts(parameters: Parameters) -> None:
    """Check that texts which the policy writes later, when no caller waits for errors, fit their columns."""
    for name in ("ApproveReason", "RejectReason"):
        if not reviewing.is_feedback(_text(parameters, name)):
            raise _invalid(f"{name}: {reviewing.FEEDBACK_RULE}")
    for question in (*parameters.get("AnswerKey", ()), *_questions(parameters)):
        if len(question) > LONGEST_QUESTION:
            raise _invalid(f"A question's id may have {LONGEST_QUESTION} characters at most.")


def read_parameters(policy: Mapping[str, Any]) -> Parameters:
    return {
        parameter["Key"]: {
            entry["Key"]: entry.get("Values") or [] for entry in parameter["MapEntries"] if entry.get("Key")
        }
        if parameter.get("MapEntries")
        else parameter.get("Values") or []
        for parameter in policy.get("Parameters") or []
        if parameter.get("Key")
    }


def judge_submission(*, hit: HIT, assignment_id: int, now: datetime) -> None:
    """Score the known answers of work just submitted, and act as the policy says."""
    if hit.assignment_review_policy is None:
        return
    assignment = Assignment.objects.get(pk=assignment_id)
    parameters = read_parameters(hit.assignment_review_policy)
    key = {question: _values(values) for question, values in parameters["AnswerKey"].items()}
    correct = agreement.known_answers(key=key, given=read_answers(assignment.answer))
    score = agreement.percent(sum(correct.values()), len(correct))
    report = _Report(hit, Level.ASSIGNMENT, now)
    for question, is_right in correct.items():
        report.result(assignment.external_id, "KnownAnswerCorrect", int(is_right), question=question)
    report.result(assignment.external_id, "KnownAnswerScore", score)
    report.review(assignment, score, parameters, measure="KnownAnswerScore")
    report.extend(score, parameters, condition="ExtendIfKnownAnswerScoreIsLessThan")


def judge_hit(*, hit: HIT, now: datetime) -> None:
    """Find the answers that the workers agree on, and act as the policy says."""
    if hit.hit_review_policy is None:
        return
    parameters = read_parameters(hit.hit_review_policy)
    counted = _counted(hit, parameters)
    found = agreement.find_agreement(
        questions=_questions(parameters),
        given={row.external_id: read_answers(row.answer) for row in counted},
        threshold=_number(parameters, "QuestionAgreementThreshold") or 0,
    )
    # A HIT that was opened again may have results already: the newest ones count. Actions are kept.
    found_before = PolicyOutcome.objects.filter(hit=hit, level=Level.HIT, is_action=False)
    found_before.exclude(key=TAKEN_DOWN_BECAUSE).delete()
    money.lock_parties(requester_id=hit.requester_id, worker_ids=[row.worker_id for row in counted])
    report = _Report(hit, Level.HIT, now)
    for question, score in found.question_scores.items():
        report.result(hit.external_id, "QuestionAgreementScore", score, question=question)
    for question, answer in found.agreed.items():
        report.result(hit.external_id, "AgreedAnswer", "|".join(sorted(answer)), question=question)
    report.result(hit.external_id, "HITAgreementScore", found.hit_score)
    for row in counted:
        score = found.worker_scores[row.external_id]
        report.result(row.external_id, "WorkerAgreementScore", score)
        report.review(row, score, parameters, measure="WorkerAgreementScore")
    report.extend(found.hit_score, parameters, condition="ExtendIfHITAgreementScoreIsLessThan")


class _Report:
    """Records what a policy found and did."""

    def __init__(self, hit: HIT, level: Level, now: datetime) -> None:
        self._hit, self._level, self._now = hit, level, now

    def result(self, subject: str, key: str, value: object, *, question: str = "") -> None:
        self._write(subject, key, str(value), question=question)

    def review(self, row: Assignment, score: int, parameters: Parameters, *, measure: str) -> None:
        """Approve or reject by the policy's thresholds; work already reviewed stays as it is."""
        if row.status != Status.SUBMITTED:
            return
        approve = _number(parameters, f"ApproveIf{measure}IsAtLeast")
        reject = _number(parameters, f"RejectIf{measure}IsLessThan")
        if approve is not None and score >= approve:
            feedback = _text(parameters, "ApproveReason")
            reviewing.approve_assignment(assignment=row, feedback=feedback, override=False, now=self._now)
            self._write(row.external_id, "approve", "Succeeded", is_action=True, note=feedback)
        elif reject is not None and score < reject:
            feedback = _text(parameters, "RejectReason")
            reviewing.reject_assignment(assignment=row, feedback=feedback, now=self._now)
            self._write(row.external_id, "reject", "Succeeded", is_action=True, note=feedback)

    def extend(self, score: int, parameters: Parameters, *, condition: str) -> None:
        """Add one assignment, up to the policy's most; a refusal is recorded instead."""
        least = _number(parameters, condition)
        if least is None or score >= least:
            return
        hit = hit_creation.lock_hit(self._hit.pk)
        if hit.max_assignments >= (_number(parameters, "ExtendMaximumAssignments") or 0):
            return
        longer = timedelta(seconds=_number(parameters, "ExtendMinimumTimeInSeconds") or 0)
        try:
            with atomic():  # the place goes back with the refusal
                hit_creation.add_assignments(
                    hit=hit, more=1, now=self._now, at_least_until=self._now + longer
                )
        except APIError as refusal:
            self._write(hit.external_id, "extend", "Failed", is_action=True, note=refusal.message)
        else:
            self._write(hit.external_id, "extend", "Succeeded", is_action=True)

    def _write(
        self,
        subject: str,
        key: str,
        value: str,
        *,
        question: str = "",
        is_action: bool = False,
        note: str = "",
    ) -> None:
        PolicyOutcome.objects.create(
            hit=self._hit,
            level=self._level,
            is_action=is_action,
            external_id=domain.new_id(),
            subject_id=subject,
            subject_type="HIT" if subject == self._hit.external_id else "Assignment",
            question=question,
            key=key,
            value=value,
            note=note,
            created_at=self._now,
        )


def _counted(hit: HIT, parameters: Parameters) -> list[Assignment]:
    """The assignments whose answers take part."""
    rows = Assignment.objects.filter(hit=hit, status__in=(Status.SUBMITTED, Status.APPROVED, Status.REJECTED))
    if _flag(parameters, "DisregardAssignmentIfRejected"):
        rows = rows.exclude(status=Status.REJECTED)
    least = _number(parameters, "DisregardAssignmentIfKnownAnswerScoreIsLessThan")
    if least is not None:
        scores = PolicyOutcome.objects.filter(hit=hit, level=Level.ASSIGNMENT, key="KnownAnswerScore")
        bad = [subject for subject, value in scores.values_list("subject_id", "value") if int(value) < least]
        rows = rows.exclude(external_id__in=bad)
    return list(rows.order_by("pk"))


def _questions(parameters: Parameters) -> list[str]:
    """The question ids, given as one text with commas, or as several values."""
    return [
        name.strip()
        for value in parameters.get("QuestionIds", ())
        for name in value.split(",")
        if name.strip()
    ]


def _values(values: Iterable[str]) -> frozenset[str]:
    return frozenset(value.strip() for value in values if value.strip())


def _number(parameters: Parameters, name: str) -> int | None:
    text = _text(parameters, name).strip()
    if not text or name.startswith("DisregardAssignmentIfRejected"):
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise _invalid(f"{name} must be a whole number; it is {text!r}.")
    return int(text)


def _flag(parameters: Parameters, name: str) -> bool:
    return _text(parameters, name).lower() in ("t", "true", "1")


def _text(parameters: Parameters, name: str) -> str:
    values = parameters.get(name) or [""]
    return str(values[0])


def _invalid(message: str) -> ParameterValidationError:
    return ParameterValidationError(message, code="InvalidParameterValue")
