"""Rows that the pages of the exception procedure ask about, and workers who open those pages."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, cast

from django.http import QueryDict

from crowd.questions.family import AskTask
from crowd.winoventi import domain
from crowd.winoventi.challenge.pages.choices import Blank
from crowd.winoventi.domain.premises import Premise as Sentence
from crowd.winoventi.exceptions.pages.exceptions import Statement
from crowd.winoventi.models import Alternative, Generic, Noun, Premise, Project, Prompt, triplet_key
from crowd.winoventi.premises.pages.premises import Triplet
from crowd.winoventi.training_test.pages.training_test import Station
from crowd.winoventi.training_test.pages.walk_files import example_walks
from crowd.winoventi.validation.pages.validations import Pair
from hits import families
from hits.core.errors import InvalidAnswer
from hits.families import Answer, TaskPage
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import lease_items
from tests.factories import NOW, make_assignment, make_batch, make_hit, make_study, make_worker

NOUNS = ("apple", "pear", "plum", "cherry")
SENTENCE = "The guests found the apple [sweet / rotten]."
EXCEPTIONS = {"makes_sense": "yes", "exception_1": "inedible", "exception_2": "", "exception_3": ""}
PREMISE = {"sentence": SENTENCE, "generic_word": "sweet", "exception_word": "rotten"}
PICKS = dict.fromkeys(
    ("generic_synonym", "exception_synonym", "exception_fits_generic", "generic_fits_exception"), "no"
)
WALK = {**EXCEPTIONS, **PREMISE, "synonym": "no", "fits": "yes"}
# A right answer to each task, for one item.
RIGHT: Mapping[str, Mapping[str, str]] = {
    domain.EXCEPTIONS: EXCEPTIONS,
    domain.PREMISES: PREMISE,
    domain.VALIDATE: PICKS,
    domain.CHOOSE: {"choice": "inedible"},
    domain.WALK: WALK,
}

_TRIPLET: Mapping[str, Any] = {"noun": "apple", "generic": "edible", "exception": "inedible"}
ABOUT: Mapping[str, Any] = {
    domain.EXCEPTIONS: Statement(noun="apple", generic="edible"),
    domain.PREMISES: Triplet(**_TRIPLET),
    domain.VALIDATE: Pair(**_TRIPLET, sentence=Sentence(**PREMISE)),
    domain.CHOOSE: Blank(text="The apple is ____.", target="inedible", incorrect="edible"),
    domain.WALK: Station(
        noun="apple",
        generic="edible",
        given=Pair(**_TRIPLET, sentence=Sentence(**PREMISE)),
        model_answer=WALK,
    ),
}


class Page:
    """A page that asks the same of every item, without a database."""

    def __init__(self, task: str, *, items: int = 1) -> None:
        self.family = deepcopy(cast("AskTask[Any]", families.get(task)))
        self.items = [Item(pk=number, task=task, wanted=1) for number in range(items)]
        self.name = str(self.items[0].public_id)
        self.assignment = Assignment()
        self.family.asked_by = self._asked_by  # type: ignore[method-assign]

    def _asked_by(self, items: Sequence[Item]) -> Mapping[int, Any]:
        return {item.pk: ABOUT[item.task] for item in items}

    def shown(self) -> TaskPage:
        return self.family.work_page(assignment=self.assignment, items=self.items)

    def read(self, form: QueryDict) -> Answer:
        return self.family.read_answer(form=form, assignment=self.assignment, items=self.items)

    def check(self, answer: Any) -> Answer:
        return self.family.check_answer(answer=answer, items=self.items)

    def again(self, form: QueryDict, problem: InvalidAnswer) -> TaskPage | None:
        return self.family.page_again(
            form=form, assignment=self.assignment, items=self.items, problem=problem
        )


def make_generic(
    project: Project, *, noun: str = "apple", word: str = "edible", posts: bool = False
) -> Generic:
    row = Noun.objects.create(project=project, number=project.nouns.count() + 1, word=noun)
    item = _item(project, domain.EXCEPTIONS) if posts else None
    state = Generic.State.POSTED if posts else Generic.State.FOUND
    return Generic.objects.create(project=project, noun=row, word=word, k=1, rank=1, item=item, state=state)


def make_alternative(
    project: Project, *, word: str = "inedible", posts: bool = False, **of: Any
) -> Alternative:
    generic = make_generic(project, **of)
    return Alternative.objects.create(
        project=project,
        generic=generic,
        word=word,
        position=1,
        key=triplet_key(generic.noun.word, generic.word, word),
        state=Alternative.State.PASSED,
        worker=make_worker(),
        item=_item(project, domain.PREMISES) if posts else None,
    )


def make_premise(
    project: Project, *, posts: bool = False, sentence: Mapping[str, str] = PREMISE, **of: Any
) -> Premise:
    return Premise.objects.create(
        project=project,
        alternative=make_alternative(project, **of),
        worker=make_worker(),
        item=_item(project, domain.VALIDATE) if posts else None,
        **sentence,
    )


def make_prompt(project: Project, *, kind: str = domain.EXCEPTION, **of: Any) -> Prompt:
    return Prompt.objects.create(
        premise=make_premise(project, **of), kind=kind, item=_item(project, domain.CHOOSE)
    )


def ask(project: Project, task: str, *, noun: str = "apple") -> Item:
    """Make one item of the task, about this noun."""
    if task == domain.EXCEPTIONS:
        row: Generic | Alternative | Premise | Prompt = make_generic(project, noun=noun, posts=True)
    elif task == domain.PREMISES:
        row = make_alternative(project, noun=noun, posts=True)
    elif task == domain.VALIDATE:
        row = make_premise(project, noun=noun, posts=True)
    else:
        row = make_prompt(project, noun=noun)
    assert row.item
    return row.item


def make_project(study: Study | None = None) -> Project:
    return Project.objects.create(study=study or make_study())


def open_batch(task: str, *, project: Project | None = None, items: int = 1, **changes: Any) -> Batch:
    """A running batch with something to ask: the walk has items of its own, other tasks the study's pool."""
    project = project or make_project()
    batch = make_batch(
        study=project.study,
        task=task,
        status="open",
        items_per_assignment=items,
        items_from=Batch.ItemsFrom.FILE if task == domain.WALK else Batch.ItemsFrom.POOL,
        **changes,
    )
    if task == domain.WALK:
        family: Any = families.get(task)
        family.add_items(family.read_items(example_walks().encode())[:1], batch=batch)
    else:
        for noun in NOUNS[:items]:
            ask(project, task, noun=noun)
    return batch


def begin(batch: Batch) -> tuple[Assignment, list[Item]]:
    """Let a new worker open a HIT of the batch and lease what it offers."""
    assignment = make_assignment(hit=make_hit(batch=batch), worker=make_worker(account=batch.account))
    return assignment, lease_items(assignment=assignment, now=NOW)


def form_of(items: Sequence[Item], texts: Mapping[str, str]) -> QueryDict:
    """Form that a browser sends when every question of a page is answered alike."""
    form = QueryDict(mutable=True)
    for item in items:
        form.update({f"{item.public_id}-{entry}": text for entry, text in texts.items()})
    return form


def work_page(assignment: Assignment, items: Sequence[Item]) -> TaskPage:
    family = families.get(assignment.hit.batch.task)
    return family.work_page(assignment=assignment, items=items)


def _item(project: Project, task: str) -> Item:
    return Item.objects.create(study=project.study, task=task, wanted=1)
