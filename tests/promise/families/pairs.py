"""The exception procedure's last steps: whether a pair is fair, and how people complete it."""

from collections.abc import Iterator, Mapping

from crowd.winoventi import domain
from crowd.winoventi.models import Alternative, Choice, Judgement, Premise, Prompt
from crowd.winoventi.procedure.services.step_items import advance_steps
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from tests.factories import NOW, make_worker
from tests.promise.families.exceptions import CHOOSERS, VALIDATORS, make_passed, project_of
from tests.promise.families.given import Ask, Given, differing, is_waiting

SENTENCE = {
    "sentence": "She made a [face / smile].",
    "generic_word": "face",
    "exception_word": "smile",
}
# A pair with so many who object to anything is not fair.
FAILS_AT = 2
OBJECTIONS = ("generic_synonym", "exception_synonym", "exception_fits_generic", "generic_fits_exception")


def ask_validations(study: Study, author: Worker) -> None:
    _make_pair(study, author)
    advance_steps(now=NOW)


def ask_choices(study: Study, author: Worker) -> None:
    """Ask for completions of a pair that was found fair elsewhere."""
    premise = _make_pair(study, author)
    for _ in range(VALIDATORS):
        worker = make_worker(account=author.account)
        Judgement.objects.create(premise=premise, worker=worker, **dict.fromkeys(OBJECTIONS, False))
    Premise.objects.filter(pk=premise.pk).update(state=Premise.State.VALID, settled_at=NOW)
    advance_steps(now=NOW)


ASKS: Mapping[str, Ask] = {domain.VALIDATE: ask_validations, domain.CHOOSE: ask_choices}


def found() -> Iterator[str]:
    yield from ("an objection" for _ in Judgement.objects.filter(assignment__isnull=False)[:1])
    yield from ("a choice" for _ in Choice.objects.all()[:1])


def disagreements(given: Given) -> Iterator[str]:
    for premise in Premise.objects.order_by("pk"):
        if premise.state != _state(premise):
            yield f"premise {premise.pk} is {premise.state}, and its judgements say {_state(premise)}"
        yield from _judgements(premise, given)
    for prompt in Prompt.objects.filter(item__isnull=False).order_by("pk"):
        yield from _choices(prompt, given)


def _state(premise: Premise) -> str:
    if not premise.is_kept or premise.alternative.state != Alternative.State.PASSED:
        return "withdrawn"
    objecting = [any(getattr(row, name) for name in OBJECTIONS) for row in premise.judgements.all()]
    if len(objecting) < VALIDATORS:
        return "waiting"
    return "failed" if sum(objecting) >= FAILS_AT else "valid"


def _judgements(premise: Premise, given: Given) -> Iterator[str]:
    """Every judgment counts once no answer is waited for, except one by the author of the sentence."""
    item = premise.item
    if item is None:
        return
    rows = premise.judgements.filter(assignment__isnull=False)
    found = [(row.worker_id, row.assignment_id, *(getattr(row, name) for name in OBJECTIONS)) for row in rows]
    said = [
        (one.worker, one.work, *(one.raw[name] == "yes" for name in OBJECTIONS))
        for one in given.get(item.pk, ())
        if one.worker != premise.worker_id
    ]
    is_ripe = premise.state == Premise.State.WAITING and not is_waiting(item)
    yield from differing(f"judgements of {premise.pk}", found, said, whole=is_ripe)
    is_asked = premise.state in Premise.WELL_FORMED
    if is_asked == bool(item.pulled_at):
        yield f"premise {premise.pk} is {premise.state}, and was pulled at {item.pulled_at}"


def _choices(prompt: Prompt, given: Given) -> Iterator[str]:
    item, premise = prompt.item, prompt.premise
    assert item
    found = [(row.worker_id, row.assignment_id, row.word, row.is_right) for row in prompt.choices.all()]
    said = [
        (one.worker, one.work, one.raw["choice"], one.raw["choice"] == _right(prompt))
        for one in given.get(item.pk, ())
        if one.worker != premise.worker_id
    ]
    is_ripe = not prompt.is_answered and not is_waiting(item)
    yield from differing(f"choices of {prompt.pk}", found, said, whole=is_ripe)
    if prompt.is_answered != (len(found) >= CHOOSERS):
        yield f"prompt {prompt.pk} has {len(found)} choices, and it is answered: {prompt.is_answered}"
    if (premise.state == Premise.State.VALID) == bool(item.pulled_at):
        yield f"prompt {prompt.pk} was pulled at {item.pulled_at}, and its pair is {premise.state}"


def _right(prompt: Prompt) -> str:
    outcomes = prompt.premise.alternative
    return outcomes.generic.word if prompt.kind == Prompt.Kind.GENERIC else outcomes.word


def _make_pair(study: Study, author: Worker) -> Premise:
    """Make a pair. Every other one is written by the author."""
    project = project_of(study)
    is_own = project.premises.count() % 2 == 1
    writer = author if is_own else make_worker(account=author.account)
    passed = make_passed(project, writer)
    Alternative.objects.filter(pk=passed.pk).update(has_premise=True)
    return Premise.objects.create(project=project, alternative=passed, worker=writer, **SENTENCE)
