"""The task: many workers judge each of an example's four combinations, and no page has two of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _

from crowd.pictures.services.picture_reports import report_picture
from crowd.winoground import domain
from crowd.winoground.asking.pairs import FLAT, Pair, PairsTask, answers_to
from crowd.winoground.models import Pairing, Project
from crowd.winoground.queries.examples_per_worker import one_of_each_example
from crowd.winoground.queries.scoring import rights_of_pairs
from hits.core.errors import InvalidAnswer
from hits.datasets.columns import INTEGER, TEXT, column
from hits.families import Answer, MainFigure, NarrowsItems, Score, StatesMainFigure, TakesReports, TaskPage
from hits.studies.models import Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.services.leasing import items_served

LETTERS = "AB"
COMBINATION = (
    column("example", INTEGER, "the example's number in its project", of="asked.row.example.number"),
    column(
        "caption_of", TEXT, "which of its captions: A or B", of=lambda one: LETTERS[one.asked.row.caption]
    ),
    column("image_of", TEXT, "which of its images: A or B", of=lambda one: LETTERS[one.asked.row.image]),
)


class ValidateTask(PairsTask, NarrowsItems, StatesMainFigure, TakesReports):
    key = domain.VALIDATE
    name = "Caption matching: validation"
    role = "Validators"
    mixes_attention = True
    terms = replace(
        PairsTask.terms,
        title="Does the caption match the image?",
        description=(
            "You see images, each with one caption, and say whether they match. "
            "The order of the words matters."
        ),
        reward=Decimal("0.50"),
        # Providers charge more from ten places on one HIT.
        workers_per_hit=9,
    )
    flat = (*COMBINATION, *FLAT)
    main_figure = MainFigure(
        name="Share of pairs about which most are right",
        is_share=True,
        alike="The four pairs of an example share captions and images, so they depend on each other.",
    )

    def final_values(self, study: Study) -> Sequence[float]:
        project = Project.objects.filter(study=study).first()
        return rights_of_pairs(project) if project else ()

    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """The project's rule says if one worker sees two combinations of an example, and how far apart."""
        return one_of_each_example(items, worker_id=worker_id)

    def asked_by(self, items: Sequence[Item]) -> Mapping[int, Pair]:
        rows = Pairing.objects.filter(item__in=items).select_related("example__image_0", "example__image_1")
        return {row.item_id: _pair_of(row) for row in rows if row.item_id}

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        return self._with_reports(super().work_page(assignment=assignment, items=items))

    def page_again(
        self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item], problem: InvalidAnswer
    ) -> TaskPage | None:
        page = super().page_again(form=form, assignment=assignment, items=items, problem=problem)
        return page and self._with_reports(page)

    def take_report(self, *, form: QueryDict, assignment: Assignment, now: datetime) -> None:
        name = form.get("about", "")
        pictures = [pair.picture for pair in self.asked_by(items_served(assignment)).values()]
        picture = next((one for one in pictures if one is not None and one.key == name), None)
        if picture is None:
            raise InvalidAnswer(_("That picture is not on this page. Please reload it."))
        report_picture(
            picture=picture,
            reason=form.get("reason", ""),
            text=form.get("text", ""),
            by_worker=assignment.worker.pseudonym,
            now=now,
        )

    def judge(self, *, answer: Answer, items: Sequence[Item]) -> Sequence[Score]:
        """Votes: only their majority says what is right, so no bonus follows from a single one."""
        said = answers_to(items, answer)
        return [
            Score(item=item, measure=domain.YES, value=Fraction(said[item.pk]))
            for item in items
            if item.pk in said
        ]

    def _with_reports(self, page: TaskPage) -> TaskPage:
        """Add the form that reports pictures, each named by its question's number on the page."""
        reports = [
            {
                "value": question["key"],
                "label": _("The image of question %(number)d") % {"number": question["number"]},
            }
            for question in page.context["questions"]
            if not question["is_away"]
        ]
        return TaskPage(template=page.template, context={**page.context, "reports": reports})


def _pair_of(row: Pairing) -> Pair:
    example = row.example
    return Pair(
        caption=(example.caption_0, example.caption_1)[row.caption],
        picture=(example.image_0, example.image_1)[row.image],
        is_match=row.is_match,
        row=row,
    )
