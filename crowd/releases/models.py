from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from crowd.winogavil.models import Association
from hits.identity.models.users import User
from hits.studies.models import Study

VERSION = RegexValidator(
    r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z", "A version is letters, digits, dots and dashes, such as 1.0."
)


class Release(models.Model):
    """The data of a study as they were at one moment, in files that never change again.

    The rows are the queue: a sweep writes a release bit by bit, and goes on wherever it was stopped.
    """

    class Status(models.TextChoices):
        FREEZING = "freezing", "Reading the associations"
        WRITING = "writing", "Writing the files"
        READY = "ready", "Ready"
        RELEASED = "released", "Published"
        FAILED = "failed"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.FREEZING: {Status.WRITING, Status.FAILED},
        Status.WRITING: {Status.READY, Status.FAILED},
        Status.READY: {Status.RELEASED},
        Status.RELEASED: set(),
        Status.FAILED: {Status.FREEZING},
    }
    BEING_MADE = (Status.FREEZING, Status.WRITING)
    COMPLETE = (Status.READY, Status.RELEASED)

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="releases")
    title = models.CharField(max_length=128, help_text="What the data are called on their card.")
    version = models.CharField(
        max_length=32, validators=[VERSION], help_text="Such as 1.0. Each version of a study is made once."
    )
    licence = models.CharField(
        max_length=64,
        default="CC BY 4.0",
        help_text="Of the cues, the choices and the answers. Pictures keep their own.",
    )
    notes = models.TextField(
        max_length=5_000, blank=True, help_text="Printed on the card: what is special about these data."
    )
    # Whose associations: of Association.Source.
    sources: "models.JSONField[list[str], list[str]]" = models.JSONField(default=list)
    with_rest = models.BooleanField(
        "the full form has what people did not solve, too",
        default=False,
        help_text="The published form never has it.",
    )
    linkable = models.BooleanField(
        "people keep their pseudonyms from release to release",
        default=False,
        help_text="Off: nobody can follow a person through several releases by the pseudonym.",
    )
    status = models.CharField(max_length=16, choices=Status, default=Status.FREEZING)
    problem = models.CharField(max_length=500, blank=True)
    made_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    # The moment: nothing that became final later is in it.
    made_at = models.DateTimeField()
    ready_at = models.DateTimeField(null=True)
    released_at = models.DateTimeField(null=True)
    released_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    # How far the reading is: after which association, at which byte of the file; and of how many.
    cursor = models.BigIntegerField(default=0)
    written = models.BigIntegerField(default=0)
    rows_wanted = models.PositiveIntegerField(default=0)
    rows_done = models.PositiveIntegerField(default=0)
    # Concepts of several pictures, found once for all of its rows.
    ambiguous: "models.JSONField[list[str], list[str]]" = models.JSONField(default=list)
    # [{"name", "bytes", "sha256", "rows"}], in the order in which they were written.
    files: "models.JSONField[list[dict[str, Any]], list[dict[str, Any]]]" = models.JSONField(default=list)
    # What its card says in numbers.
    counts: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(default=dict)

    class Meta:
        ordering = ("-pk",)
        permissions = [("publish_release", "Can declare a release as published")]
        constraints = [
            models.UniqueConstraint(fields=["study", "version"], name="release_version_once"),
            models.CheckConstraint(
                condition=~Q(status__in=("ready", "released")) | Q(ready_at__isnull=False),
                name="release_ready_at_some_time",
            ),
            models.CheckConstraint(
                condition=Q(status="released", released_at__isnull=False)
                | (~Q(status="released") & Q(released_at=None)),
                name="release_released_at_some_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["id"], condition=Q(status__in=("freezing", "writing")), name="release_to_write"
            )
        ]

    def __str__(self) -> str:
        return f"{self.title} {self.version}"

    @property
    def salt(self) -> str:
        """Of its pseudonyms. They are keyed too, so that nobody outside can try people out."""
        return str(self.study.public_id if self.linkable else self.public_id)

    @property
    def folder(self) -> Path:
        """Private: only a page that asks who is looking sends anything of it."""
        return Path(settings.MEDIA_ROOT) / "private" / "releases" / str(self.public_id)

    @property
    def is_being_made(self) -> bool:
        return self.status in self.BEING_MADE

    @property
    def is_complete(self) -> bool:
        return self.status in self.COMPLETE


class ReleaseItem(models.Model):
    """One association of a release, as far as predictions are held against it."""

    release = models.ForeignKey(Release, models.CASCADE, related_name="items")
    association = models.ForeignKey(Association, models.PROTECT, related_name="+")
    # What the files call it.
    public_id = models.UUIDField()
    # Part of the published form.
    selected = models.BooleanField()
    candidates: "models.JSONField[list[str], list[str]]" = models.JSONField()
    # Positions among them.
    chosen: "models.JSONField[list[int], list[int]]" = models.JSONField()
    size = models.PositiveSmallIntegerField()
    k = models.PositiveSmallIntegerField()
    # The mean of its solvers.
    numerator = models.PositiveIntegerField()
    denominator = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "association"], name="release_item_once"),
            models.UniqueConstraint(fields=["release", "public_id"], name="release_item_by_name"),
            models.CheckConstraint(condition=Q(denominator__gt=0), name="release_item_has_mean"),
        ]

    def __str__(self) -> str:
        return str(self.public_id)
