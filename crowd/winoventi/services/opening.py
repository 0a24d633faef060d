"""A project, its steps and its nouns."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Max

from crowd.questions.domain import is_unfit, trim
from crowd.winoventi.models import Noun, Project, Step
from hits.errors import InvalidItems
from hits.models import Study

LONGEST_NOUN = Noun._meta.get_field("word").max_length or 0


def open_project(*, study: Study, **rules: Any) -> Project:
    """The study's one, or a new one with all its steps."""
    with transaction.atomic():
        project, _ = Project.objects.get_or_create(study=study, defaults=rules)
        known = set(project.steps.values_list("kind", flat=True))
        Step.objects.bulk_create(
            (Step(project=project, kind=kind) for kind in Step.Kind.values if kind not in known),
            ignore_conflicts=True,
        )
    return project


def add_nouns(*, project: Project, words: Iterable[str]) -> int:
    """A row each, in their order, behind those that are there. Raises InvalidItems with the bad lines."""
    rows = [(line, trim(word)) for line, word in enumerate(words, start=1)]
    problems = [
        f"Line {line}: a noun has at most {LONGEST_NOUN} letters."
        for line, word in rows
        if len(word) > LONGEST_NOUN
    ]
    problems += [
        f"Line {line}: there is a character in it that cannot be kept."
        for line, word in rows
        if is_unfit(word)
    ]
    if problems:
        raise InvalidItems(problems)
    nouns = [word for _, word in rows if word]
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=project.pk)
        last = project.nouns.aggregate(last=Max("number"))["last"] or 0
        Noun.objects.bulk_create(
            Noun(project=project, number=number, word=word)
            for number, word in enumerate(nouns, start=last + 1)
        )
    return len(nouns)
