"""A page of questions with the same entries each: read, checked, and shown again with its faults."""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, TypeVar

from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from crowd.questions.answer_columns import ITEM, AnsweredQuestion, as_entered
from crowd.questions.domain import YES
from crowd.questions.judged_choices import Choice, words_to_read
from crowd.questions.page_entries import YES_OR_NO, Faulty, Labels, Look, Texts, read_form, read_texts
from hits.core import crypto
from hits.core.errors import InvalidAnswer
from hits.datasets.columns import Column
from hits.families import (
    Answer,
    FlattensWork,
    Judgment,
    Purpose,
    Score,
    ServedWork,
    ShowsAgain,
    TaskPage,
    TaskType,
)
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item

PRACTICE = "practice"
AnswerKeys = Literal["", "digits", "yes_or_no"]
# The subject of a question.
Asked = TypeVar("Asked")


class AskTask(TaskType, ShowsAgain, FlattensWork, Generic[Asked]):
    """A task of questions with the same entries, one question for each item."""

    heading: ClassVar[str | Promise]
    # Templates: the page, one of its questions, and how an answer is shown afterwards.
    page: ClassVar[str]
    question: ClassVar[str]
    review: ClassVar[str]
    # The entries of one question.
    entries: ClassVar[Sequence[str]]
    # Entries in which several boxes may be ticked: their text is the ticked values, separated by spaces.
    many: ClassVar[Collection[str]] = ()
    # Entries that are chosen and not written: what StatesJudgments compares, unless the task says otherwise.
    chosen: ClassVar[Collection[str]] = ()
    labels: ClassVar[Labels] = {}
    # What keys of the keyboard do on the page, if anything.
    answer_keys: ClassVar[AnswerKeys] = ""
    examples: ClassVar[Sequence[Mapping[str, Any]]] = ()
    # Columns of an AnsweredQuestion in a file of the work. None: the entries as they are.
    flat: ClassVar[Sequence[Column]] = ()

    @property
    @abstractmethod
    def practice(self) -> Asked:
        """An example that is in no data."""

    @abstractmethod
    def asked_by(self, items: Sequence[Item]) -> Mapping[int, Asked]:
        """The subjects of questions by their items' keys, in as few queries as possible."""

    @abstractmethod
    def shown(self, asked: Asked, *, seed: str) -> Mapping[str, Any]:
        """The question as the page shows it. `seed` differs between any two workers, and never changes."""

    @abstractmethod
    def look(self, texts: Texts, asked: Asked) -> Look:
        """The faults in the entries of one question."""

    @abstractmethod
    def reviewed(self, asked: Asked, texts: Texts, *, assignment: Assignment) -> Mapping[str, Any]:
        """The question and answer for a reader; `texts` is empty if nothing was answered."""

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
        """No scores: the worth of an answer shows only in the steps that follow."""
        return []

    def flat_columns(self, *, batch: Batch) -> Sequence[Column]:
        return (
            ITEM,
            *(self.flat or [as_entered(name, str(self.labels.get(name, name))) for name in self.entries]),
        )

    def flatten(self, works: Sequence[ServedWork]) -> Mapping[int, Sequence[Any]]:
        asked = self.asked_by(list({item for work in works for item in work.items}))
        return {
            work.assignment.pk: [
                self.answered(assignment=work.assignment, item=item, asked=asked[item.pk], texts=texts)
                for item, texts in work.answered
                if item.pk in asked
            ]
            for work in works
        }

    def judgments(self, works: Sequence[ServedWork]) -> Iterator[Judgment]:
        """The tasks that inherit StatesJudgments say by this what their answers choose."""
        asked = self.asked_by(list({item for work in works for item in work.items}))
        words = {key: words_to_read(self.reading(one)) for key, one in asked.items()}
        for work in works:
            seeds = {item.pk: _seed(item, work.assignment) for item in work.items}
            # In the order of the worker's page: what follows what is part of how one answers.
            for item, texts in sorted(work.answered, key=lambda one: seeds[one[0].pk]):
                if item.pk in asked:
                    choices = self.choices_of(asked[item.pk], texts, seed=seeds[item.pk])
                    for question, label, about, place in choices:
                        yield Judgment(
                            assignment=work.assignment,
                            item=item,
                            question=question,
                            label=label,
                            about=about,
                            place=place,
                            words=words[item.pk],
                        )

    def choices_of(self, asked: Asked, texts: Texts, *, seed: str) -> Iterable[Choice]:
        """Return what an answer chooses, one choice for each entry; `seed` is that of its page."""
        return [Choice(entry, texts[entry]) for entry in self.chosen if texts.get(entry)]

    def reading(self, asked: Asked) -> Any:
        """Return the texts that differ from question to question, somewhere in lists and mappings."""
        return self.shown(asked, seed="")

    def answered(self, **about: Any) -> Any:
        """Return what the columns are read from: a task may add to it what only it knows."""
        return AnsweredQuestion(**about)

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
        """Context of one question; `form` and `look` are what was sent, exactly as typed, and its faults."""
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
            "answer_keys": self.answer_keys,
            "has_steps": self.purpose == Purpose.TEST,
            **more,
        }
        return TaskPage(template=self.page, context=context)


def _in_own_order(items: Sequence[Item], assignment: Assignment) -> list[Item]:
    """Items in an order that is the same on every visit of this worker, and different for all others."""
    return sorted(items, key=lambda item: _seed(item, assignment))


def _seed(item: Item, assignment: Assignment) -> str:
    """A keyed seed: both ids can be read in the page, so a seed made of them would reveal the order."""
    return crypto.blind_index("order", str(assignment.public_id), str(item.public_id))


def _has_seen(form: QueryDict, name: str, part: str) -> bool:
    return form.get(f"{name}-seen-{part}") == YES
