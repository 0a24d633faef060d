"""The control group of weird images as simulated people are it, and as a person compares what they say."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from django.db.models import Model, QuerySet

from crowd.questions.domain import YES
from crowd.questions.family import AskTask
from crowd.questions.page_entries import Texts
from crowd.rehearsal.asked_questions import AskedQuestions, recorded_share
from crowd.rehearsal.domain.simulated_people import SimulatedPerson
from crowd.whoops.control.domain.control_answers import NOTHING, TEXT
from crowd.whoops.control.services.comparison import decide_control_answer, undecided_control_answers
from crowd.whoops.control.services.control_answers import take_control_answers
from crowd.whoops.images.rehearsed_images import project_like, strip_image
from crowd.whoops.images.services.batch_places import grow_batches
from crowd.whoops.models import Image, Project, Revision
from crowd.whoops.models.control_and_review import ControlAnswer
from hits.identity.models.users import User
from hits.studies.models import Batch, Study
from hits.work.models.items import Item
from hits.work.queries.items import items_of_batch

SAW = "A lighthouse stands in a field of wheat."
GUESSED = "This is a strange picture."


class RehearsedControl(AskedQuestions):
    _by: User

    @classmethod
    def record(cls, study: Study) -> dict[str, Any]:
        """How many of the study's control answers that were compared had seen what is weird."""
        rows = ControlAnswer.objects.filter(image__project__study=study, seen__isnull=False)
        return recorded_share(right=rows.filter(seen=True).count(), votes=rows.count())

    @classmethod
    def rows(cls, items: QuerySet[Item]) -> Iterable[Iterable[Model]]:
        yield Project.objects.filter(study__in=items.values("study"))
        asked = Revision.objects.filter(
            control_item__in=items.filter(wanted__gt=0), image__state=Image.State.CONTROL
        )
        yield _stripped(asked.select_related("control_item", "image__project"))

    @property
    def sources(self) -> Sequence[str]:
        if self.recorded:
            right, votes = self.recorded["right"], self.recorded["votes"]
            share = f"as often as in this study: in {right} of {votes} answers"
        else:
            share = f"in {self.assumed.skill} of 100 answers"
        return [
            f"Careful workers see what is weird {share}; otherwise they say that they see nothing.",
            "No image is harder than another, and no designer sends one again.",
            f"A person compares each answer {self.assumed.review_h} hours after it came.",
        ]

    def begin(self, *, batch: Batch, by: User) -> None:
        self._by = by

    def texts(self, task: AskTask[Any], asked: Any, person: SimulatedPerson, chance: Random) -> Texts:
        if person.is_spammer:
            return {TEXT: GUESSED, NOTHING: ""}
        return {TEXT: SAW, NOTHING: ""} if self.is_right(person, chance) else {TEXT: "", NOTHING: YES}

    def sweep(self, *, now: datetime) -> None:
        take_control_answers(now=now)
        self._compare(now=now)
        grow_batches(now=now)

    def unfinished(self, batch: Batch) -> QuerySet[Item]:
        """Images about which the control group has not decided: an image that goes on is asked no more."""
        return items_of_batch(batch).filter(pulled_at=None, answers_needed__gt=0)

    def figures(self, batch: Batch) -> Mapping[str, int]:
        images = Image.objects.filter(control_item__in=items_of_batch(batch))
        return {"Images that passed the control group": images.filter(state=Image.State.REVIEW).count()}

    def _compare(self, *, now: datetime) -> None:
        """Compare what a person has had the time to compare."""
        waited = now - timedelta(hours=self.assumed.review_h)
        for project in Project.objects.order_by("pk"):
            ripe = undecided_control_answers(project).filter(assignment__submitted_at__lte=waited)
            for row in ripe.order_by("pk"):
                decide_control_answer(control_answer=row, seen=row.text == SAW, note="", by=self._by, now=now)


def _stripped(revisions: QuerySet[Revision]) -> Iterator[Revision]:
    """Yield revisions without their words and designers, each in a project that wants what it lacks."""
    lacking: dict[tuple[int, int], Project] = {}
    for row in revisions:
        image = row.image
        seen = ControlAnswer.objects.filter(image=image, revision=row.number, seen=True).count()
        wanted = row.control_item.wanted if row.control_item else 0
        if wanted != image.project.control_wanted:
            rules = {"control_wanted": wanted, "control_needed": _needed(image.project, wanted, seen=seen)}
            key = wanted, rules["control_needed"]
            number = len(lacking) + 1
            image.project = lacking.get(key) or project_like(image.project, number=number, **rules)
            lacking[key] = image.project
        strip_image(image)
        image.annotation_item_id = None
        row.texts, row.reason = {}, ""
        yield row


def _needed(project: Project, wanted: int, *, seen: int) -> int:
    """How many of the people still asked must see it; answers that nobody has compared yet say nothing."""
    return min(wanted, max(1, project.control_needed - seen))
