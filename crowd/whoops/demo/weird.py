"""The demo's run: from a designer to the data, and what people judge of it."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from django.db.models import QuerySet, Sum
from django.urls import reverse
from django.utils import timezone

from crowd.demo import acts
from crowd.demo.demo_people import Cast, make_cast
from crowd.demo.interface import Demo, Report
from crowd.whoops import domain
from crowd.whoops.control.services.comparison import decide_control_answer
from crowd.whoops.demo import seeding
from crowd.whoops.demo.people import CARELESS, Maker, Person, Truth
from crowd.whoops.design.services.invitations import want_designers
from crowd.whoops.judge.services.explanation_lists import make_explanations
from crowd.whoops.judge.services.weird_normal_pairs import make_pairs
from crowd.whoops.models import Annotation, Image
from crowd.whoops.models.control_and_review import ControlAnswer
from crowd.whoops.models.judged_items import Question
from crowd.whoops.review.services.harm_review import give_review
from hits.ledger.models.bonuses import Bonus
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.queries.items import answers_wanted
from qualifications.models import Attempt, Holding, PlatformType
from qualifications.services.grading import grade_by_hand
from scoring.models import Score

# One designer. Two control groups, as a worker who knows a revision is not asked about the next. Six take
# the test, and one of them fails. Of a pair, each judge sees one side.
DESIGNERS, CONTROLLERS, ANNOTATORS, JUDGES = 1, 6, 6, 6
AT_ONCE = 3
# No judge answers a question twice, so some of their pages are not full.
SPARE_HITS = 3
BONUS = {"name": "thank you", "kind": "flat", "amount": "0.01"}
# Who may still take the test, and become a designer, at the end.
TESTS_LEFT, DESIGNERS_LEFT = 2, 1
State = Image.State
Kind = Question.Kind


class WhoopsDemo(Demo):
    for_a_worker = "design a weird image, or take the test of annotators, which the researcher grades"

    @property
    def cast(self) -> Cast:
        return self._cast

    @property
    def batches(self) -> QuerySet[Batch]:
        return Batch.objects.filter(study=self.cast.study)

    @property
    def work(self) -> QuerySet[Assignment]:
        return Assignment.objects.filter(hit__batch__in=self.batches)

    @property
    def images(self) -> QuerySet[Image]:
        return self.project.images.order_by("number")

    def prepare(self) -> None:
        self._cast = make_cast(workers=DESIGNERS + CONTROLLERS + ANNOTATORS + JUDGES, bonus_rules=[BONUS])
        self.project = seeding.open_images(self.cast)
        self.reviewers = seeding.make_reviewers(self.cast)
        self.gate = seeding.open_gate(self.cast)
        self.test = seeding.draft_test(self.cast, places=ANNOTATORS)

    def play(self) -> None:
        self._arrive()
        self._design()
        self._pass()
        self._take_tests()
        self._annotate()
        self._judge()
        acts.pay(self.work, cast=self.cast, say=self.say)

    def _arrive(self) -> None:
        first, *others = self.cast.invitations
        truth = Truth(seeding.WORLD, seed=self.seed)
        self._maker = Maker(number=0, seed=self.seed, invitation=first, world=seeding.WORLD)
        careless = DESIGNERS + CONTROLLERS
        people = [
            Person(
                number=number,
                seed=self.seed,
                invitation=invitation,
                truth=truth,
                is_careless=number == careless,
            )
            for number, invitation in enumerate(others, start=1)
        ]
        for one in (self._maker, *people):
            one.sign_in()
        self._control, rest = people[:CONTROLLERS], people[CONTROLLERS:]
        self._annotators, self._judges = rest[:ANNOTATORS], rest[ANNOTATORS:]

    def _design(self) -> None:
        batch = seeding.draft(self.cast, domain.DESIGN, hits_wanted=1, assignments_per_hit=1)
        acts.launch(batch, "Designing", cast=self.cast, say=self.say)
        acts.work(batch, "Designing", workers=[self._maker], goal=1, seed=self.seed, say=self.say)

    def _pass(self) -> None:
        """Lead the images through the control group, the designer again, and the reviewers."""
        self._look(self._control[:AT_ONCE])
        returned = self.images.filter(state=State.RETURNED)
        acts.wait("Returning", returned.count, 1, say=self.say)
        self._maker.send_again(str(returned.get().public_id))
        self._look(self._control[AT_ONCE:])
        waiting = self.images.filter(state=State.REVIEW)
        acts.wait("Reviewing", waiting.count, self.images.count(), say=self.say)
        for image in waiting:
            for reviewer in self.reviewers:
                give_review(
                    image=image,
                    revision=image.revision,
                    is_harmful=False,
                    note="",
                    by=reviewer,
                    now=timezone.now(),
                )

    def _look(self, workers: Sequence[Person]) -> None:
        """Have images looked at by three, and compared by the researcher with what the designer meant."""
        asked = self.images.filter(state=State.CONTROL)
        due = asked.count() * self.project.control_wanted
        posted = self.images.filter(
            state=State.CONTROL, revisions__control_item__wanted=self.project.control_wanted
        )
        acts.wait("Posting", posted.count, asked.count(), say=self.say)
        batch = seeding.draft(self.cast, domain.CONTROL)
        acts.launch(batch, "Looking", cast=self.cast, say=self.say)
        acts.work(batch, "Looking", workers=workers, goal=due, seed=self.seed, say=self.say)
        seen = ControlAnswer.objects.filter(assignment__hit__batch=batch)
        acts.wait("Comparing", seen.count, due, say=self.say)
        for control_answer in seen.filter(seen=None).order_by("pk"):
            control_answer.refresh_from_db()
            if control_answer.image.state == State.CONTROL and control_answer.seen is None:
                self._compare(control_answer)

    def _compare(self, control_answer: ControlAnswer) -> None:
        same = control_answer.text == control_answer.image.explanation
        by = self.cast.researcher.user
        decide_control_answer(control_answer=control_answer, seen=same, note="", by=by, now=timezone.now())

    def _take_tests(self) -> None:
        ready = PlatformType.objects.filter(gate=self.gate, status=PlatformType.Status.READY)
        acts.wait("Opening", ready.count, 1, say=self.say)
        acts.launch(self.test, "Testing", cast=self.cast, say=self.say)
        self._work(self.test, "Testing", self._annotators, goal=ANNOTATORS)
        waiting = Attempt.objects.filter(gate=self.gate, status=Attempt.Status.WAITING)
        acts.wait("Grading", waiting.count, ANNOTATORS, say=self.say)
        for attempt in waiting.select_related("assignment").order_by("pk"):
            answers = (attempt.assignment.answer or {}) if attempt.assignment else {}
            passed = all(CARELESS not in one["explanation"] for one in answers.values())
            words = "" if passed else "Say what each image goes against, not that it is strange."
            by = self.cast.researcher.user
            grade_by_hand(attempt=attempt, passed=passed, words=words, by=by, now=timezone.now())
        told = Holding.objects.filter(gate=self.gate, value=Holding.Value.PASSED, is_told=True)
        acts.wait("Telling", told.count, ANNOTATORS - 1, say=self.say)

    def _annotate(self) -> None:
        wanted = self.images.count() * self.project.annotations_wanted
        posted = self.images.filter(annotation_item__wanted=self.project.annotations_wanted)
        acts.wait("Posting", posted.count, self.images.count(), say=self.say)
        self._ask(domain.ANNOTATE, "Annotating", self._annotators)
        annotations = Annotation.objects.filter(image__in=self.images)
        acts.wait("Collecting", annotations.count, wanted, say=self.say)

    def _judge(self) -> None:
        now = timezone.now()
        make_pairs(project=self.project, wanted=self.images.count(), seed=self.seed, now=now)
        seeding.import_texts(self.project, seed=self.seed)
        make_explanations(project=self.project, incomplete=False, now=now)
        for task, what in (
            (domain.IDENTIFY, "Telling"),
            (domain.EXPLAIN, "Weighing"),
            (domain.VERIFY, "Verifying"),
            (domain.RATE, "Rating"),
        ):
            self._ask(task, what, self._judges, spare=SPARE_HITS)
        questions = Question.objects.filter(project=self.project, item__isnull=False)
        voted = Score.objects.filter(item__in=questions.values("item"))
        votes = sum(question.options.count() for question in questions) * self.project.judges_wanted
        acts.wait("Counting", voted.count, votes, say=self.say)

    def leave_work(self) -> None:
        """Leave a place for a designer, and a test."""
        test = seeding.draft_test(self.cast, places=TESTS_LEFT)
        acts.launch(test, "Leaving a test", cast=self.cast, say=self.say)
        want_designers(project=self.project, places=DESIGNERS + DESIGNERS_LEFT)
        design = seeding.draft(self.cast, domain.DESIGN, hits_wanted=DESIGNERS_LEFT, assignments_per_hit=1)
        acts.launch(design, "Leaving work", cast=self.cast, say=self.say)

    def _ask(self, task: str, what: str, workers: Sequence[Person], *, spare: int = 0) -> None:
        batch = seeding.draft(self.cast, task)
        batch.hits_wanted += spare
        batch.save(update_fields=["hits_wanted"])
        goal = -(-answers_wanted(batch) // batch.items_per_assignment)
        acts.launch(batch, what, cast=self.cast, say=self.say)
        self._work(batch, what, workers, goal=goal)

    def _work(self, batch: Batch, what: str, workers: Sequence[Person], *, goal: int) -> None:
        acts.work(batch, what, workers=workers, goal=goal, seed=self.seed, say=self.say)

    def report(self) -> Report:
        attempts = Attempt.objects.filter(gate=self.gate)
        control_answers = ControlAnswer.objects.filter(image__in=self.images)
        annotations = Annotation.objects.filter(image__in=self.images)
        questions = Question.objects.filter(project=self.project)
        paid = Bonus.objects.filter(pk__in=self.images.values("bonus")).aggregate(sum=Sum("amount"))
        return {
            "assignments_submitted": self.work.filter(submitted_at__isnull=False).count(),
            "assignments_approved": self.work.filter(status=Assignment.Status.APPROVED).count(),
            "images": self.images.count(),
            "revisions": sum(image.revision for image in self.images),
            "images_accepted": self.images.filter(state=State.ACCEPTED).count(),
            "control_answers": control_answers.count(),
            "saw_nothing": control_answers.filter(saw_nothing=True).count(),
            "tests_passed": attempts.filter(status=Attempt.Status.PASSED).count(),
            "tests_failed": attempts.filter(status=Attempt.Status.FAILED).count(),
            "annotations": annotations.count(),
            **{kind.label.lower().replace(" ", "_"): questions.filter(kind=kind).count() for kind in Kind},
            "paid_for_images": f"{paid['sum'] or Decimal(0):.2f}",
            **acts.money(self.work, batches=list(self.batches)),
        }

    def table(self) -> Iterator[str]:
        """A line for each image: how often it was sent, and how many annotations count."""
        yield f"{'an image':<52}{'sent':>6}{'annotated':>12}"
        for image in self.images:
            count = image.annotations.filter(state=Annotation.State.COUNTED).count()
            yield f"{image.weird_pair:<52}{image.revision:>6}{count:>12}"

    def pages(self) -> Sequence[tuple[str, str]]:
        return [("Its weird images", reverse("admin:whoops_project_change", args=[self.project.pk]))]
