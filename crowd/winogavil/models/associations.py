from fractions import Fraction

from django.db import models
from django.db.models import F, Q

from crowd.pictures.models import Picture
from hits.models import Item


class Association(models.Model):
    """A cue and the candidates that its author chose for it. Final once every wanted solver has answered."""

    item = models.OneToOneField(Item, models.PROTECT, related_name="association")
    cue = models.CharField(max_length=30)
    # Of the rival that is paid on, by its verdict on the item's riddle (scoring.models.Verdict).
    model_score = models.PositiveSmallIntegerField(null=True)
    asked_at = models.DateTimeField(null=True)
    solvers_numerator = models.PositiveIntegerField(null=True, editable=False)
    solvers_denominator = models.PositiveIntegerField(null=True, editable=False)
    solvable = models.BooleanField(null=True)
    final_at = models.DateTimeField(null=True)

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
                    solvable__isnull=False,
                    solvers_denominator__gt=0,
                    solvers_numerator__lte=F("solvers_denominator"),
                ),
                name="association_final_has_mean",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(asked_at=None), name="association_to_ask"),
            models.Index(fields=["id"], condition=Q(final_at=None), name="association_open"),
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

    @property
    def chosen_keys(self) -> frozenset[str]:
        return frozenset(place.picture.key for place in self.places.all() if place.chosen)


class Board(models.Model):
    """The pictures of one create HIT, in the order shown. Whoever works on it invents cues for them."""

    item = models.OneToOneField(Item, models.PROTECT, related_name="board")

    def __str__(self) -> str:
        return f"board {self.pk}"


class BoardPlace(models.Model):
    board = models.ForeignKey(Board, models.CASCADE, related_name="places")
    picture = models.ForeignKey(Picture, models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=["board", "position"], name="board_position_once"),
            models.UniqueConstraint(fields=["board", "picture"], name="board_picture_once"),
        ]

    def __str__(self) -> str:
        return f"{self.position}: {self.picture}"


class Place(models.Model):
    """One candidate of an association, where it was shown, and who picked it."""

    association = models.ForeignKey(Association, models.CASCADE, related_name="places")
    picture = models.ForeignKey(Picture, models.PROTECT, related_name="+")
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
        return f"{self.position}: {self.picture}"
