from django.conf import settings
from django.db import models
from django.db.models import Q

from crowd.pictures import domain
from crowd.pictures.models.pictures import Picture
from qualifications.models import SwowList


class Import(models.Model):
    """A file that brings pictures. Its lines are requests, which the background fulfils one by one."""

    name = models.CharField(max_length=200)
    # The archive with the pictures, until all of them are in.
    file = models.FileField(upload_to="imports/", blank=True)
    # True if every picture of it was looked at before: none needs a check here.
    is_checked = models.BooleanField(default=False)
    # The association list whose concepts it was to fill: lines about others were left out, and so were lines
    # that name no picture.
    swow = models.ForeignKey(
        SwowList, models.SET_NULL, null=True, related_name="+", verbose_name="association list"
    )
    unwanted_lines = models.PositiveIntegerField(default=0)
    empty_lines = models.PositiveIntegerField(default=0)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["id"], condition=Q(begun_at__isnull=False, ended_at=None), name="import_running"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Request(models.Model):
    """A requested picture, from an address or out of the import's archive. The row is the queue."""

    class Status(models.TextChoices):
        WAITING = "waiting", "Waits"
        ADDED = "added", "Added"
        DUPLICATE = "duplicate", "In the pool already"
        FAILED = "failed", "Failed"

    TRANSITIONS = {
        Status.WAITING: {Status.ADDED, Status.DUPLICATE, Status.FAILED},
        Status.ADDED: set(),
        Status.DUPLICATE: set(),
        Status.FAILED: {Status.WAITING},
    }

    importing = models.ForeignKey(Import, models.CASCADE, related_name="requests")
    # The place where the researcher finds it: "Line 3", or the file's name.
    place = models.CharField(max_length=300)
    concept = models.CharField(max_length=domain.LONGEST_CONCEPT)
    caption = models.CharField(max_length=500, blank=True)
    source = models.CharField(max_length=500, blank=True)
    credit = models.CharField(max_length=500, blank=True)
    licence = models.CharField(max_length=64, blank=True)
    url = models.CharField(max_length=2000, blank=True)
    member = models.CharField(max_length=1000, blank=True)
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    # Null until the import begins.
    try_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=500, blank=True)
    picture = models.ForeignKey(Picture, models.PROTECT, null=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=(Q(url="") & ~Q(member="")) | (~Q(url="") & Q(member="")),
                name="request_from_one_place",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["added", "duplicate"], picture__isnull=False)
                | Q(status__in=["waiting", "failed"], picture=None),
                name="request_fulfilled_has_picture",
            ),
        ]
        indexes = [
            models.Index(fields=["try_at", "id"], condition=Q(status="waiting"), name="request_due"),
            models.Index(fields=["importing", "status"], name="request_of_import"),
        ]

    def __str__(self) -> str:
        return f"{self.place}: {self.concept}"
