from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from hits.studies.models import Study

AT_LEAST_ONE = [MinValueValidator(1)]


class Project(models.Model):
    """The weird images of one study, and the rules for them."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="whoops")
    control_wanted = models.PositiveSmallIntegerField(
        "people in the control group, for each image", default=3, validators=AT_LEAST_ONE
    )
    control_needed = models.PositiveSmallIntegerField(
        "so many of them must see what is weird", default=2, validators=AT_LEAST_ONE
    )
    reviews_wanted = models.PositiveSmallIntegerField(
        "reviewers who check each image for harm", default=4, validators=AT_LEAST_ONE
    )
    annotations_wanted = models.PositiveSmallIntegerField(
        "workers who annotate each image", default=5, validators=AT_LEAST_ONE
    )
    judges_wanted = models.PositiveSmallIntegerField(
        "workers who judge each question",
        default=3,
        validators=AT_LEAST_ONE,
        help_text="An odd number, so that there is always a majority.",
    )
    image_pay = models.DecimalField(
        "dollars for each accepted image",
        max_digits=13,
        decimal_places=2,
        default=Decimal("6.00"),
        validators=[MinValueValidator(Decimal("0.01"))],
    )
    negatives = models.PositiveSmallIntegerField(
        "per cent of answers that are wrong on purpose",
        default=25,
        validators=[MaxValueValidator(90)],
        help_text="How many wrong answers, taken from other images, are verified beside the right ones.",
    )
    grows_by_itself = models.BooleanField(
        "launched batches grow",
        default=False,
        help_text="On: images that are ready are asked about at once, within the budget. Off: on a click.",
    )
    second_filter = models.CharField(
        "second text filter",
        max_length=40,
        blank=True,
        help_text="It reads annotations beside the word list, from now on; what it finds is held back, too.",
    )
    guide = models.TextField(
        "words to designers", blank=True, max_length=5000, help_text="Shown above the guidelines."
    )

    class Meta:
        verbose_name = "weird images"
        verbose_name_plural = "weird images"
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    control_needed__gt=0,
                    control_wanted__gte=F("control_needed"),
                    reviews_wanted__gt=0,
                    annotations_wanted__gt=0,
                    judges_wanted__gt=0,
                    image_pay__gt=0,
                    negatives__lte=90,
                ),
                name="whoops_project_can_be_met",
            ),
        ]

    def __str__(self) -> str:
        return f"Weird images of {self.study}"
