"""Questions that a model answered without seeing the image leave the data: they need no picture."""

from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import islice

from django.db.models import Q, QuerySet

from crowd.benchmarks.models import Result
from crowd.whoops.images.services.locks import AT_ONCE
from crowd.whoops.images.services.withdrawal import follow_questions
from crowd.whoops.judge.services.question_files import WRONG
from crowd.whoops.models import Project
from crowd.whoops.models.judged_items import Question
from hits.core.errors import RuleBroken
from hits.work.services.locking import held
from scoring.models import RegisteredRival

# The key of the benchmark of questions, and the measures of which one says that an answer is right.
TASK = "questions"
IS_RIGHT = Q(scores__exact_match="1") | Q(scores__learned_match="1")


def blind_results(project: Project) -> QuerySet[Result]:
    """Return results of models that may have seen no image: language models, and what was uploaded."""
    done = Result.objects.filter(
        benchmark__release__study=project.study_id,
        benchmark__release__family="whoops",
        benchmark__task=TASK,
        status=Result.Status.DONE,
        to_match=False,
    )
    blind = Q(rival__kind=RegisteredRival.Kind.CAUSAL) | Q(source=Result.Source.UPLOADED)
    return done.filter(blind).select_related("benchmark__release").order_by("-pk")


def count_answered(project: Project, result: Result) -> int:
    """Return how many questions that still count the model has answered rightly."""
    return sum(
        _standing(project, keys).filter(options__label=True).count() for keys in _answered_keys(result)
    )


def withdraw_answered(*, project: Project, result: Result, now: datetime) -> int:
    """Withdraw them, with the answers to them that are wrong on purpose; return how many questions it was.

    Raises RuleBroken if there is none.
    """
    with held(project) as locked:
        count = count_answered(locked, result)
        if not count:
            raise RuleBroken("nothing_answered", f"{result} answers no question that still counts.")
        for keys in _answered_keys(result):
            gone = list(
                _standing(locked, [*keys, *(f"{key}{WRONG}" for key in keys)]).values_list("pk", flat=True)
            )
            Question.objects.filter(pk__in=gone).update(withdrawn_at=now)
            follow_questions(gone, now=now)
    return count


def _answered_keys(result: Result) -> Iterator[Collection[str]]:
    keys = result.items.filter(IS_RIGHT).order_by("pk").values_list("item", flat=True).iterator()
    while some := list(islice(keys, AT_ONCE // 2)):
        yield some


def _standing(project: Project, keys: Collection[str]) -> QuerySet[Question]:
    return Question.objects.filter(
        project=project, kind=Question.Kind.VERIFY, key__in=keys, withdrawn_at=None
    )
