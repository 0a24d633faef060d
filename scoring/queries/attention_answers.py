"""Answers to attention items, each compared with what is known of its item."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from hits.families import ServedWork, StatesJudgments, TaskType
from hits.work.models.known_answers import KnownAnswer
from hits.work.services.attention_items import choices_of
from scoring.quality.attention_shares import Attention

# A question and which of an item's things it is about, as a judgment names them.
Asked = tuple[str, str]
Key = TypeVar("Key", str, int)


@dataclass(frozen=True, kw_only=True)
class AttentionAnswer:
    """One worker's answer to one attention item. It is right if it says all that is known of the item."""

    worker: str
    item_id: int
    is_right: bool


def compare_with_known(task: TaskType, works: Sequence[ServedWork]) -> list[AttentionAnswer]:
    """Compare works, each with its attention items alone. What is no longer known is left out."""
    items = {item.pk for work in works for item in work.items}
    if not items or not isinstance(task, StatesJudgments):
        return []
    known = {row.item_id: _by_question(row) for row in KnownAnswer.objects.filter(item__in=items)}
    said: defaultdict[tuple[str, int], dict[Asked, str]] = defaultdict(dict)
    for one in task.judgments(works):
        said[one.assignment.worker.pseudonym, one.item.pk][one.question, one.about] = one.label
    return [
        AttentionAnswer(worker=worker, item_id=item, is_right=known[item].items() <= labels.items())
        for (worker, item), labels in said.items()
        if item in known and known[item].keys() & labels.keys()
    ]


def attention_by_worker(answers: Iterable[AttentionAnswer]) -> dict[str, Attention]:
    return _counted((one.worker, one.is_right) for one in answers)


def attention_by_item(answers: Iterable[AttentionAnswer]) -> dict[int, Attention]:
    return _counted((one.item_id, one.is_right) for one in answers)


def _by_question(row: KnownAnswer) -> Mapping[Asked, str]:
    return {(choice.question, choice.about): choice.label for choice in choices_of(row)}


def _counted(answers: Iterable[tuple[Key, bool]]) -> dict[Key, Attention]:
    found: defaultdict[Key, list[bool]] = defaultdict(list)
    for key, is_right in answers:
        found[key].append(is_right)
    return {key: Attention(met=len(rights), right=sum(rights)) for key, rights in found.items()}
