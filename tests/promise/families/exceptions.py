"""The exception procedure: what is typed, and what the first steps make of it."""

from collections.abc import Iterator, Mapping
from itertools import count

from crowd.winoventi import domain
from crowd.winoventi.models import Alternative, FilterScore, Generic, Premise, Project
from crowd.winoventi.procedure.services.project_rules import pass_alternatives
from crowd.winoventi.procedure.services.projects import open_project
from crowd.winoventi.procedure.services.step_items import advance_steps
from hits.identity.models.workers import Worker
from hits.studies.models import Study
from tests.crowd.winoventi.rows import make_alternative, make_generic
from tests.factories import NOW
from tests.promise.families.given import Ask, Given, Said, differing, is_waiting

VALIDATORS, CHOOSERS = 3, 2
_numbers = count(1)


def ask_exceptions(study: Study, author: Worker) -> None:
    make_generic(project_of(study), noun=f"noun{next(_numbers)}", rank=1)
    advance_steps(now=NOW)


def ask_premises(study: Study, author: Worker) -> None:
    """Ask about one more exception, and all that people have given: the model lets each of them pass."""
    make_passed(project_of(study), author)
    advance_steps(now=NOW)


ASKS: Mapping[str, Ask] = {
    domain.EXCEPTIONS: ask_exceptions,
    domain.PREMISES: ask_premises,
}


def project_of(study: Study) -> Project:
    rules = {"answers_wanted": VALIDATORS, "choices_wanted": CHOOSERS}
    project = Project.objects.filter(study=study).first() or open_project(study=study, **rules)
    project.steps.update(by_itself=True)
    return project


def make_passed(project: Project, author: Worker) -> Alternative:
    made = make_alternative(project, f"noun{next(_numbers)}", worker=author)
    for one in Alternative.objects.filter(project=project, scores=None):
        FilterScore.objects.create(
            alternative=one, way=project.way, p_generic=0.5, p_exception=0.1, passes=True, scored_at=NOW
        )
    pass_alternatives(now=NOW)
    made.refresh_from_db()
    return made


def found() -> Iterator[str]:
    yield from ("an exception" for _ in Alternative.objects.filter(assignment__isnull=False)[:1])
    yield from ("a premise" for _ in Premise.objects.filter(assignment__isnull=False)[:1])


def disagreements(given: Given) -> Iterator[str]:
    for generic in Generic.objects.filter(item__isnull=False).order_by("pk"):
        yield from _exceptions(generic, given)
    for one in Alternative.objects.filter(item__isnull=False).order_by("pk"):
        yield from _premises(one, given)


def _exceptions(one: Generic, given: Given) -> Iterator[str]:
    """Differences of a generic: it takes one of its answers, and has the exceptions that it names."""
    assert one.item
    answers = given.get(one.item.pk, [])
    counted = next((said for said in answers if (said.worker, said.work) == _by(one)), None)
    if one.worker_id is not None and counted is None:
        yield f"generic {one.pk} is answered by {one.worker_id}, whose answer does not count"
    if one.worker_id is None and answers and not is_waiting(one.item):
        yield f"generic {one.pk} has no answer, and {len(answers)} are there"
    if one.state != _sense(counted):
        yield f"generic {one.pk} is {one.state}, and the answer says {_sense(counted)}"
    words = one.alternatives.exclude(state=Alternative.State.WITHDRAWN)
    typed = _words(counted) if counted else set()
    said = [(word, *_by(one)) for word in typed]
    yield from differing(
        f"exceptions of {one.pk}", [(row.word, *_by(row)) for row in words], said, whole=True
    )


def _premises(one: Alternative, given: Given) -> Iterator[str]:
    """Differences of a triplet: it keeps one of its answers, with the sentence that was typed."""
    assert one.item
    answers = given.get(one.item.pk, [])
    kept = [(*_by(row), row.sentence) for row in one.premises.filter(is_kept=True)]
    said = [(answer.worker, answer.work, answer.raw["sentence"]) for answer in answers]
    yield from differing(f"premises of {one.pk}", kept, said, whole=False)
    if len(kept) > 1 or one.has_premise != bool(kept):
        yield f"triplet {one.pk} has the premises {kept}, and it says {one.has_premise}"
    is_passed = one.state == Alternative.State.PASSED
    if said and not kept and is_passed and not is_waiting(one.item):
        yield f"triplet {one.pk} has no premise, and {len(said)} are there"
    if is_passed == bool(one.item.pulled_at):
        yield f"triplet {one.pk} is {one.state}, and was pulled at {one.item.pulled_at}"


def _by(row: Generic | Alternative | Premise) -> tuple[int | None, int | None]:
    return row.worker_id, row.assignment_id


def _sense(said: Said | None) -> str:
    if said is None:
        return "posted"
    return "answered" if said.raw["makes_sense"] == "yes" else "nonsense"


def _words(said: Said) -> set[str]:
    typed = {said.raw[f"exception_{number}"] for number in (1, 2, 3)}
    return {word for word in typed if word} if _sense(said) == "answered" else set()
