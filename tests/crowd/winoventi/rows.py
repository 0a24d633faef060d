"""Rows of the exception procedure for the tests about models; every argument has a default."""

from collections.abc import Sequence
from typing import Any

from crowd.winoventi.models import Alternative, Generic, Noun, Premise, Project, triplet_key
from crowd.winoventi.services.opening import add_nouns, open_project
from hits.models import Worker
from tests.factories import NOW, make_study, make_worker


def make_project(*nouns: str, **rules: Any) -> Project:
    project = open_project(study=make_study(), **rules)
    add_nouns(project=project, words=nouns)
    return project


def by_itself(project: Project, kind: str) -> None:
    project.steps.filter(kind=kind).update(by_itself=True)


def make_generic(project: Project, noun: str = "lemon", word: str = "sour", **changes: Any) -> Generic:
    row = project.nouns.filter(word=noun).first() or Noun.objects.create(
        project=project, number=project.nouns.count() + 1, word=noun
    )
    return Generic.objects.create(project=project, noun=row, word=word, **{"k": 1, **changes})


def make_alternative(
    project: Project, noun: str = "lemon", generic: str = "sour", word: str = "sweet", **changes: Any
) -> Alternative:
    worker: Worker = changes.pop("worker", None) or make_worker()
    made = Generic.objects.filter(project=project, noun__word=noun, word=generic).first()
    made = made or make_generic(project, noun, generic, state=Generic.State.ANSWERED, worker=worker)
    return Alternative.objects.create(
        project=project,
        generic=made,
        word=word,
        position=1,
        key=triplet_key(noun, generic, word),
        worker=worker,
        **changes,
    )


def make_pair(
    project: Project,
    noun: str = "lemon",
    words: Sequence[str] = ("sour", "sweet"),
    sentence: str = "She made a [face / smile].",
) -> Premise:
    """A valid one."""
    generic, exception = words
    inside = sentence.partition("[")[2].partition("]")[0].split("/")
    alternative = make_alternative(project, noun, generic, exception, state=Alternative.State.PASSED)
    return Premise.objects.create(
        project=project,
        alternative=alternative,
        sentence=sentence,
        generic_word=inside[0].strip(),
        exception_word=inside[1].strip(),
        state=Premise.State.VALID,
        settled_at=NOW,
        worker=make_worker(),
    )
