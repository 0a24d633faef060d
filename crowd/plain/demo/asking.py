"""The demo's run: a ready page, rows from a file, three people for each row, and majorities."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from crowd.demo import acts
from crowd.demo.browser import Form, Page
from crowd.demo.demo_people import Cast, make_cast
from crowd.demo.interface import Demo, Report
from crowd.demo.workers import SimulatedWorker
from crowd.plain.domain import ASK
from crowd.plain.models import Description, Project
from crowd.plain.queries.ready import ready_descriptions
from crowd.plain.queries.results import agreement_of, answered_rows, said_of
from crowd.plain.services.page_descriptions import describe_page
from crowd.plain.services.posted_rows import ask_rows, want_anew
from crowd.plain.services.uploading import add_rows
from hits.admin.projects.project_page import open_project
from hits.batches.services import drafting
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT

SENTENCES = Path(__file__).parent / "sentences.csv"
PEOPLE = 3
WORKERS = 5
# Number of wrong answers among ten.
WRONG_OF_TEN = 2
BONUS = {"name": "thank you", "kind": "flat", "amount": "0.01"}
# Numbers of the page's options.
YES, NO = "1", "2"


class Reader(SimulatedWorker):
    """A simulated worker who answers the page by its form, and knows what the sentence calls for."""

    def __init__(self, *, number: int, seed: int, invitation: str, natural: Mapping[str, bool]) -> None:
        super().__init__(number=number, seed=seed, invitation=invitation)
        self._natural = natural

    def _answer(self, question: Page, form: Form) -> Page:
        fields = []
        for part in form.parts:
            (sentence,) = part.texts("lead")
            chance = self._chance(sentence)
            is_wrong = chance.randrange(10) < WRONG_OF_TEN
            said = {
                "q1": YES if self._natural[sentence] != is_wrong else NO,
                "q2": str(chance.randrange(3, 6)),
            }
            names = {entry.entry: entry.name for entry in part.entries}
            fields += [(names[entry], value) for entry, value in said.items()]
        return self._frame.post(form, fields)


class PlainDemo(Demo):
    for_a_worker = "say which sentences sound natural"

    @property
    def cast(self) -> Cast:
        return self._cast

    @property
    def work(self) -> QuerySet[Assignment]:
        return Assignment.objects.filter(hit__batch=self.batch)

    @property
    def description(self) -> Description:
        return self.project.descriptions.get()

    def prepare(self) -> None:
        self._cast = make_cast(workers=WORKERS, bonus_rules=[BONUS])
        self.project = open_project(Project, study=self.cast.study, answers_wanted=PEOPLE)
        now, text = timezone.now(), ready_descriptions()["is-it-natural"]
        describe_page(project=self.project, text=text, seen="", by=self.cast.researcher.user, now=now)
        count = add_rows(project=self.project, content=SENTENCES.read_bytes())
        ask_rows(project=self.project, seen=count, now=now)
        self.batch = self._draft()

    def play(self) -> None:
        with SENTENCES.open() as file:
            natural = {row["sentence"]: row["natural"] == "yes" for row in csv.DictReader(file)}
        workers = [
            Reader(number=number, seed=self.seed, invitation=invitation, natural=natural)
            for number, invitation in enumerate(self.cast.invitations)
        ]
        for worker in workers:
            worker.sign_in()
        acts.launch(self.batch, "Asking", cast=self.cast, say=self.say)
        goal = self.batch.hits_wanted * self.batch.assignments_per_hit
        acts.work(self.batch, "Answering", workers=workers, goal=goal, seed=self.seed, say=self.say)
        acts.pay(self.work, cast=self.cast, say=self.say)

    def leave_work(self) -> None:
        """Leave one more answer for each row."""
        self.project.answers_wanted += 1
        self.project.save(update_fields=["answers_wanted"])
        want_anew(self.project)
        acts.launch(self._draft(), "Leaving work", cast=self.cast, say=self.say)

    def report(self) -> Report:
        rows = list(answered_rows(self.description))
        natural = self.description.page.questions[0]
        agreement = agreement_of(natural, [row.answers for row in rows])
        return {
            "hits": HIT.objects.filter(batch=self.batch).exclude(external_id="").count(),
            "assignments_submitted": self.work.filter(submitted_at__isnull=False).count(),
            "assignments_approved": self.work.filter(status=Assignment.Status.APPROVED).count(),
            "rows": len(rows),
            "answers": agreement.answers,
            "rows_with_every_answer": sum(len(row.answers) == PEOPLE for row in rows),
            "tied": agreement.tied,
            "equal_pairs": None if agreement.equal is None else round(float(agreement.equal), 3),
            "alpha": None if agreement.alpha is None else round(float(agreement.alpha), 3),
            **acts.money(self.work, batches=[self.batch]),
        }

    def table(self) -> Iterator[str]:
        """A line for each sentence, with what most workers have said."""
        natural = self.description.page.questions[0]
        yield f"{'a sentence':<40}{'natural':>10}{'of':>8}"
        for answered in answered_rows(self.description):
            said = said_of(natural, answered.answers)
            yield f"{answered.row.cells['sentence']:<40}{' / '.join(said.leaders):>10}{said.answers:>8}"

    def pages(self) -> Sequence[tuple[str, str]]:
        return [("Its questions", reverse("admin:plain_project_change", args=[self.project.pk]))]

    def _draft(self) -> Batch:
        """A draft without requirements: simulated workers have no approvals, and live nowhere."""
        return drafting.start_draft(
            study=self.cast.study,
            account=self.cast.account,
            task=ASK,
            by=self.cast.researcher.user,
            items_per_assignment=2,
            requirements=[],
        )
