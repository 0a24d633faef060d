from django.db import models
from django.db.models import Q

from crowd.pictures.models import Picture
from crowd.whoops import domain
from crowd.whoops.models.images import Image
from crowd.whoops.models.projects import Project
from crowd.whoops.models.samples import Sample
from hits.work.models.items import Item


class Question(models.Model):
    """A question that people judge about an image. Votes are scores of its item, one measure per option."""

    class Kind(models.TextChoices):
        IDENTIFY = domain.IDENTIFY, "Weird or normal"
        EXPLAIN = domain.EXPLAIN, "Explanations"
        VERIFY = domain.VERIFY, "Questions and answers"
        RATE = domain.RATE, "Captions"

    class Variant(models.TextChoices):
        WEIRD = "weird", "Weird"
        NORMAL = "normal", "Normal"
        NATURAL = "natural", "Natural"

    project = models.ForeignKey(Project, models.CASCADE, related_name="questions")
    kind = models.CharField(max_length=32, choices=Kind)
    # Names the question in files, and makes a repeated import add nothing.
    key = models.CharField(max_length=120)
    image = models.ForeignKey(Image, models.PROTECT, null=True, related_name="questions")
    variant = models.CharField(max_length=8, choices=Variant, default=Variant.WEIRD)
    picture = models.ForeignKey(Picture, models.PROTECT, related_name="+")
    # The words of the question, for kinds that have any.
    text = models.CharField(max_length=500, blank=True)
    item = models.OneToOneField(Item, models.PROTECT, null=True, related_name="whoops_question")
    added_at = models.DateTimeField()
    # The sample that it was drawn in, and its place there, from 1; a wrong answer has its right one's place.
    sample = models.ForeignKey(Sample, models.PROTECT, null=True, related_name="questions", editable=False)
    sample_place = models.PositiveIntegerField(null=True, editable=False)
    # Set when the question is withdrawn: nobody is asked any more, and no figure counts it.
    withdrawn_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "kind", "key"], name="whoops_question_once"),
            models.CheckConstraint(
                condition=Q(sample=None, sample_place=None)
                | Q(sample__isnull=False, sample_place__isnull=False),
                name="whoops_sampled_question_has_place",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "kind"], condition=Q(item=None), name="whoops_question_to_ask"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.key}"


class Option(models.Model):
    """An option that judges can mark. Their pages show neither its source nor its label."""

    question = models.ForeignKey(Question, models.CASCADE, related_name="options")
    number = models.PositiveSmallIntegerField()
    text = models.CharField(max_length=500, blank=True)
    # "people", "designer", or the name of a model.
    source = models.CharField(max_length=120, blank=True)
    # What is known of the option: weird, or right. None: only the judges can say.
    label = models.BooleanField(null=True)

    class Meta:
        ordering = ("question", "number")
        constraints = [models.UniqueConstraint(fields=["question", "number"], name="whoops_option_once")]

    def __str__(self) -> str:
        return self.text

    @property
    def measure(self) -> str:
        return domain.OPTION.format(number=self.number)
