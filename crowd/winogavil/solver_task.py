"""The solver's task: a cue, k, pictures in an order of the solver's own; pick exactly k."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from random import Random
from typing import Any

from django.db.models import Prefetch
from django.http import QueryDict
from django.templatetags.static import static
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from crowd.questions.domain import NO, YES
from crowd.winogavil import domain
from crowd.winogavil.items import (
    FILE_HELP,
    add_rows,
    example_file,
    read_rows,
    remove_items,
    repeat_items,
)
from crowd.winogavil.models import Association, Game, Place
from crowd.winogavil.queries.associations import final, of_study, solver_means
from crowd.winogavil.queries.games import game_of
from crowd.winogavil.services.reports import cue_target, picture_target, take_report
from crowd.winogavil.solver_columns import FLAT, SolvedWord, models_asked
from hits.core import crypto
from hits.core.domain.bonus_rules import pay_of_item
from hits.core.errors import InvalidAnswer
from hits.datasets.columns import Column
from hits.families import (
    Answer,
    AsksAnew,
    FlattensWork,
    GivesFeedback,
    Judgment,
    MainFigure,
    Score,
    ServedWork,
    StatesJudgments,
    StatesMainFigure,
    TakesFiles,
    TakesReports,
    TaskPage,
    TaskType,
    Terms,
)
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import items_served
from scoring import domain as scores

ALIKE_ASSOCIATIONS = "Associations of one spymaster, and those of one set of pictures, depend on each other."
PRACTICE = {"right": ("dog", "tree"), "all": ("dog", "cup", "tree", "key", "shoe")}
PRACTICE_NAMES: Mapping[str, str | Promise] = {
    "dog": gettext_lazy("dog"),
    "cup": gettext_lazy("cup"),
    "tree": gettext_lazy("tree"),
    "key": pgettext_lazy("the key of a door", "key"),
    "shoe": gettext_lazy("shoe"),
}


class PickTask(TaskType, TakesReports, FlattensWork):
    """A task in which workers pick the pictures of associations, for whatever purpose."""

    terms = Terms(
        title="Which pictures go with the word?",
        item_s=20,
        requirements=domain.PAPER_ASKS,
        description="You see a word and some pictures. Pick the pictures that belong to the word.",
    )
    item_noun = "association"
    measures = (domain.JACCARD,)

    def practice_page(self) -> TaskPage:
        return TaskPage(template="winogavil/solve.html", context={"questions": [practice_question(number=1)]})

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        associations = self.associations(items)
        questions = [
            {
                "number": number,
                "field": str(association.item.public_id),
                "cue": association.cue,
                "k": len(association.chosen_keys),
                "pictures": _shuffled(association, assignment=assignment),
            }
            for number, association in enumerate(associations, start=1)
        ]
        context = {"questions": questions, "reports": _reportable(associations, assignment=assignment)}
        return TaskPage(template="winogavil/solve.html", context=context)

    def take_report(self, *, form: QueryDict, assignment: Assignment, now: datetime) -> None:
        items = [item.pk for item in items_served(assignment)]
        take_report(form=form, items=items, worker=assignment.worker, now=now)

    def review_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        questions = [question for _, question in self.reviewed(assignment, items)]
        return TaskPage(template="winogavil/review.html", context={"questions": questions})

    def reviewed(
        self, assignment: Assignment, items: Sequence[Item]
    ) -> Iterator[tuple[Association, dict[str, Any]]]:
        answer: Mapping[str, Sequence[str]] = assignment.answer or {}
        rules = assignment.hit.batch.rules
        for association in self.associations(items):
            picks = answer.get(str(association.item.public_id))
            pictures = [
                {
                    **picture,
                    "picked": picture["key"] in (picks or ()),
                    "right": picture["key"] in association.chosen_keys,
                    "missed": picks is not None and picture["key"] in association.chosen_keys - {*picks},
                }
                for picture in _shuffled(association, assignment=assignment)
            ]
            score = None if picks is None else scores.jaccard(set(picks), association.chosen_keys)
            yield (
                association,
                {
                    "cue": association.cue,
                    "score": None if score is None else int(100 * score),
                    "found": sum(picture["picked"] and picture["right"] for picture in pictures),
                    "k": len(association.chosen_keys),
                    "pays": None if score is None else pay_of_item(rules, {self.measures[0]: score}),
                    "currency": assignment.hit.batch.currency,
                    "most": pay_of_item(rules, {self.measures[0]: Fraction(1)}),
                    "pictures": pictures,
                },
            )

    def read_answer(self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item]) -> Answer:
        fields = {str(item.public_id) for item in items}
        return self.check_answer(
            answer={field: form.getlist(field) for field in form if field in fields}, items=items
        )

    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        if not isinstance(answer, Mapping) or not items:
            raise InvalidAnswer(_("There is no answer to any question of this page."))
        return {
            str(association.item.public_id): _check_picks(
                answer.get(str(association.item.public_id), []), association
            )
            for association in self.associations(items)
        }

    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        return [
            Score(
                item=association.item,
                measure=self.measures[0],
                value=scores.jaccard(set(answer[str(association.item.public_id)]), association.chosen_keys),
            )
            for association in self.associations(items)
        ]

    def flat_columns(self, *, batch: Batch) -> Sequence[Column]:
        return FLAT

    def flatten(self, works: Sequence[ServedWork]) -> Mapping[int, Sequence[SolvedWord]]:
        items = list({item: None for work in works for item, _ in work.answered})
        associations = self.associations(items)
        found = dict(zip(items, associations, strict=True))
        models = models_asked(associations)
        return {
            work.assignment.pk: [
                SolvedWord(
                    association=found[item],
                    picks=picks,
                    model=models.get(found[item].pk, ""),
                    shown=_order_shown(found[item], assignment=work.assignment),
                )
                for item, picks in work.answered
            ]
            for work in works
        }

    def judgments(self, works: Sequence[ServedWork]) -> Iterator[Judgment]:
        """The tasks that inherit StatesJudgments say by this whether each candidate was picked."""
        items = list({item: None for work in works for item, _ in work.answered})
        found = dict(zip(items, self.associations(items), strict=True))
        for work in works:
            for item, picks in work.answered:
                shown = _order_shown(found[item], assignment=work.assignment)
                for place, key in enumerate(one.picture.key for one in shown if one.picture):
                    is_picked = key in picks
                    yield Judgment(
                        assignment=work.assignment,
                        item=item,
                        about=key,
                        label=YES if is_picked else NO,
                        place=place if is_picked else None,
                    )

    def associations(self, items: Sequence[Item]) -> list[Association]:
        """Associations in the order of the items, with everything a page needs, in two queries."""
        found = {
            association.item_id: association
            for association in Association.objects.filter(item__in=items)
            .select_related("item")
            .prefetch_related(Prefetch("places", Place.objects.select_related("picture")))
        }
        return [found[item.pk] for item in items]


class OwnAssociations(TakesFiles, AsksAnew):
    """A task whose batches may have associations of their own: from a file, or asked in another batch."""

    file_help = FILE_HELP

    def read_items(self, content: bytes) -> Sequence[Any]:
        return read_rows(content)

    def add_items(self, rows: Sequence[Any], *, batch: Batch) -> int:
        return add_rows(rows, batch=batch)

    def example_file(self) -> str:
        return example_file()

    def repeat_items(self, items: Sequence[Item], *, batch: Batch) -> int:
        return repeat_items(items, batch=batch)

    def remove_items(self, *, batch: Batch) -> None:
        remove_items(batch=batch)


class SolveTask(PickTask, OwnAssociations, GivesFeedback, StatesJudgments, StatesMainFigure):
    key = domain.SOLVE
    name = "Association game: solve"
    role = "Solvers"
    main_figure = MainFigure(
        name="Mean Jaccard index of the solvers", is_share=False, alike=ALIKE_ASSOCIATIONS
    )

    def final_values(self, study: Study) -> Sequence[float]:
        return solver_means(final(of_study(study)))

    def feedback_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage | None:
        """Solutions as the study's game shows them: never, at once, or by default once the word is final."""
        feedback = game_of(assignment.hit.batch.study).feedback
        shown = [
            question
            for association, question in self.reviewed(assignment, items)
            if feedback == Game.Feedback.AT_ONCE
            or (feedback == Game.Feedback.FINAL and association.final_at is not None)
        ]
        return TaskPage(template="winogavil/review.html", context={"questions": shown}) if shown else None


