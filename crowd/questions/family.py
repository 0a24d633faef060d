"""A page of questions with the same entries each: read, checked, and shown again with what is wrong."""

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from crowd.questions.domain import YES
from crowd.questions.page_entries import YES_OR_NO, Faulty, Labels, Look, Texts, read_form, read_texts
from hits.core import crypto
from hits.core.errors import InvalidAnswer
from hits.families import Answer, Purpose, Score, ShowsAgain, TaskPage, TaskType
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

PRACTICE = "practice"
# What a question is about.
Asked = TypeVar("Asked")


class AskTask(TaskType, ShowsAgain, Generic[Asked]):
    """One question for each item."""

    heading: ClassVar[str | Promise]
    # Templates: the page, one of its questions, and how an answer is shown afterwards.
    page: ClassVar[str]
    question: ClassVar[str]
    review: ClassVar[str]
    # Of one question.
    entries: ClassVar[Sequence[str]]
    # Those of them of which several boxes may be ticked: their text is what was ticked, with spaces between.
    many: ClassVar[Collection[str]] = ()
    labels: ClassVar[Labels] = {}
    examples: ClassVar[Sequence[Mapping[str, Any]]] = ()

    @property
    @abstractmethod
    def practice(self) -> Asked:
        """An example that is in no data."""

    @abstractmethod
    def asked_by(self, items: Sequence[Item]) -> Mapping[int, Asked]:
        """By the items' keys, in as few queries as can be."""

    @abstractmethod
    def shown(self, asked: Asked, *, seed: str) -> Mapping[str, Any]:
        """What the page shows of it. `seed` differs between any two workers, and stays."""

    @abstractmethod
    def look(self, texts: Texts, asked: Asked) -> Look:
        """What is wrong with the entries of one question."""

    @abstractmethod
    def reviewed(self, asked: Asked, texts: Texts, *, assignment: Assignment) -> Mapping[str, Any]:
        """What a reader sees of it afterwards; `texts` is empty where nothing was answered."""

    def practice_page(self) -> TaskPage:
        question = self._question(self.practice, number=1, name=PRACTICE, seed=PRACTICE)
        return self._page([question])

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        return self._page(self._questions(assignment, items))

    def page_again(
        self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item], problem: InvalidAnswer
    ) -> TaskPage | None:
        if not isinstance(problem, Faulty):
            return None
        questions = self._questions(assignment, items, form=form, looks=problem.looks)
        faults = [
            {"field": fault.field if problem.is_refused else "", "words": fault.words}
            for fault in problem.told()
        ]
        return self._page(questions, again=True, faults=faults, is_refused=problem.is_refused)

    def review_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        answer: Mapping[str, Texts] = assignment.answer or {}
        asked = self.asked_by(items)
        questions = [
            self.reviewed(asked[item.pk], answer.get(str(item.public_id), {}), assignment=assignment)
            for item in _in_own_order(items, assignment)
        ]
        return TaskPage(template=self.review, context={"questions": questions})

    def read_answer(self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item]) -> Answer:
        ordered = _in_own_order(items, assignment)
        texts = {
            str(item.public_id): read_form(
                form, name=str(item.public_id), entries=self.entries, many=self.many
            )
            for item in ordered
        }
        looks = self._check(texts, items=ordered)
        if any(not _has_seen(form, name, part) for name, look in looks.items() for part in look.odd):
            raise Faulty(looks, is_refused=False, labels=self.labels)
        return texts

    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        if not isinstance(answer, Mapping):
            raise InvalidAnswer(_("There is no answer to any question of this page."))
        texts = {
            str(item.public_id): read_texts(answer.get(str(item.public_id)), entries=self.entries)
            for item in items
        }
        self._check(texts, items=items)
        return texts

    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        """Nobody is scored: what an answer is worth shows only in the steps that follow."""
        return []

    def _check(self, texts: Mapping[str, Texts], *, items: Sequence[Item]) -> dict[str, Look]:
        if not items:
            raise InvalidAnswer(_("There is no answer to any question of this page."))
        asked = self.asked_by(items)
        looks = {str(item.public_id): self.look(texts[str(item.public_id)], asked[item.pk]) for item in items}
        if any(look.faults for look in looks.values()):
            raise Faulty(looks, is_refused=True, labels=self.labels)
        return looks

    def _questions(
        self,
        assignment: Assignment,
        items: Sequence[Item],
        *,
        form: QueryDict | None = None,
        looks: Mapping[str, Look] | None = None,
    ) -> list[dict[str, Any]]:
        asked = self.asked_by(items)
        return [
            self._question(
                asked[item.pk],
                number=number,
                name=str(item.public_id),
                seed=_seed(item, assignment),
                form=form,
                look=(looks or {}).get(str(item.public_id)),
            )
            for number, item in enumerate(_in_own_order(items, assignment), start=1)
        ]

    def _question(
        self,
        asked: Asked,
        *,
        number: int,
        name: str,
        seed: str,
        form: QueryDict | None = None,
        look: Look | None = None,
    ) -> dict[str, Any]:
        """`form` and `look`: what was sent, exactly as it was typed, and what is wrong with it."""
        look = look or Look()
        entries = {
            entry: {
                "entry": entry,
                "name": f"{name}-{entry}",
                "value": form.get(f"{name}-{entry}", "") if form else "",
                "ticked": form.getlist(f"{name}-{entry}") if form else [],
                "fault": look.faults.get(entry, ""),
            }
            for entry in self.entries
        }
        return {
            "number": number,
            "field": name,
            "entries": entries,
            "odd": look.odd,
            **self.shown(asked, seed=seed),
        }

    def _page(self, questions: Sequence[Mapping[str, Any]], **more: Any) -> TaskPage:
        context = {
            "heading": self.heading,
            "questions": questions,
            "question_template": self.question,
            "examples": self.examples,
            "yes_or_no": YES_OR_NO,
            "has_steps": self.purpose == Purpose.TEST,
            **more,
        }
        return TaskPage(template=self.page, context=context)


def _in_own_order(items: Sequence[Item], assignment: Assignment) -> list[Item]:
    """The same at every look of this worker, and another for everybody else."""
    return sorted(items, key=lambda item: _seed(item, assignment))


def _seed(item: Item, assignment: Assignment) -> str:
    """Keyed: both ids can be read in the page, and a seed made of them would tell the order."""
    return crypto.blind_index("order", str(assignment.public_id), str(item.public_id))


def _has_seen(form: QueryDict, name: str, part: str) -> bool:
    return form.get(f"{name}-seen-{part}") == YES
