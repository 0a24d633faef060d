"""The task: a row on the page that a researcher has described."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crowd.pictures.services.picture_reports import report_picture
from crowd.plain.asking.fault_words import words_for
from crowd.plain.asking.practice import PRACTICE
from crowd.plain.asking.shown_parts import ShownRow, answers_in_words, names_of, shown_parts
from crowd.plain.domain import ASK
from crowd.plain.domain.answers import Wrong, entry_of, fault_of, values_of
from crowd.plain.domain.pages import MOST_QUESTIONS, Kind
from crowd.plain.exporting.columns import work_columns
from crowd.plain.exporting.lines import AnswerLine
from crowd.plain.models import Description, Row
from crowd.plain.queries.described_pages import described_in
from crowd.questions.domain import NO, YES, is_unfit
from crowd.questions.family import AskTask
from crowd.questions.judged_choices import Choice
from crowd.questions.page_entries import NOT_KEPT, Look, Texts
from hits.core.errors import InvalidAnswer
from hits.datasets.columns import Column
from hits.families import (
    Answer,
    NarrowsItems,
    PreviewsBatches,
    StatesJudgments,
    SuggestsTerms,
    TakesReports,
    TaskPage,
    Terms,
)
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.queries.participants import roles_by_study
from hits.work.services.leasing import items_served

PREVIEW = "preview"
# Expected seconds of a row, until times have been measured.
SECONDS_TO_BEGIN, SECONDS_EACH = 15, 10
LONGEST_TERMS = 2000


class PlainTask(
    AskTask[ShownRow], NarrowsItems, PreviewsBatches, StatesJudgments, SuggestsTerms, TakesReports
):
    key = ASK
    name = "Questions of one's own"
    role = "Respondents"
    mixes_attention = True
    is_side_work = True
    terms = Terms(
        title="Answer some questions",
        description="You read or look at something, and answer a few questions about it.",
        item_s=45,
        most_items=20,
        duration_s=1800,
        reward=Decimal("0.10"),
    )
    heading = gettext_lazy("Questions")
    page = "plain/page.html"
    question = "plain/parts/row.html"
    review = "plain/review.html"
    entries = tuple(entry_of(place) for place in range(1, MOST_QUESTIONS + 1))
    many: ClassVar[Collection[str]] = entries
    practice = PRACTICE

    def asked_by(self, items: Sequence[Item]) -> Mapping[int, ShownRow]:
        rows = Row.objects.filter(item__in=items).select_related("description")
        return {
            row.item_id: ShownRow(
                page=row.description.page,
                cells=row.cells,
                pictures={one.column: one.picture for one in row.pictures.all()},
                role=row.role,
                row=row,
            )
            for row in rows.prefetch_related("pictures__picture")
            if row.item_id
        }

    def shown(self, asked: ShownRow, *, seed: str) -> Mapping[str, Any]:
        page = asked.page
        return {
            "title": page.title,
            "about": page.about,
            "parts": shown_parts(asked),
            "is_away": asked.is_away,
        }

    def look(self, texts: Texts, asked: ShownRow) -> Look:
        faults = {}
        for place, part in enumerate(asked.page.questions, start=1):
            text = texts[entry_of(place)]
            if not text and (asked.is_away or not part.is_asked_of(asked.role)):
                continue
            if is_unfit(text):
                faults[entry_of(place)] = _(NOT_KEPT)
            elif wrong := fault_of(part, text) if part.is_asked_of(asked.role) else Wrong.NOT_OFFERED:
                faults[entry_of(place)] = words_for(wrong, part)
        return Look(faults=faults)

    def reviewed(self, asked: ShownRow, texts: Texts, *, assignment: Assignment) -> Mapping[str, Any]:
        return {**self.shown(asked, seed=""), "said": answers_in_words(asked, texts)}

    def preview_page(self, *, batch: Batch) -> TaskPage:
        """The page that is asked now, with its columns by their names: only those who accept see rows."""
        description = described_in(batch.study)
        page = description.page if description else PRACTICE.page
        return self.shown_alone(ShownRow(page=page, cells=names_of(page)))

    def suggest_terms(self, *, study: Study) -> Terms:
        description = described_in(study)
        if description is None:
            return self.terms
        page = description.page
        return replace(
            self.terms,
            title=page.title,
            description=" ".join(page.about)[:LONGEST_TERMS] or self.terms.description,
            item_s=SECONDS_TO_BEGIN + SECONDS_EACH * len(page.questions),
        )

    def narrow_items(self, items: QuerySet[Item], *, worker_id: int) -> QuerySet[Item]:
        """A row of a role is asked only of people who have had that role in the study."""
        had = Q(plain_row__role="")
        asked = Row.objects.exclude(role="").filter(item__isnull=False, item__pulled_at=None)
        studies = asked.order_by().values("item__study")
        for study_id, roles in roles_by_study(worker_id, studies=studies).items():
            had |= Q(study=study_id, plain_row__role__in=roles)
        return items.filter(had)

    def work_page(self, *, assignment: Assignment, items: Sequence[Item]) -> TaskPage:
        return _with_reports(super().work_page(assignment=assignment, items=items))

    def page_again(
        self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item], problem: InvalidAnswer
    ) -> TaskPage | None:
        page = super().page_again(form=form, assignment=assignment, items=items, problem=problem)
        return page and _with_reports(page)

    def read_answer(self, *, form: QueryDict, assignment: Assignment, items: Sequence[Item]) -> Answer:
        return _said(super().read_answer(form=form, assignment=assignment, items=items))

    def check_answer(self, *, answer: Any, items: Sequence[Item]) -> Answer:
        return _said(super().check_answer(answer=answer, items=items))

    def flat_columns(self, *, batch: Batch) -> Sequence[Column]:
        """The columns of all versions of the page that the study has asked by."""
        asked = Description.objects.filter(project__study=batch.study_id, asked_at__isnull=False)
        return work_columns([one.page for one in asked.order_by("version")])

    def answered(self, **about: Any) -> AnswerLine:
        asked = about["asked"]
        answer = values_of(asked.page, about["texts"], role=asked.role)
        return AnswerLine(row=asked.row, answer=answer, work=about["assignment"])

    def choices_of(self, asked: ShownRow, texts: Texts, *, seed: str) -> Iterable[Choice]:
        """Return what is chosen, and of several choices each option by itself: ticked or not."""
        values = values_of(asked.page, texts, role=asked.role)
        for part in asked.page.questions:
            value = values.get(part.name)
            if isinstance(value, tuple):
                for option in part.options:
                    yield Choice(part.name, YES if option.code in value else NO, about=option.code)
            elif value is not None and part.kind in (Kind.CHOICE, Kind.SCALE):
                yield Choice(part.name, str(value))

    def reading(self, asked: ShownRow) -> Any:
        """Return the row's own texts: the rest of the page is the same for every row."""
        return [asked.cells.get(name, "") for name in asked.page.columns]

    def take_report(self, *, form: QueryDict, assignment: Assignment, now: datetime) -> None:
        asked = self.asked_by(items_served(assignment)).values()
        shown = {picture.key: picture for one in asked for picture in one.pictures.values()}
        picture = shown.get(form.get("about", ""))
        if picture is None:
            raise InvalidAnswer(_("That picture is not on this page. Please reload it."))
        report_picture(
            picture=picture,
            reason=form.get("reason", ""),
            text=form.get("text", ""),
            by_worker=assignment.worker.pseudonym,
            now=now,
        )

    def shown_alone(self, asked: ShownRow) -> TaskPage:
        """One row as a researcher looks at it, before any worker is asked."""
        return self._page([self._question(asked, number=1, name=PREVIEW, seed="")])

    def _question(self, asked: ShownRow, **about: Any) -> dict[str, Any]:
        """The question, each of its parts with its own entry beside it."""
        question = super()._question(asked, **about)
        for part in question["parts"]:
            part["entry"] = question["entries"].get(part.get("slot"))
        return question

    def _page(self, questions: Sequence[Mapping[str, Any]], **more: Any) -> TaskPage:
        first = questions[0] if questions else {"title": self.heading, "about": ()}
        # Where one answer of several is chosen, keys choose it.
        kinds = {part["kind"] for question in questions for part in question["parts"]}
        answer_keys = "digits" if kinds & {Kind.CHOICE, Kind.SCALE} else ""
        more = {"heading": first["title"], "about": first["about"], "answer_keys": answer_keys, **more}
        return super()._page(questions, **more)


def _said(answer: Answer) -> Answer:
    """The answer without the entries that the page does not have, or that were left empty."""
    return {name: {entry: text for entry, text in texts.items() if text} for name, texts in answer.items()}


def _with_reports(page: TaskPage) -> TaskPage:
    """The page with a report for each picture, which is named by its number on the page."""
    pictures = [
        (question["number"], part["key"])
        for question in page.context["questions"]
        for part in question["parts"]
        if part["kind"] == Kind.PICTURE and not question["is_away"]
    ]
    reports = [
        {"value": key, "label": _("A picture of question %(number)d") % {"number": number}}
        for number, key in pictures
    ]
    return TaskPage(template=page.template, context={**page.context, "reports": reports})
