"""A model's answers to the challenge set, from a file: whole, or not at all."""

from collections.abc import Iterator, Mapping
from typing import Any

from crowd.winoventi.domain.evaluation import ASKED, is_right
from crowd.winoventi.domain.prompts import prompt_id
from crowd.winoventi.models import Evaluation, ModelAnswer, Premise, Project, valid_pairs
from crowd.winoventi.services.locks import AT_ONCE
from hits.common.uploads import UploadedColumn, read_number
from hits.data.services.model_results import ModelResults, Subjects
from hits.work.services.locking import held
from scoring.models import RegisteredRival


class Prompts(Subjects):
    """The prompts of a project's valid pairs, by their names in files."""

    def __init__(self, project: Project) -> None:
        pairs = valid_pairs(project)
        self._by_id = {prompt_id(one.pk, kind): (one, kind) for one in pairs for kind in ASKED}

    def find(self, name: str) -> tuple[Premise, str]:
        if name not in self._by_id:
            raise ValueError(f"there is no prompt “{name:.40}” in the challenge set.")
        return self._by_id[name]


def _read_row(cells: Mapping[str, Any], prompts: Prompts) -> Iterator[tuple[str, ModelAnswer]]:
    premise, kind = prompts.find(cells["prompt"])
    target, incorrect = cells["p_target"], cells["p_incorrect"]
    if target is not None and incorrect is not None:
        right = is_right(target=target, incorrect=incorrect)
    else:
        right = _is_target(cells["prediction"].lower(), premise, kind)
    answer = ModelAnswer(premise=premise, kind=kind, p_target=target, p_incorrect=incorrect, is_right=right)
    yield cells["prompt"], answer


def _is_target(prediction: str, premise: Premise, kind: str) -> bool:
    """Whether the predicted word is the target. Raises ValueError if it is neither outcome."""
    words = premise.outcomes(kind)
    if prediction not in [word.lower() for word in words]:
        raise ValueError(f"give both probabilities, or as the prediction “{words[0]}” or “{words[1]}”.")
    return prediction == words[0].lower()


def _called(cells: Mapping[str, Any], key: str) -> str:
    return f"the prompt “{key}”"


def _store(evaluation: Evaluation, found: Mapping[str, ModelAnswer]) -> int:
    for answer in found.values():
        answer.evaluation = evaluation
    return len(ModelAnswer.objects.bulk_create(found.values(), batch_size=AT_ONCE))


def _taken(project: Project, name: str) -> str:
    is_taken = not name or RegisteredRival.objects.filter(name=name).exists()
    return "Give the model a name that no registered rival has." if is_taken else ""


ANSWERS = ModelResults(
    name="answers",
    of=Evaluation,
    header={"of": "project", "name": "name", "by": "added_by", "at": "added_at"},
    columns=(
        UploadedColumn(name="prompt", help="The id of a prompt."),
        UploadedColumn(
            name="p_target", help="The probability of the right word.", read=read_number, needed=False
        ),
        UploadedColumn(
            name="p_incorrect", help="The probability of the other word.", read=read_number, needed=False
        ),
        UploadedColumn(name="prediction", help="Which of the two words the model takes.", needed=False),
    ),
    held=held,
    subjects=Prompts,
    row=_read_row,
    called=_called,
    store=_store,
    rows="answers",
    taken=_taken,
)
