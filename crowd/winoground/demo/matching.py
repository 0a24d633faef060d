"""The demo's run: the first questions, every combination of every example, and the scores."""

from collections.abc import Iterator, Sequence

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from crowd.demo import acts
from crowd.demo.demo_people import Cast, make_cast
from crowd.demo.interface import Demo, Report
from crowd.winoground.demo import seeding
from crowd.winoground.demo.people import Reader, Truth
from crowd.winoground.domain import PLACES, VALIDATE
from crowd.winoground.models import Example
from crowd.winoground.queries.scoring import scored
from crowd.winoground.services.posted_examples import ask_examples
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from qualifications.models import Attempt, Holding, PlatformType
from scoring.models import Score

# Mistakes of the first workers in the test: one can be corrected, two are too many.
MISTAKES = (1, 2)
# No worker sees two combinations of an example, so it takes as many workers as an example wants answers.
READERS = seeding.ANSWERS_WANTED * len(PLACES)
WORKERS = READERS + 1
BONUS = {"name": "thank you", "kind": "flat", "amount": "0.01"}


class WinogroundDemo(Demo):
    @property
    def cast(self) -> Cast:
        return self._cast

    @property
    def batches(self) -> QuerySet[Batch]:
        return Batch.objects.filter(study=self.cast.study)

    @property
    def work(self) -> QuerySet[Assignment]:
        return Assignment.objects.filter(hit__batch__in=self.batches)

    def prepare(self) -> None:
        self._cast = make_cast(workers=WORKERS, bonus_rules=[BONUS])
        self.project = seeding.open_matching(self.cast)
        self.gate = seeding.open_gate(self.cast)
        self.test = seeding.draft_test(self.cast, places=WORKERS)

    def play(self) -> None:
        truth = Truth(seeding.WORLD, seed=self.seed)
        self._workers = [
            Reader(
                number=number,
                seed=self.seed,
                invitation=invitation,
                truth=truth,
                mistakes=MISTAKES[number] if number < len(MISTAKES) else 0,
            )
            for number, invitation in enumerate(self.cast.invitations)
        ]
        for worker in self._workers:
            worker.sign_in()
        self._take_tests()
        self._match()
        seeding.add_models(self.project, cast=self.cast, seed=self.seed)
        acts.pay(self.work, cast=self.cast, say=self.say)

    def _take_tests(self) -> None:
        ready = PlatformType.objects.filter(gate=self.gate, status=PlatformType.Status.READY)
        acts.wait("Opening", ready.count, 1, say=self.say)
        acts.launch(self.test, "Testing", cast=self.cast, say=self.say)
        self._work(self.test, "Testing", goal=WORKERS)
        told = Holding.objects.filter(gate=self.gate, value=Holding.Value.PASSED, is_told=True)
        acts.wait("Telling", told.count, READERS, say=self.say)

    def _match(self) -> None:
        examples = self.project.examples.filter(state=Example.State.READY)
        count = ask_examples(
            project=self.project, examples=list(examples.values_list("pk", flat=True)), now=timezone.now()
        )
        batch = seeding.draft_matching(self.cast, questions=count, hits=READERS)
        acts.launch(batch, "Matching", cast=self.cast, say=self.say)
        self._work(batch, "Matching", goal=READERS)
        votes = Score.objects.filter(item__study=self.cast.study, item__task=VALIDATE)
        acts.wait("Counting", votes.count, count * READERS, say=self.say)

    def _work(self, batch: Batch, what: str, *, goal: int) -> None:
        acts.work(batch, what, workers=self._workers, goal=goal, seed=self.seed, say=self.say)

    def report(self) -> Report:
        attempts = Attempt.objects.filter(gate=self.gate)
        return {
            "hits": HIT.objects.filter(batch__in=self.batches).exclude(external_id="").count(),
            "assignments_submitted": self.work.filter(submitted_at__isnull=False).count(),
            "assignments_approved": self.work.filter(status=Assignment.Status.APPROVED).count(),
            "tests_passed": attempts.filter(status=Attempt.Status.PASSED).count(),
            "tests_failed": attempts.filter(status=Attempt.Status.FAILED).count(),
            "examples": self.project.examples.count(),
            "answers": Score.objects.filter(item__study=self.cast.study, item__task=VALIDATE).count(),
            **{
                f"{scorer.name.lower().replace(' ', '_')}_{name}": sum(
                    getattr(right, name) for right in scorer.rights.values()
                )
                for scorer in scored(self.project).scorers
                for name in ("text", "image", "group")
            },
            **acts.money(self.work, batches=list(self.batches)),
        }

    def table(self) -> Iterator[str]:
        """A line for each example: who is right about it."""
        result = scored(self.project)
        yield f"{'an example':<48}" + "".join(f"{scorer.name:>14}" for scorer in result.scorers)
        for line in result.lines:
            rights = [scorer.rights.get(line.pk) for scorer in result.scorers]
            said = ["open" if right is None else _yes(right.group) for right in rights]
            yield f"{line.caption_0:<48}" + "".join(f"{one:>14}" for one in said)

    def pages(self) -> Sequence[tuple[str, str]]:
        return [("Its caption matching", reverse("admin:winoground_project_change", args=[self.project.pk]))]


def _yes(right: bool) -> str:
    return "right" if right else "wrong"
