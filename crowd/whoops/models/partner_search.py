from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from crowd.pictures.models import Picture
from crowd.whoops.models.images import Image
from crowd.whoops.models.projects import Project
from scoring.models import RegisteredRival


class PartnerSearch(models.Model):
    """A search of the pool for natural partners, by a registered model. The row is the queue."""

    class Status(models.TextChoices):
        OPEN = "open", "Being searched"
        DONE = "done", "Searched"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {Status.OPEN: {Status.DONE}, Status.DONE: set()}

    project = models.ForeignKey(Project, models.CASCADE, related_name="partner_searches")
    rival = models.ForeignKey(RegisteredRival, models.PROTECT, related_name="+")
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    # The number of the last image for which pictures were found.
    cursor = models.PositiveIntegerField(default=0)
    # What it waits for.
    problem = models.CharField(max_length=500, blank=True)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["project"], condition=Q(status="open"), name="whoops_one_search_at_once"
            ),
        ]

    def __str__(self) -> str:
        return f"Natural partners found by {self.rival}"


class PartnerProposal(models.Model):
    """A picture of the pool that may be an image's natural partner, and the person who picked it."""

    search = models.ForeignKey(PartnerSearch, models.CASCADE, related_name="proposals")
    image = models.ForeignKey(Image, models.CASCADE, related_name="partner_proposals")
    picture = models.ForeignKey(Picture, models.PROTECT, related_name="+")
    # The nearest is 1.
    place = models.PositiveSmallIntegerField()
    cosine = models.FloatField()
    picked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    picked_at = models.DateTimeField(null=True)

    class Meta:
        default_permissions = ()
        ordering = ("image", "place")
        constraints = [
            models.UniqueConstraint(fields=["search", "image", "picture"], name="whoops_proposal_once"),
            models.CheckConstraint(
                condition=Q(picked_by=None, picked_at=None)
                | Q(picked_by__isnull=False, picked_at__isnull=False),
                name="whoops_proposal_picked_by_somebody",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.picture} for {self.image}"