def practice_cue() -> str:
    """Return the word of the practice pictures; another language needs one of its own for the same two."""
    return pgettext("said by a dog, and part of a tree", "bark")


def practice_question(*, number: int) -> dict[str, Any]:
    pictures = [{"key": name, "url": static(f"winogavil/{name}.svg")} for name in PRACTICE["all"]]
    return {"number": number, "field": "practice", "cue": practice_cue(), "k": 2, "pictures": pictures}


def _shuffled(association: Association, *, assignment: Assignment) -> list[dict[str, str]]:
    shown = (place.picture for place in _order_shown(association, assignment=assignment))
    return [{"key": one.key, "url": f"/pictures/{one.key}/480/"} for one in shown if one]


def _order_shown(association: Association, *, assignment: Assignment) -> list[Place]:
    """Places in an order that is always the same for this assignment, and another for every other."""
    places = [place for place in association.places.all() if place.picture]
    # Keyed: both ids can be read in the page, and a seed made of them would reveal the author's order.
    seed = crypto.blind_index("order", str(assignment.public_id), str(association.item.public_id))
    Random(seed).shuffle(places)  # noqa: S311
    return places


def _reportable(associations: Sequence[Association], *, assignment: Assignment) -> list[dict[str, str]]:
    return [
        target
        for association in associations
        for target in (
            cue_target(association),
            *(
                picture_target(picture["key"], number=number, cue=association.cue)
                for number, picture in enumerate(_shuffled(association, assignment=assignment), start=1)
            ),
        )
    ]


def _check_picks(picks: Any, association: Association) -> list[str]:
    """Return exactly k different candidates. Raises InvalidAnswer, which does not repeat what was sent."""
    k = len(association.chosen_keys)
    candidates = {place.picture.key for place in association.places.all() if place.picture}
    if not isinstance(picks, list) or not all(isinstance(pick, str) for pick in picks):
        raise InvalidAnswer(_("The picks must be a list of pictures."))
    if len(set(picks)) != len(picks) or not set(picks) <= candidates:
        raise InvalidAnswer(_("One of the picks is not a picture of this page. Nothing was recorded."))
    if len(picks) != k:
        message = _(
            "“%(cue)s” needs exactly %(k)d pictures; %(picked)d were picked. "
            "Nothing was recorded. Go back and change your choice."
        )
        raise InvalidAnswer(message % {"cue": association.cue, "k": k, "picked": len(picks)})
    return sorted(picks)
