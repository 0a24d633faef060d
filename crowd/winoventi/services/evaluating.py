"""Models on the challenge set: registered ones are asked, others come as a file of their answers."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, BinaryIO

from django.db import transaction
from django.db.models import Exists, OuterRef

from crowd.winoventi.domain import GENERIC, KINDS
from crowd.winoventi.domain.evaluation import ALONE, ASKED, is_right
from crowd.winoventi.domain.prompts import MASK
from crowd.winoventi.models import Evaluation, ModelAnswer, Premise, Project, Way, valid_pairs
from crowd.winoventi.services.consulting import Answered, Standing, consult
from crowd.winoventi.services.filtering import question_of
from hits.common.uploads import Problems, UploadedColumn, read_number, read_uploaded
from hits.errors import InvalidItems, RuleBroken
from hits.models import User
from scoring.models import RegisteredRival, TextQuestion
from scoring.services import asking_texts

COLUMNS = (
    UploadedColumn(name="prompt"),
    UploadedColumn(name="p_target", read=read_number, needed=False),
    UploadedColumn(name="p_incorrect", read=read_number, needed=False),
    UploadedColumn(name="prediction", needed=False),
)


def start_evaluation(
    *, project: Project, rival: RegisteredRival, by: User | None, now: datetime, way: str = Way.PROPERLY
) -> Evaluation:
    """Asked again, it answers what has become valid since."""
    if rival.kind != RegisteredRival.Kind.MASKED:
        raise RuleBroken("wrong_kind", f"{rival} fills no gaps; choose a masked language model.")
    evaluation, _ = Evaluation.objects.get_or_create(
        project=project,
        name=rival.name,
        way=way,
        defaults={"rival": rival, "added_at": now, "added_by": by},
    )
    Evaluation.objects.filter(pk=evaluation.pk).update(is_open=True, problem="")
    evaluation.refresh_from_db()
    return evaluation


def evaluate_models(*, now: datetime) -> None:
    """The sweep."""
    rows = Evaluation.objects.filter(is_open=True, rival__isnull=False).order_by("pk")
    for evaluation in rows.select_related("project", "rival"):
        if evaluation.rival is not None:
            _evaluate(evaluation, evaluation.rival, now=now)


def prompt_id(premise: int, kind: str) -> str:
    """What a prompt is called in files."""
    return f"{premise}-{kind}"


def upload_evaluation(
    *, project: Project, name: str, file: BinaryIO, by: User | None, now: datetime
) -> Evaluation:
    """A CSV of `prompt` and either `p_target` and `p_incorrect`, or `prediction`; again, it is replaced.

    Nothing is kept of a file with a bad line: InvalidItems names them.
    """
    if not name.strip() or RegisteredRival.objects.filter(name=name.strip()).exists():
        raise RuleBroken("bad_name", "Give the model a name that no registered rival has.")
    answers = read_answers(file, pairs={one.pk: one for one in valid_pairs(project)})
    with transaction.atomic():
        evaluation, _ = Evaluation.objects.update_or_create(
            project=project, name=name.strip(), way="", defaults={"added_at": now, "added_by": by}
        )
        evaluation.answers.all().delete()
        for answer in answers:
            answer.evaluation = evaluation
        ModelAnswer.objects.bulk_create(answers, batch_size=500)
    return evaluation


def read_answers(file: BinaryIO, *, pairs: Mapping[int, Premise]) -> list[ModelAnswer]:
    """In the order of the file. Raises InvalidItems."""
    problems = Problems(InvalidItems)
    by_id = {prompt_id(pk, kind): (premise, kind) for pk, premise in pairs.items() for kind in ASKED}
    answers: dict[str, ModelAnswer] = {}
    for row in read_uploaded(file, columns=COLUMNS, problems=problems):
        with problems.of(row.place):
            name = row.cells["prompt"]
            answers[name] = _read_row(row.cells, by_id, name, known=answers)
    problems.refuse()
    return list(answers.values())


def _read_row(
    cells: Mapping[str, Any],
    by_id: Mapping[str, tuple[Premise, str]],
    name: str,
    *,
    known: Collection[str],
) -> ModelAnswer:
    if name not in by_id:
        raise ValueError(f"there is no prompt “{name:.40}” in the challenge set.")
    if name in known:
        raise ValueError(f"the prompt “{name}” was answered before.")
    premise, kind = by_id[name]
    target, incorrect = cells["p_target"], cells["p_incorrect"]
    if target is not None and incorrect is not None:
        right = is_right(target=target, incorrect=incorrect)
    else:
        right = _is_target(cells["prediction"].lower(), premise, kind)
    return ModelAnswer(premise=premise, kind=kind, p_target=target, p_incorrect=incorrect, is_right=right)


def _is_target(prediction: str, premise: Premise, kind: str) -> bool:
    """Where only the word is said that it takes."""
    words = words_of(premise, kind)
    if prediction not in [word.lower() for word in words]:
        raise ValueError(f"give both probabilities, or as the prediction “{words[0]}” or “{words[1]}”.")
    return prediction == words[0].lower()


def words_of(premise: Premise, kind: str) -> tuple[str, str]:
    """The target and the other one. Alone, the target is what the model is said to favor."""
    both = (premise.generic, premise.exception)
    return both if kind in (GENERIC, ALONE) else both[::-1]


def _evaluate(evaluation: Evaluation, rival: RegisteredRival, *, now: datetime) -> None:
    answered = ModelAnswer.objects.filter(evaluation=evaluation, premise=OuterRef("pk"), kind=ALONE)
    standing = consult(
        valid_pairs(evaluation.project).filter(~Exists(answered)),
        ask=lambda premise: [_question(premise, kind, way=evaluation.way) for kind in ASKED],
        take=lambda rows: _take(rows, evaluation),
        rival=rival,
        now=now,
    )
    _note(evaluation, standing)


def _question(premise: Premise, kind: str, *, way: str) -> asking_texts.NewText:
    return question_of(
        noun=premise.noun,
        generic=premise.generic,
        exception=premise.exception,
        way=way,
        premise_prompt=premise.prompt(kind, mask=MASK) if kind in KINDS else "",
    )


@transaction.atomic
def _take(rows: Sequence[Answered[Premise]], evaluation: Evaluation) -> None:
    if not rows:
        return
    ModelAnswer.objects.bulk_create(
        [
            _model_answer(evaluation, premise, kind, answer)
            for premise, answers in rows
            for kind, answer in zip(ASKED, answers, strict=True)
        ],
        ignore_conflicts=True,
    )
    Evaluation.objects.filter(pk=evaluation.pk).update(provenance=rows[-1][1][0].provenance)


def _model_answer(evaluation: Evaluation, premise: Premise, kind: str, answer: TextQuestion) -> ModelAnswer:
    generic, exception = (one["p"] for one in answer.output)
    target, incorrect = (generic, exception) if kind in (GENERIC, ALONE) else (exception, generic)
    return ModelAnswer(
        evaluation=evaluation,
        premise=premise,
        kind=kind,
        p_target=target,
        p_incorrect=incorrect,
        is_right=is_right(target=target, incorrect=incorrect),
    )


def _note(evaluation: Evaluation, standing: Standing) -> None:
    """What is known already is not written again."""
    noted = {"is_open": bool(standing.waiting), **standing.noted}
    Evaluation.objects.filter(pk=evaluation.pk).exclude(**noted).update(**noted)
