from django.core.validators import MaxValueValidator
from django.db import models

MOST = 10**15
STATED = ("pretraining_images", "pretraining_captions", "trained_for")
FACTS = ("parameters", *STATED)


class ModelFacts(models.Model):
    """What is known of a model beside its answers, as papers tell it. Nothing is known of some."""

    parameters = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        validators=[MaxValueValidator(MOST)],
        help_text="How many numbers it has learned.",
    )
    pretraining_images = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        validators=[MaxValueValidator(MOST)],
        help_text="How many images it has learned from. What a part of it had learned before does not count.",
    )
    pretraining_captions = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        validators=[MaxValueValidator(MOST)],
        help_text="How many captions it has learned from, counted the same way.",
    )
    trained_for = models.CharField(
        max_length=200, blank=True, help_text="Such as: image-text matching, masked language modeling."
    )

    class Meta:
        abstract = True

    @property
    def has_facts(self) -> bool:
        return any(getattr(self, name) not in (None, "") for name in FACTS)
