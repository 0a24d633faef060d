"""The demo's run: first questions, every combination of every example, and models beside people."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from crowd.benchmarks.models import Result
from crowd.demo import acts
from crowd.demo.demo_people import Cast, make_cast
from crowd.demo.interface import Demo, Report
from crowd.releases.models import Release
from crowd.winoground.demo import seeding
from crowd.winoground.demo.people import Reader, Truth
from crowd.winoground.domain import PLACES, VALIDATE
from crowd.winoground.models import Example
from crowd.winoground.services.posted_examples import ask_examples, want_anew
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
# Who may still take the test that is left at the end.
TESTS_LEFT = 2


class WinogroundDemo(Demo):
    for_a_worker = "take the test, then match captions with images"

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
        self._measure()
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

    def _measure(self) -> None:
        release = seeding.ask_for_release(self.project, cast=self.cast)
        written = Release.objects.filter(pk=release.pk, status__in=Release.COMPLETE)
        acts.wait("Writing a release", written.count, 1, say=self.say)
        benchmark = seeding.add_models(written.get(), cast=self.cast, seed=self.seed)
        self._results = benchmark.results.order_by("pk")
        counted = self._results.filter(status=Result.Status.DONE)
        acts.wait("Counting people and chance", counted.count, self._results.count(), say=self.say)

    def leave_work(self) -> None:
        """Leave a test, and one more answer for each combination to whoever passes it."""
        test = seeding.draft_test(self.cast, places=TESTS_LEFT)
        acts.launch(test, "Leaving a test", cast=self.cast, say=self.say)
        self.project.answers_wanted += 1
        self.project.save(update_fields=["answers_wanted"])
        want_anew(self.project)
        matching = seeding.draft_matching(
            self.cast, questions=self.project.examples.count(), hits=len(PLACES)
        )
        acts.launch(matching, "Leaving work", cast=self.cast, say=self.say)

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
                f"{result.name.lower().replace(' ', '_')}_{one['measure']}": float(Fraction(str(one["sum"])))
                for result in self._results
                for one in result.sums
                if not one["group"]
            },
            **acts.money(self.work, batches=list(self.batches)),
        }

    def table(self) -> Iterator[str]:
        """A line for each example: who is right about it."""
        results = [result for result in self._results if result.source != Result.Source.CHANCE]
        yield f"{'an example':<48}" + "".join(f"{result.name:>14}" for result in results)
        rights = [dict(result.items.values_list("item", "scores")) for result in results]
        for example in self.project.examples.order_by("number"):
            said = [_say(of.get(str(example.public_id))) for of in rights]
            yield f"{example.caption_0:<48}" + "".join(f"{one:>14}" for one in said)

    def pages(self) -> Sequence[tuple[str, str]]:
        return [("Its caption matching", reverse("admin:winoground_project_change", args=[self.project.pk]))]


def _say(scores: Mapping[str, str] | None) -> str:
    if scores is None:
        return "open"
    return "right" if scores["group"] == "1" else "wrong"
