"""Two tasks in which people put labels on selected associations.

Nothing is scored: nobody is right or wrong, and paying for agreement would pay for guessing what others
say, and spoil the very agreement that is reported.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from django.db.models import Prefetch
from django.http import QueryDict
from django.templatetags.static import static
from django.utils.translation import gettext as _

from crowd.questions.domain import NO, YES
from crowd.winogavil.annotation import domain, label_words
from crowd.winogavil.annotation.models import Annotation, Kind
from crowd.winogavil.annotation.services.annotation_reports import take_report
from crowd.winogavil.models import Place
from crowd.winogavil.services.reports import cue_target, picture_target
from crowd.winogavil.solver_task import PRACTICE, PRACTICE_NAMES, practice_cue
from hits.core.errors import InvalidAnswer
from hits.datasets.columns import MOMENT, TEXT, TEXTS, Column, column
from hits.families import (
    Answer,
    FlattensWork,
    Judgment,
    Score,
    ServedWork,
    StatesJudgments,
    TakesReports,
    TaskPage,
    TaskType,
    Terms,
)
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import items_served

FRAMED = "winogavil_annotation/label.html"


@dataclass(frozen=True, kw_only=True)
class LabelledWord:
    annotation: Annotation
    given: Sequence[str]

    @property
    def places(self) -> list[Place]:
        return _places(self.annotation)


FLAT = (
    column("item", TEXT, "the id of the question", of=lambda one: str(one.annotation.item.public_id)),
    column("cue", TEXT, "the word", of="annotation.association.cue"),
    column(
        "pictures",
        TEXTS,
        "what the pictures asked about show",
        of=lambda one: [place.label for place in one.places],
    ),
    column(
        "pictures_sha256",
        TEXTS,
        "the SHA-256 of their files, in the same order",
        of=lambda one: [place.picture.sha256 for place in one.places if place.picture],
    ),
    column("labels", TEXTS, "what the worker chose", of="given"),
    column("majority", TEXTS, "what most annotators chose, once all are in", of="annotation.labels"),
    column("final_at", MOMENT, "when the last annotator was in", of="annotation.final_at"),
)


class LabelTask(TaskType, TakesReports, FlattensWork, StatesJudgments):
    """Common base of both tasks: a word, its pictures, and labels to choose from."""

    item_noun = "association"
    mixes_attention = True

    kind: ClassVar[Kind]
    groups: ClassVar[Sequence[label_words.Group]]
    is_single: ClassVar[bool]

    def practice_page(self) -> TaskPage:
        pictures = [
            {
                "url": static(f"winogavil/{name}.svg"),
                "concept": str(PRACTICE_NAMES[name]),
                "belongs": name in PRACTICE["right"],
            }
            for name in self.practice_pictures
        ]
        question = {"number": 1, "field": "practice", "cue": practice_cue(), "pictures": pictures}
        return self._page([question], practice=self.practice_words())

    practice_pictures: ClassVar[Sequence[str]]

    def practice_words(self) -> str:
        """Explanation of what would be right in the example, and why."""
        raise NotImplementedError

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        asked = _annotations(items)
        questions = [_question(annotation, number=number) for number, annotation in enumerate(asked, start=1)]
        return self._page(questions, reports=_reportable(asked))

    def review_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        answer: Mapping[str, Sequence[str]] = assignment.answer or {}
        names = label_words.names_of(self.groups)
        questions = [
            {
                **_question(annotation, number=number),
                "given": [names.get(key, key) for key in answer.get(str(annotation.item.public_id), [])],
                "is_final": annotation.final_at is not None,
                "result": [names.get(key, key) for key in annotation.labels],
            }
            for number, annotation in enumerate(_annotations(items), start=1)
        ]
        return TaskPage(template="winogavil_annotation/review.html", context={"questions": questions})

    def read_answer(self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item]) -> Answer:
        fields = {str(item.public_id) for item in items}
        return self.check_answer(
            answer={field: form.getlist(field) for field in form if field in fields}, items=items
        )

    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        if not isinstance(answer, Mapping) or not items:
            raise InvalidAnswer(_("There is no answer to any question of this page."))
        fields = [str(item.public_id) for item in items]
        return {
            field: self._check_labels(answer.get(field, []), number=number)
            for number, field in enumerate(fields, start=1)
        }

    def flat_columns(self, *, batch: Batch) -> Sequence[Column]:
        return FLAT

    def flatten(self, works: Sequence[ServedWork]) -> Mapping[int, Sequence[LabelledWord]]:
        items = list({item: None for work in works for item, _ in work.answered})
        found = dict(zip(items, _annotations(items), strict=True))
        return {
            work.assignment.pk: [
                LabelledWord(annotation=found[item], given=given) for item, given in work.answered
            ]
            for work in works
        }

    def judgments(self, works: Sequence[ServedWork]) -> Iterator[Judgment]:
        """Where one label is chosen, it is compared; where several may be, each of them by itself."""
        known = list(label_words.names_of(self.groups))
        for work in works:
            for item, given in work.answered:
                about: dict[str, Any] = {"assignment": work.assignment, "item": item}
                if self.is_single:
                    yield from (Judgment(**about, label=label) for label in given)
                else:
                    votes = ((label, YES if label in given else NO) for label in known)
                    yield from (Judgment(**about, about=label, label=vote) for label, vote in votes)

    def take_report(self, *, form: QueryDict, assignment: Assignment, now: datetime) -> None:
        take_report(form=form, items=items_served(assignment), worker=assignment.worker, now=now)

    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        return []

    def _page(self, questions: Sequence[Mapping[str, Any]], **more: Any) -> TaskPage:
        context = {"questions": questions, "groups": self.groups, "is_single": self.is_single, **more}
        return TaskPage(template=FRAMED, context={**context, "none": domain.NONE})

    def _check_labels(self, labels: Any, *, number: int) -> list[str]:
        """Labels in the order of the page. Raises InvalidAnswer, which does not repeat what was sent."""
        known = list(label_words.names_of(self.groups))
        if not isinstance(labels, list) or not all(isinstance(one, str) for one in labels):
            raise InvalidAnswer(_("The answers must be a list of labels."))
        if len(set(labels)) != len(labels) or not set(labels) <= set(known):
            raise InvalidAnswer(_("One of the answers is not on this page. Nothing was recorded."))
        if not labels:
            message = _(
                "Question %(number)d has no answer yet. Nothing was recorded. Go back and choose one."
            )
            raise InvalidAnswer(message % {"number": number})
        if self.is_single and len(labels) > 1:
            message = _("Question %(number)d takes one answer. Nothing was recorded. Go back and choose one.")
            raise InvalidAnswer(message % {"number": number})
        if domain.NONE in labels and len(labels) > 1:
            message = _(
                "In question %(number)d “None of these” was chosen together with others. "
                "Nothing was recorded. Go back and change that."
            )
            raise InvalidAnswer(message % {"number": number})
        return sorted(labels, key=known.index)


class TypesTask(LabelTask):
    """The task that asks for one label for a cue and one of its pictures."""

    key = domain.TYPES
    kind = Kind.TYPES
    name = "Association game: types of associations"
    role = "Annotators"
    terms = Terms(
        title="How does the picture go with the word?",
        description="You see a word and a picture that belongs to it. Say what connects them.",
        item_s=12,
    )
    groups = label_words.TYPE_GROUPS
    is_single = True
    practice_pictures = PRACTICE["right"][:1]

    def practice_words(self) -> str:
        return _("In this example it is “Concept related”: dogs bark, and every other dog would do.")


class SkillsTask(LabelTask):
    """The task that asks for as many labels as needed, for a cue and all of its pictures."""

    key = domain.SKILLS
    kind = Kind.SKILLS
    name = "Association game: skills that associations need"
    role = "Annotators"
    terms = Terms(
        title="What does it take to see that they belong together?",
        description="You see a word and the pictures that belong to it. Say what it takes to find them.",
        item_s=30,
    )
    groups = label_words.SKILL_GROUPS
    is_single = False
    practice_pictures = PRACTICE["all"]

    def practice_words(self) -> str:
        return _(
            "In this example “Attribute” and “Word sense” would be right: "
            "dogs bark, and what covers a tree is called bark too."
        )


def _annotations(items: Sequence[Item]) -> list[Annotation]:
    """Annotations in the order of the items, with everything a page needs, in two queries."""
    places = Prefetch("association__places", Place.objects.select_related("picture"))
    asked = Annotation.objects.filter(item__in=items).select_related("association", "item")
    found = {annotation.item_id: annotation for annotation in asked.prefetch_related(places)}
    return [found[item.pk] for item in items]


def _places(annotation: Annotation) -> list[Place]:
    """Places shown with a question: the one that a type is about, otherwise all that the author saw."""
    places = annotation.shown_places
    return [one for one in places if annotation.place_id in (None, one.pk)]


def _question(annotation: Annotation, *, number: int) -> dict[str, Any]:
    return {
        "number": number,
        "field": str(annotation.item.public_id),
        "cue": annotation.association.cue,
        "pictures": [
            {"url": f"/pictures/{place.picture.key}/", "concept": place.label, "belongs": place.chosen}
            for place in _places(annotation)
            if place.picture
        ],
    }


def _reportable(asked: Sequence[Annotation]) -> list[dict[str, str]]:
    """Targets of reports, named by the items of this page: the associations' own items are not revealed."""
    found = []
    for annotation in asked:
        association = annotation.association
        association.item = annotation.item
        found.append(cue_target(association))
        for number, place in enumerate(_places(annotation), start=1):
            if place.picture:
                found.append(picture_target(place.picture.key, number=number, cue=association.cue))
    return found
