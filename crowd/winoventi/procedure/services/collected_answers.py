"""Submitted answers become alternatives, premises, judgements and choices; withdrawn ones leave."""

from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from crowd.winoventi import domain
from crowd.winoventi.challenge.services.choices import count_choices
from crowd.winoventi.exceptions.services.exceptions import count_exceptions
from crowd.winoventi.models import Alternative, Generic, Premise, Project, Prompt
from crowd.winoventi.premises.services.premises import count_premises
from crowd.winoventi.services.locks import (
    items_of_alternatives,
    items_of_generics,
    items_of_premises,
    items_of_prompts,
)
from crowd.winoventi.validation.services.validations import count_judgements
from hits.work.services.answer_collection import Collect, collect_answers, count_all
from hits.work.services.counting_answers import on_their_way


def take_answers(*, now: datetime) -> int:
    """Take the answers of all projects, and return how many rows were counted, or counted again."""
    return collect_answers(STEPS, now=now)


def rebuild(*, project: Project, now: datetime) -> None:
    """Read raw answers again, and everything that follows from them, whatever was made of them before."""
    count_all(STEPS, owner=project, now=now)


def _ripe(asked: QuerySet[Any]) -> QuerySet[Any]:
    """Rows whose needed answers are all in and count: no place is free, and no answer is still on its way."""
    waiting = Exists(on_their_way().filter(item=OuterRef("item")))
    return asked.filter(~waiting, item__wanted=0)


STEPS = (
    Collect(
        tasks=[domain.EXCEPTIONS],
        owners=Project,
        rows=Generic.objects.select_related("noun"),
        ripe=[_ripe(Generic.objects.filter(state=Generic.State.POSTED))],
        items=items_of_generics,
        count=count_exceptions,
    ),
    Collect(
        tasks=[domain.PREMISES],
        owners=Project,
        rows=Alternative.objects.select_related("generic"),
        ripe=[_ripe(Alternative.objects.filter(state=Alternative.State.PASSED, has_premise=False))],
        items=items_of_alternatives,
        count=count_premises,
    ),
    Collect(
        tasks=[domain.VALIDATE],
        owners=Project,
        rows=Premise.objects.all(),
        ripe=[_ripe(Premise.objects.filter(state=Premise.State.WAITING))],
        items=items_of_premises,
        count=count_judgements,
    ),
    Collect(
        tasks=[domain.CHOOSE],
        owners=Project,
        owner="premise__project",
        rows=Prompt.objects.select_related("premise__alternative__generic"),
        ripe=[_ripe(Prompt.objects.filter(is_answered=False))],
        items=items_of_prompts,
        count=count_choices,
    ),
)
