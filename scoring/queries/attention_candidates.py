"""Items of a study that may become attention items, and those that are some, with how people do on them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, zip_longest
from uuid import UUID

from django.db.models import Max, QuerySet

from hits.families import TaskType
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.models.known_answers import KnownAnswer
from hits.work.services.attention_items import KnownChoice, choices_of
from hits.work.services.counting_answers import works_with_attention
from scoring.quality.attention_shares import Attention
from scoring.quality.unanimous_items import UnanimousChoice, unanimous_items
from scoring.queries.attention_answers import attention_by_item, compare_with_known
from scoring.queries.judged_answers import MOST_ANSWERS, judged_crowd


@dataclass(frozen=True, kw_only=True)
class AttentionItem:
    """An attention item with its answers so far; `work_id` is a work that shows the item."""

    item: Item
    choices: Sequence[KnownChoice]
    answers: Attention
    known_at: datetime
    known_by: str
    work_id: int | None


@dataclass(frozen=True, kw_only=True)
class ItemChoices:
    """What may be known of one item: by question and thing, the labels that the study's answers have."""

    item: Item
    offered: Mapping[tuple[str, str], Sequence[str]]
    # What is known already, else what all have said.
    known: Mapping[tuple[str, str], str]


def launched(study: Study, task: TaskType) -> QuerySet[Batch]:
    return Batch.objects.filter(study=study, task=task.key).exclude(launched_at=None)


def attention_items_of(study: Study, task: TaskType) -> list[AttentionItem]:
    """Return the attention items of the study and task, those that people miss most on top."""
    rows = KnownAnswer.objects.filter(item__study=study, item__task=task.key)
    rows = rows.select_related("item", "known_by").order_by("pk")
    works = works_with_attention(launched(study, task), most=MOST_ANSWERS)
    answers = attention_by_item(compare_with_known(task, works))
    shown = _works_of([row.item_id for row in rows])
    found = [
        AttentionItem(
            item=row.item,
            choices=choices_of(row),
            answers=answers.get(row.item_id, Attention(met=0, right=0)),
            known_at=row.known_at,
            known_by=str(row.known_by or ""),
            work_id=shown.get(row.item_id),
        )
        for row in rows
    ]
    return sorted(found, key=lambda one: (one.answers.right + 1) / (one.answers.met + 1))


def candidates(
    study: Study, task: TaskType, *, least: int, most: int
) -> dict[int, Sequence[UnanimousChoice]]:
    """Return items whose answers are all in and that at least so many have answered alike, by key.

    They come in turn by what was answered, so that no answer is known of most of them only because it is true
    of most items.
    """
    fit = Item.objects.filter(
        study=study, task=task.key, wanted=0, answers_needed__gt=0, pulled_at=None, known_answer=None
    )
    keys = {str(public_id): key for public_id, key in fit.order_by("pk").values_list("public_id", "pk")}
    found = unanimous_items(judged_crowd(task, launched(study, task)).questions, least=least)
    alike: defaultdict[object, list[int]] = defaultdict(list)
    for name in sorted(found.keys() & keys.keys(), key=keys.__getitem__):
        alike[tuple((one.question, one.about, one.label) for one in found[name])].append(keys[name])
    in_turn = [key for key in chain(*zip_longest(*alike.values())) if key is not None]
    chosen = set(in_turn[:most])
    return {keys[name]: choices for name, choices in found.items() if keys.get(name) in chosen}


def choices_about(study: Study, task: TaskType, public_id: UUID) -> ItemChoices | None:
    """Return what may be known of this item; None if there is none, or nobody has answered it."""
    item = Item.objects.filter(study=study, task=task.key, public_id=public_id).first()
    questions = judged_crowd(task, launched(study, task)).questions
    offered = {
        (name, thing.about): [str(answer) for answer in labels.answers]
        for name, labels in questions.items()
        for thing in labels.items
        if thing.item == str(public_id)
    }
    if item is None or not offered:
        return None
    row = KnownAnswer.objects.filter(item=item).first()
    said = unanimous_items(questions, least=1).get(str(public_id), [])
    known = choices_of(row) if row else said
    return ItemChoices(
        item=item,
        offered=offered,
        known={(one.question, one.about): one.label for one in known},
    )


def _works_of(items: Sequence[int]) -> dict[int, int]:
    """Return the latest work that shows each item."""
    rows = Assignment.objects.filter(leases__item__in=items).exclude(submitted_at=None)
    found = rows.order_by().values("leases__item").annotate(work=Max("pk"))
    return {row["leases__item"]: row["work"] for row in found if row["leases__item"] in set(items)}
