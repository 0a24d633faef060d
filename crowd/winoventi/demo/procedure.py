"""The demo's run: a test, the five steps, human performance, and pay. Each part waits for the background."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from django.db.models import F, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from crowd.demo import acts
from crowd.demo.demo_people import Cast, make_cast
from crowd.demo.interface import Demo, Report
from crowd.winoventi.challenge.services.evaluations import start_evaluation
from crowd.winoventi.demo import seeding
from crowd.winoventi.demo.workers import NOT_AVAILABLE, Person
from crowd.winoventi.models import (
    Alternative,
    Evaluation,
    Generic,
    Judgement,
    ModelAnswer,
    Premise,
    Prompt,
    Step,
    valid_pairs,
)
from crowd.winoventi.models.model_runs import ModelRun
from crowd.winoventi.procedure.services.step_items import advance
from crowd.winoventi.queries import count_pairs
from hits.batches.services import batch_lifecycle, drafting
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.queries.items import answers_wanted
from qualifications.models import Attempt, Holding, PlatformType
from qualifications.services.grading import grade_by_hand
from scoring.models import RegisteredRival

# The first three workers write; they and the fourth, who has no ideas, judge all sentences but their own.
WRITERS, JUDGES = 3, 4
# Workers who choose have seen nothing of a pair, not even its other text.
CHOOSERS = 2
# Who may still take the test that is left at the end.
TESTS_LEFT = 2
# HITs to spare, because no worker does a HIT twice, nor judges an own sentence.
SPARE_HITS = 3
BONUS = {"name": "thank you", "kind": "flat", "amount": "0.01"}
Kind = Step.Kind


class WinoventiDemo(Demo):
    for_a_worker = "take the test, which the researcher grades"

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
        self._cast = make_cast(workers=JUDGES + CHOOSERS, bonus_rules=[BONUS])
        self.project = seeding.open_procedure(self.cast)
        self.gate = seeding.open_gate(self.cast)
        self.walk = seeding.draft_walk(self.cast, places=JUDGES)
        self._taught = seeding.start_teaching(self.cast)

    def play(self) -> None:
        self._workers = self._sign_in()
        self._take_tests()
        self._read()
        self._grade()
        self._find_generics()
        self._ask_for_exceptions()
        self._ask_for_premises()
        self._validate()
        self._choose()
        acts.pay(self.work, cast=self.cast, say=self.say)

    def _sign_in(self) -> list[Person]:
        workers = [
            Person(
                number=number,
                seed=self.seed,
                invitation=invitation,
                is_slow=number == 0,
                is_hasty=number == 1,
                is_careless=number == WRITERS,
                has_ideas=number != WRITERS,
            )
            for number, invitation in enumerate(self.cast.invitations)
        ]
        for worker in workers:
            worker.sign_in()
        return workers

    def _take_tests(self) -> None:
        ready = PlatformType.objects.filter(gate=self.gate, status=PlatformType.Status.READY)
        acts.wait("Opening", ready.count, 1, say=self.say)
        self._launch(self.walk, "Testing")
        self._work(self.walk, "Testing", workers=self._workers[:JUDGES], goal=JUDGES)

    def _read(self) -> None:
        """Register the taught models; step 1 goes on by itself once they are known."""
        self.say("Teaching", 0, 1)
        rivals = seeding.register_taught(self.cast, taught=self._taught)
        self.say("Teaching", 1, 1)
        self.project.generics_model = self.project.filter_model = rivals[RegisteredRival.Kind.MASKED]
        self.project.perplexity_model = rivals[RegisteredRival.Kind.CAUSAL]
        self.project.save()

    def _grade(self) -> None:
        """Grade each waiting attempt by hand, as a researcher who reads it."""
        waiting = Attempt.objects.filter(gate=self.gate, status=Attempt.Status.WAITING)
        acts.wait("Grading", waiting.count, JUDGES, say=self.say)
        for attempt in waiting.select_related("assignment").order_by("pk"):
            answers = (attempt.assignment.answer or {}) if attempt.assignment else {}
            passed = all(one["sentence"] != NOT_AVAILABLE for one in answers.values())
            words = "" if passed else "Please write a sentence of your own."
            grade_by_hand(
                attempt=attempt, passed=passed, words=words, by=self.cast.researcher.user, now=timezone.now()
            )
        told = Holding.objects.filter(gate=self.gate, value=Holding.Value.PASSED, is_told=True)
        acts.wait("Telling", told.count, WRITERS, say=self.say)

    def _find_generics(self) -> None:
        """Wait until the generics are read, ranked by their perplexity, and cut."""
        done = ModelRun.objects.filter(project=self.project, is_open=False)
        ranked = self.project.generics.filter(rank__isnull=False)
        acts.wait("Reading", done.count, 2, say=self.say, also=ranked.exists)

    def _ask_for_exceptions(self) -> None:
        self._ask(Kind.EXCEPTIONS, "Excepting", workers=self._workers[:JUDGES])
        posted = self.project.generics.filter(state__in=Generic.POSTED_ONES)
        taken = self.project.generics.filter(state__in=Generic.TAKEN)
        given = self.project.alternatives.filter(state=Alternative.State.GIVEN)
        acts.wait("Filtering", taken.count, posted.count(), say=self.say, also=lambda: not given.exists())

    def _ask_for_premises(self) -> None:
        self._ask(Kind.PREMISES, "Writing", workers=self._workers[:JUDGES])
        passed = self.project.alternatives.filter(state=Alternative.State.PASSED)
        written = passed.filter(has_premise=True)
        acts.wait("Collecting", written.count, passed.count(), say=self.say)

    def _validate(self) -> None:
        batch = self._ask(Kind.VALIDATIONS, "Validating", workers=self._workers[:JUDGES], spare=SPARE_HITS)
        batch_lifecycle.drain_batch(batch=batch, by=self.cast.researcher.user, now=timezone.now())
        asked = self.project.premises.filter(state__in=Premise.WELL_FORMED)
        settled = asked.exclude(state=Premise.State.WAITING)
        acts.wait("Settling", settled.count, asked.count(), say=self.say)

    def _choose(self) -> None:
        """Have people and the model complete the prompts of the challenge set."""
        model = self.project.filter_model
        if model is not None:
            start_evaluation(
                project=self.project, rival=model, by=self.cast.researcher.user, now=timezone.now()
            )
        self._ask(Kind.CHOICES, "Choosing", workers=self._workers[JUDGES:])
        prompts = Prompt.objects.filter(premise__project=self.project)
        answered = prompts.filter(is_answered=True)
        still_open = Evaluation.objects.filter(project=self.project, is_open=True)
        acts.wait(
            "Counting", answered.count, prompts.count(), say=self.say, also=lambda: not still_open.exists()
        )

    def leave_work(self) -> None:
        walk = seeding.draft_walk(self.cast, places=TESTS_LEFT)
        acts.launch(walk, "Leaving a test", cast=self.cast, say=self.say)

    def _ask(self, kind: str, what: str, *, workers: Sequence[Person], spare: int = 0) -> Batch:
        """Advance what waits for a step, and launch a batch that asks for all of it."""
        advance(project=self.project, kind=kind, now=timezone.now())
        step = self.project.steps.get(kind=kind)
        batch = drafting.start_draft(
            study=self.cast.study, account=self.cast.account, task=step.task, by=self.cast.researcher.user
        )
        batch.hits_wanted += spare
        batch.save(update_fields=["hits_wanted"])
        Step.objects.filter(pk=step.pk).update(batch=batch)
        goal = answers_wanted(batch)
        self._launch(batch, what)
        self._work(batch, what, workers=workers, goal=goal)
        return batch

    def _launch(self, batch: Batch, what: str) -> None:
        acts.launch(batch, what, cast=self.cast, say=self.say)

    def _work(self, batch: Batch, what: str, *, workers: Sequence[Person], goal: int) -> None:
        acts.work(batch, what, workers=workers, goal=goal, seed=self.seed, say=self.say)

    def report(self) -> Report:
        generics = self.project.generics
        attempts = Attempt.objects.filter(gate=self.gate)
        judgements = Judgement.objects.filter(premise__project=self.project)
        approved = self.work.filter(status=Assignment.Status.APPROVED)
        return {
            "hits": HIT.objects.filter(batch__in=self.batches).exclude(external_id="").count(),
            "assignments_submitted": self.work.filter(submitted_at__isnull=False).count(),
            "assignments_approved": approved.count(),
            "walks_passed": attempts.filter(status=Attempt.Status.PASSED).count(),
            "walks_failed": attempts.filter(status=Attempt.Status.FAILED).count(),
            "nouns": self.project.nouns.count(),
            "generics_found": generics.count(),
            "generics_stopped": generics.filter(state=Generic.State.STOPPED).count(),
            "generics_cut": generics.filter(state=Generic.State.CUT).count(),
            **count_pairs(self.project),
            "judgements": judgements.count(),
            "judgements_of_own": judgements.filter(worker=F("premise__worker")).count(),
            **{f"model_{kind}": self._model(kind) for kind in Prompt.Kind.values},
            "reward_total": f"{_total_of(approved):.2f}",
            **acts.money(self.work, batches=list(self.batches)),
        }

    def _model(self, kind: str) -> list[int]:
        """Number of right answers, and of all answers."""
        answers = ModelAnswer.objects.filter(evaluation__project=self.project, kind=kind)
        return [answers.filter(is_right=True).count(), answers.count()]

    def table(self) -> Iterator[str]:
        """The published pairs: sentences that people understand and a model does not."""
        yield "a valid pair                             model right   people right"
        for pair in valid_pairs(self.project).order_by("pk"):
            yield f"The {pair.noun} is [{pair.generic} / {pair.exception}]. {pair.sentence}"
            for kind in Prompt.Kind.values:
                model = pair.model_answers.filter(Q(kind=kind), is_right=True).exists()
                people = pair.prompts.filter(kind=kind, choices__is_right=True).exists()
                yield f"  {kind:<38} {_yes(model):>11} {_yes(people):>14}"

    def pages(self) -> Sequence[tuple[str, str]]:
        return [("Its pipeline", reverse("admin:winoventi_project_change", args=[self.project.pk]))]


def _total_of(approved: QuerySet[Assignment]) -> Decimal:
    """The total reward, summed in Python because not every database adds money exactly."""
    return sum(approved.values_list("hit__batch__reward", flat=True), Decimal(0))


def _yes(right: bool) -> str:
    return "yes" if right else "no"
