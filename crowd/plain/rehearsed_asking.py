"""Questions of one's own as simulated people answer them: for each row an answer is drawn that is true."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from random import Random
from statistics import mean
from typing import Any

from django.db.models import F, Model, QuerySet

from crowd.plain.asking.ask import PlainTask
from crowd.plain.asking.shown_parts import ShownRow
from crowd.plain.domain import ASK
from crowd.plain.domain.answers import entry_of
from crowd.plain.domain.simulated_answers import draw_said, draw_true
from crowd.plain.models import Project, Row, RowPicture
from crowd.plain.queries.right_rows import majority_answers, percent_right
from crowd.plain.services.asking_again import ask_where_unsure
from crowd.questions.family import AskTask
from crowd.questions.page_entries import Texts
from crowd.rehearsal.asked_questions import AskedQuestions, recorded_share
from crowd.rehearsal.domain.assumptions import Assumptions
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from hits import families
from hits.core.errors import CrowdError
from hits.studies.models import Batch, Study
from hits.work.models.items import Item
from hits.work.queries.items import items_of_batch
from hits.work.services.counting_answers import answers_that_count
from scoring.quality.enough_answers import likeliest_answers, likely_right
from scoring.queries.judged_answers import JudgedThing, judged_crowd

ANSWERS = "Answers for each row"
RIGHT = "Rows whose likeliest answers are right, per cent"
RIGHT_BY_MOST = "Rows whose majorities are right, per cent"
# A row that has answers already is looked at no more: they stay behind, and it gets those that it lacks.
BEGUN = 32_767
# The fixed design beside: so many people for each row, as far as the bounds reach.
USUAL = 3
OF_ROLES = "A survey of people who have worked is not rehearsed: simulated people have had no role yet."


class RehearsedAsking(AskedQuestions):
    def __init__(self, *, assumed: Assumptions, recorded: Mapping[str, Any]) -> None:
        super().__init__(assumed=assumed, recorded=recorded)
        self._true: dict[int | None, Texts] = {}

    @classmethod
    def record(cls, study: Study) -> dict[str, Any]:
        """How many recorded answers to rows with several are likely right, by how people agree."""
        crowd = judged_crowd(families.get(ASK), Batch.objects.filter(study=study, task=ASK))
        found = [likely_right(labels) for labels in crowd.questions.values()]
        votes, right = sum(answers for answers, _ in found), sum(share for _, share in found)
        return recorded_share(right=round(right), votes=votes)

    @classmethod
    def rows(cls, items: QuerySet[Item]) -> Iterable[Iterable[Model]]:
        asked = Row.objects.filter(item__in=items.filter(wanted__gt=0, pulled_at=None))
        if asked.exclude(role="").exists():
            raise CrowdError(OF_ROLES)
        yield _marked(asked)
        yield RowPicture.objects.filter(row__in=asked)

    @property
    def sources(self) -> Sequence[str]:
        return [
            "For each row and question a true answer was drawn, all alike. No row is harder than another.",
            self._skill,
            "Whoever is wrong gives any other answer alike, and on a scale a point beside the true one.",
            "Spammers answer by chance. What people write in their own words is made up.",
            "Answers that rows have already stay behind: such rows get those that they lack, and no more.",
        ]

    @property
    def _skill(self) -> str:
        if self.recorded:
            right, votes = self.recorded["right"], self.recorded["votes"]
            return (
                f"Careful workers are all right as often as recorded answers of this study are likely to be, "
                f"by how people agree: in {right} of {votes}."
            )
        return (
            f"Nothing is recorded: careful workers are right in {self.assumed.skill} of 100 answers, "
            "and of several choices in as many ticks."
        )

    def texts(self, task: AskTask[Any], asked: ShownRow, person: SimulatedPerson, chance: Random) -> Texts:
        true = self._true_of(asked, chance)
        if person.is_spammer:
            return _draw(asked, chance)

        def is_right() -> bool:
            return self.is_right(person, chance)

        return {
            entry_of(place): draw_said(part, true[entry_of(place)], is_right=is_right, chance=chance)
            for place, part in enumerate(asked.page.questions, start=1)
        }

    def sweep(self, *, now: datetime) -> None:
        ask_where_unsure(now=now)

    def unfinished(self, batch: Batch) -> QuerySet[Item]:
        """Items that lack an answer, or that nobody has looked at with the answers they have."""
        unseen = items_of_batch(batch).filter(
            pulled_at=None,
            plain_row__weighed_answers__lt=F("answers_needed"),
            plain_row__description__project__answers_most__isnull=False,
        )
        return super().unfinished(batch) | unseen

    def change_design(self, batch: Batch) -> str:
        """Ask the same number of people about every row, where the project asks until it is sure."""
        project = Project.objects.get(study=batch.study_id)
        if project.answers_most is None:
            return ""
        number = min(project.answers_most, max(USUAL, project.answers_wanted))
        Project.objects.filter(pk=project.pk).update(answers_wanted=number, answers_most=number)
        _new_items(batch).update(answers_needed=number, wanted=number)
        return f"{number} people for each row"

    def figures(self, batch: Batch) -> Mapping[str, float]:
        items = {item.pk: item for item in _new_items(batch)}
        counts = [len(given) for given in answers_that_count(items).values()]
        crowd = judged_crowd(families.get(ASK), Batch.objects.filter(pk=batch.pk))
        true = dict(self._true_labels(items.values()))
        found = {
            ANSWERS: round(mean(counts), 4) if counts else None,
            RIGHT: percent_right(crowd, true, final=likeliest_answers),
            RIGHT_BY_MOST: percent_right(crowd, true, final=majority_answers),
        }
        return {words: figure for words, figure in found.items() if figure is not None}

    def say_difference(self, own: Mapping[str, float], other: Mapping[str, float]) -> str:
        """Say what is saved by asking until it is sure, and what becomes of the answers by it."""
        if ANSWERS not in own or ANSWERS not in other:
            return ""
        saved = round(100 - 100 * own[ANSWERS] / other[ANSWERS])
        words = f"save {saved} %" if saved >= 0 else f"are {-saved} % more"
        said = f"{own[ANSWERS]:.2f} answers for each row instead of {other[ANSWERS]:.2f} {words}."
        if RIGHT not in own or RIGHT not in other:
            return said
        return (
            f"{said} In {own[RIGHT]:.1f} of 100 rows the likeliest answers are right instead of "
            f"{other[RIGHT]:.1f}, and in {own[RIGHT_BY_MOST]:.1f} the majorities instead of "
            f"{other[RIGHT_BY_MOST]:.1f}."
        )

    def _true_labels(self, items: Collection[Item]) -> Iterator[tuple[tuple[str, JudgedThing], str]]:
        task = PlainTask()
        asked = task.asked_by(list(items))
        for item in items:
            for choice in task.choices_of(asked[item.pk], self._true.get(item.pk, {}), seed=""):
                thing = JudgedThing(str(item.public_id), choice.about)
                yield (choice.question, thing), choice.label

    def _true_of(self, asked: ShownRow, chance: Random) -> Texts:
        """What is true of a row: drawn when it is asked first, and the same in all runs."""
        item = asked.row.item_id if asked.row else None
        if item not in self._true:
            self._true[item] = _draw(asked, chance)
        return self._true[item]


def _draw(asked: ShownRow, chance: Random) -> Texts:
    return {
        entry_of(place): draw_true(part, chance) for place, part in enumerate(asked.page.questions, start=1)
    }


def _marked(rows: QuerySet[Row]) -> Iterator[Row]:
    for row in rows.select_related("item"):
        if row.item and row.item.wanted < row.item.answers_needed:
            row.weighed_answers = BEGUN
        yield row


def _new_items(batch: Batch) -> QuerySet[Item]:
    """Items of the batch that had no answer when it was copied."""
    new = Row.objects.filter(item__isnull=False).exclude(weighed_answers=BEGUN)
    return items_of_batch(batch).filter(plain_row__in=new)
