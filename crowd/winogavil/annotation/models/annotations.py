from collections.abc import Sequence
from fractions import Fraction

from django.db import models
from django.db.models import F, Q

from crowd.winogavil.annotation.models.draws import Draw, Kind
from crowd.winogavil.models import Association, Place
from hits.identity.models.workers import Worker
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item


class Annotation(models.Model):
    """One question about a selected association, put to three people. Final once they have answered.

    An annotation has an item of its own, so no answer to it touches the association's own solving.
    """

    item = models.OneToOneField(Item, models.PROTECT, related_name="annotation")
    draw = models.ForeignKey(Draw, models.PROTECT, related_name="annotations")
    kind = models.CharField(max_length=8, choices=Kind)
    association = models.ForeignKey(Association, models.PROTECT, related_name="annotations")
    # A type is about one picture chosen for the cue; the other kinds are about all pictures (None).
    place = models.ForeignKey(Place, models.PROTECT, null=True, related_name="annotations")
    # Labels that most annotators name: often none, and for the baseline never any.
    labels: "models.JSONField[list[str], list[str]]" = models.JSONField(default=list)
    # For the baseline only: the mean of the newcomers' Jaccard indices.
    numerator = models.PositiveIntegerField(null=True)
    denominator = models.PositiveIntegerField(null=True)
    final_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["association", "kind"], condition=Q(place=None), name="annotation_once_per_kind"
            ),
            models.UniqueConstraint(
                fields=["place"], condition=Q(place__isnull=False), name="annotation_once_per_place"
            ),
            models.CheckConstraint(
                condition=Q(kind="types", place__isnull=False) | (~Q(kind="types") & Q(place=None)),
                name="annotation_type_has_place",
            ),
            models.CheckConstraint(
                condition=Q(numerator=None, denominator=None)
                | Q(kind="baseline", denominator__gt=0, numerator__lte=F("denominator")),
                name="annotation_mean_is_a_share",
            ),
            models.CheckConstraint(
                condition=~Q(kind="baseline")
                | Q(final_at=None, numerator=None)
                | Q(final_at__isnull=False, numerator__isnull=False),
                name="annotation_final_baseline_has_mean",
            ),
        ]
        indexes = [models.Index(fields=["id"], condition=Q(final_at=None), name="annotation_open")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.association}"

    @property
    def mean(self) -> Fraction | None:
        return None if not self.denominator else Fraction(self.numerator or 0, self.denominator)

    @property
    def shown_places(self) -> Sequence[Place]:
        """Places of the association that have a picture, in the author's order."""
        return [place for place in self.association.places.all() if place.picture]


class Judgements(models.QuerySet["Judgement"]):
    def named(self) -> "Judgements":
        """Judgements in the order given, with the pseudonym of the worker and nothing else of that worker."""
        named = self.select_related("worker").only("annotation", "given", "worker__pseudonym")
        return named.order_by("pk")


class Judgement(models.Model):
    """One annotator's answer that counts, written when the annotation becomes final."""

    purge_path = "annotation__item__study"

    annotation = models.ForeignKey(Annotation, models.CASCADE, related_name="judgements")
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="+")
    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="+")
    # Labels; for the baseline, the positions of the places picked.
    given: "models.JSONField[list[str] | list[int], list[str] | list[int]]" = models.JSONField()
    # For the baseline only: the Jaccard index with what the author chose.
    numerator = models.PositiveSmallIntegerField(null=True)
    denominator = models.PositiveSmallIntegerField(null=True)

    objects = Judgements.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotation", "worker"], name="judgement_once_per_worker"),
            models.CheckConstraint(
                condition=Q(numerator=None, denominator=None)
                | Q(denominator__gt=0, numerator__lte=F("denominator")),
                name="judgement_is_a_share",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.annotation_id}: {self.given}"

    @property
    def share(self) -> Fraction:
        """Jaccard index with the author's choice; only judgements of the baseline have one."""
        return Fraction(self.numerator or 0, self.denominator or 1)
