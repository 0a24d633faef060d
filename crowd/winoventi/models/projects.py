from typing import ClassVar

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from crowd.winoventi import domain
from crowd.winoventi.domain import people_apart
from hits.studies.models import Batch, Study
from scoring.models import RegisteredRival


def default_ks() -> list[int]:
    return list(domain.KS)


class PieceScoring(models.TextChoices):
    """Ways of scoring a word of several pieces."""

    PROPERLY = "properly", "over all of its pieces, normalized by their number"
    ONE_TOKEN = "one_token", "as if it were one token, as the authors did"


class Project(models.Model):
    """A study's exception procedure: its models, its rules, and how far each step goes by itself."""

    class CutBy(models.TextChoices):
        BEND = "bend", "at the bend of the curve"
        HAND = "hand", "at a value that you choose for each k"
        NOTHING = "nothing", "nothing is cut"

    class FailsBy(models.TextChoices):
        QUESTION = "question", "enough workers say yes to one question"
        WORKER = "worker", "enough workers object to anything"

    class Judges(models.TextChoices):
        OTHERS = "others", "all but the author of the premise"
        STRANGERS = "strangers", "only people who have not worked on the pair"
        ANYBODY = "anybody", "all, the author of the premise too"

    class People(models.TextChoices):
        TOGETHER = people_apart.TOGETHER, "one person may take part in all steps"
        WRITERS = people_apart.WRITERS, "who writes in steps 2 and 4 takes no part in judging, and vice versa"
        STEPS = people_apart.STEPS, "each step has people of its own"

    study = models.OneToOneField(Study, models.CASCADE, related_name="winoventi")
    generics_model = models.ForeignKey(
        RegisteredRival, models.PROTECT, null=True, blank=True, related_name="+", help_text="Step 1."
    )
    perplexity_model = models.ForeignKey(
        RegisteredRival,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="A causal model that ranks the statements of step 1. None: they are not ranked.",
    )
    filter_model = models.ForeignKey(
        RegisteredRival, models.PROTECT, null=True, blank=True, related_name="+", help_text="Step 3."
    )
    tagger = models.ForeignKey(
        RegisteredRival,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Tells the part of speech of the special words of valid pairs. None: they are not told.",
    )
    ks: "models.JSONField[list[int], list[int]]" = models.JSONField(default=default_ks)
    stop_list = models.TextField(
        blank=True, help_text="Words that are never posted as generics, one on a line."
    )
    cut_by = models.CharField(max_length=8, choices=CutBy, default=CutBy.BEND)
    # {"1": 120.5}: posted generics are below. Cuts at the bend are kept here, too.
    cuts: "models.JSONField[dict[str, float], dict[str, float]]" = models.JSONField(default=dict, blank=True)
    most_posted = models.PositiveIntegerField(
        null=True, blank=True, help_text="If more pairs are left than these, they are cut once more."
    )
    way = models.CharField(
        "a word of several pieces is scored",
        max_length=16,
        choices=PieceScoring,
        default=PieceScoring.PROPERLY,
    )
    answers_wanted = models.PositiveSmallIntegerField(
        "workers who validate a pair", default=3, validators=[MinValueValidator(1)]
    )
    fails_by = models.CharField("a pair fails if", max_length=8, choices=FailsBy, default=FailsBy.WORKER)
    fails_at = models.PositiveSmallIntegerField("so many", default=2, validators=[MinValueValidator(1)])
    judges = models.CharField("who validates", max_length=16, choices=Judges, default=Judges.OTHERS)
    people = models.CharField("people of the steps", max_length=16, choices=People, default=People.TOGETHER)
    choices_wanted = models.PositiveSmallIntegerField(
        "people who choose, for each prompt", default=1, validators=[MinValueValidator(1)]
    )
    # Set when a rule above has changed: decisions made by the old one are made again.
    is_stale = models.BooleanField(default=False, editable=False)

    class Meta:
        verbose_name = "exception procedure"
        constraints = [
            models.CheckConstraint(
                condition=Q(answers_wanted__gt=0, fails_at__gt=0, choices_wanted__gt=0),
                name="winoventi_project_wants_answers",
            ),
        ]
        indexes = [models.Index(fields=["id"], condition=Q(is_stale=True), name="winoventi_project_stale")]

    def __str__(self) -> str:
        return f"The exception procedure of {self.study}"

    @property
    def stopped_words(self) -> frozenset[str]:
        return frozenset(word.strip().lower() for word in self.stop_list.splitlines() if word.strip())


class Step(models.Model):
    """One step of a project: whether it goes on by itself, and for workers its batch and their limit."""

    class Kind(models.TextChoices):
        GENERICS = "generics", "1. Generic associations"
        EXCEPTIONS = "exceptions", "2. Exceptions"
        FILTER = "filter", "3. Adversarial filter"
        PREMISES = "premises", "4. Premises"
        VALIDATIONS = "validations", "5. Validation"
        CHOICES = "choices", "Human performance"

    TASKS: ClassVar[dict[str, str]] = {
        Kind.EXCEPTIONS: domain.EXCEPTIONS,
        Kind.PREMISES: domain.PREMISES,
        Kind.VALIDATIONS: domain.VALIDATE,
        Kind.CHOICES: domain.CHOOSE,
    }

    project = models.ForeignKey(Project, models.CASCADE, related_name="steps")
    kind = models.CharField(max_length=16, choices=Kind)
    by_itself = models.BooleanField(
        "goes on by itself",
        default=False,
        help_text="On: whatever passes the step before enters this one at once. Off: on a click.",
    )
    most_per_worker = models.PositiveIntegerField(
        "answers of one worker, at most", null=True, blank=True, validators=[MinValueValidator(1)]
    )
    batch = models.ForeignKey(
        Batch,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The launched batch that does this step. It grows with what goes on by itself.",
    )
    # Why the batch did not grow at the last try.
    problem = models.TextField(blank=True, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "kind"], name="winoventi_step_once")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.project.study}"

    @property
    def task(self) -> str:
        """The task that workers do in this step; empty where none do it."""
        return self.TASKS.get(self.kind, "")
