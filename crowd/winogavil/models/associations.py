from fractions import Fraction

from django.db import models
from django.db.models import F, Q

from crowd.pictures.models import Picture
from crowd.winogavil.domain import reaches
from crowd.winogavil.models.picture_sets import PictureSet
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item


class Association(models.Model):
    """A cue and the candidates that its author chose for it. Final once every wanted solver has answered."""

    class Source(models.TextChoices):
        FILE = "file", "a researcher's file"
        WORKER = "worker", "a worker's HIT"
        PLAYER = "player", "a player of the web game"
        RECORDED = "recorded", "work recorded elsewhere"
        TEST = "test", "a creator's test"
        SWOW = "swow", "an association list (SWOW baseline)"

    item = models.OneToOneField(Item, models.PROTECT, related_name="association")
    source = models.CharField(max_length=8, choices=Source, default=Source.FILE)
    # The picture set that its author was shown; recordings and files have none.
    picture_set = models.ForeignKey(PictureSet, models.PROTECT, null=True, related_name="associations")
    # The same for all associations of the same candidates, in whatever order they were shown.
    set_key = models.CharField(max_length=32, editable=False)
    # The association's name in its recording.
    recorded_as = models.CharField(max_length=64, blank=True, editable=False)
    # One word of 30 letters at most where we ask for it; a recording has whatever was accepted elsewhere.
    cue = models.CharField(max_length=200)
    # Score of the rival that is paid on, by its verdict on the item's query (scoring.models.Verdict).
    model_score = models.PositiveSmallIntegerField(null=True)
    asked_at = models.DateTimeField(null=True)
    solvers_numerator = models.PositiveIntegerField(null=True, editable=False)
    solvers_denominator = models.PositiveIntegerField(null=True, editable=False)
    final_at = models.DateTimeField(null=True)
    # When the author was last credited with the scores of this association; None: that is still to do.
    told_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(model_score=None) | Q(model_score__lte=100),
                name="association_model_score_per_cent",
            ),
            models.CheckConstraint(
                condition=Q(asked_at=None, model_score=None)
                | Q(asked_at__isnull=False, model_score__isnull=False),
                name="association_asked_has_score",
            ),
            models.CheckConstraint(
                condition=Q(final_at=None)
                | Q(
                    solvers_numerator__isnull=False,
                    solvers_denominator__isnull=False,
                    solvers_denominator__gt=0,
                    solvers_numerator__lte=F("solvers_denominator"),
                ),
                name="association_final_has_mean",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(asked_at=None), name="association_to_ask"),
            models.Index(fields=["id"], condition=Q(final_at=None), name="association_open"),
            models.Index(
                fields=["id"],
                condition=Q(final_at__isnull=False, asked_at__isnull=False, told_at=None),
                name="association_to_tell",
            ),
            models.Index(fields=["set_key"], name="association_by_set"),
            models.Index(
                fields=["recorded_as"], condition=~Q(recorded_as=""), name="association_by_recording"
            ),
        ]

    def __str__(self) -> str:
        return self.cue

    @property
    def fool_score(self) -> int | None:
        return None if self.model_score is None else 100 - self.model_score

    @property
    def solvers_mean(self) -> Fraction | None:
        if self.solvers_numerator is None or not self.solvers_denominator:
            return None
        return Fraction(self.solvers_numerator, self.solvers_denominator)

    def is_selected(self, *, threshold: int) -> bool:
        """True if people solve it; whether a model does makes no difference. `threshold` is in per cent."""
        numerator, denominator = self.solvers_numerator, self.solvers_denominator
        if self.final_at is None or numerator is None or not denominator:
            return False
        return reaches(numerator, denominator, threshold=threshold)

    @property
    def chosen_keys(self) -> frozenset[str]:
        return frozenset(place.picture.key for place in self.places.all() if place.chosen and place.picture)


class Place(models.Model):
    """One candidate of an association: where it was shown, and whether the author and the model chose it."""

    association = models.ForeignKey(Association, models.CASCADE, related_name="places")
    # None only in recordings, which name the pictures shown but do not have them.
    picture = models.ForeignKey(Picture, models.PROTECT, null=True, related_name="+")
    # The picture's concept when it was shown; a recording's own name for it.
    label = models.CharField(max_length=64)
    position = models.PositiveSmallIntegerField()
    chosen = models.BooleanField()
    predicted = models.BooleanField(null=True)

    class Meta:
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=["association", "position"], name="place_position_once"),
            models.UniqueConstraint(fields=["association", "picture"], name="place_picture_once"),
        ]

    def __str__(self) -> str:
        return f"{self.position}: {self.label}"


class Solution(models.Model):
    """One solver's answer that counts, written when the association becomes final.

    Statistics and exports read these rows. They can be rebuilt from the raw answers of assignments, except a
    recording's: those have no assignment, and are the original.
    """

    purge_path = "association__item__study"

    association = models.ForeignKey(Association, models.CASCADE, related_name="solutions")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="+")
    assignment = models.ForeignKey(Assignment, models.PROTECT, null=True, related_name="+")
    # Positions of the association's places, in order.
    picked: "models.JSONField[list[int], list[int]]" = models.JSONField()
    # The Jaccard index with what the author chose.
    numerator = models.PositiveSmallIntegerField()
    denominator = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["association", "worker"], name="solution_once_per_worker"),
            models.CheckConstraint(
                condition=Q(denominator__gt=0, numerator__lte=F("denominator")), name="solution_is_a_share"
            ),
        ]
        indexes = [models.Index(fields=["worker"], name="solution_by_worker")]

    def __str__(self) -> str:
        return f"{self.association_id}: {self.numerator}/{self.denominator}"

    @property
    def value(self) -> Fraction:
        return Fraction(self.numerator, self.denominator)
