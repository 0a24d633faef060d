from pathlib import Path
from typing import Any, ClassVar
from uuid import uuid4

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q

from hits.identity.models.users import User
from hits.studies.models import Study

VERSION = RegexValidator(
    r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z", "A version is letters, digits, dots and dashes, such as 1.0."
)

# The file that is written last: everything is in it.
LAST_FILE = "everything.zip"


class Release(models.Model):
    """The data of a study as they were at one moment, in files that never change again.

    The rows are the queue: a sweep writes a release bit by bit, and goes on wherever it was stopped.
    """

    class Status(models.TextChoices):
        FREEZING = "freezing", "Reading the rows"
        WRITING = "writing", "Writing the files"
        READY = "ready", "Ready"
        RELEASED = "released", "Published"
        FAILED = "failed"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.FREEZING: {Status.WRITING, Status.FAILED},
        Status.WRITING: {Status.READY, Status.FAILED},
        Status.READY: {Status.RELEASED, Status.FAILED},  # failed only while it is being deleted
        Status.RELEASED: set(),
        Status.FAILED: {Status.FREEZING},
    }
    BEING_MADE = (Status.FREEZING, Status.WRITING)
    COMPLETE = (Status.READY, Status.RELEASED)

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="releases")
    # The family whose items it has.
    family = models.CharField(max_length=32, editable=False)
    title = models.CharField(max_length=128, help_text="Name of the data on their card.")
    version = models.CharField(
        max_length=32, validators=[VERSION], help_text="Such as 1.0. Each version of a study is made once."
    )
    licence = models.CharField(
        max_length=64,
        default="CC BY 4.0",
        help_text="License of the texts, choices and answers. Pictures keep their own.",
    )
    notes = models.TextField(
        max_length=5_000, blank=True, help_text="Printed on the card: what is special about these data."
    )
    # Sources of the items, in a family that has several.
    sources: "models.JSONField[list[str], list[str]]" = models.JSONField(default=list)
    # Its own, whatever becomes of the study's; None in a family that selects nothing by a threshold.
    selection_threshold = models.PositiveSmallIntegerField(
        "selection threshold, in per cent",
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="The published form has the associations whose solvers have a mean of at least this. Lower "
        "it for more data of lower quality, raise it for less of higher quality.",
    )
    with_rest = models.BooleanField(
        "the full form has what was withdrawn or not selected, too",
        default=False,
        help_text="The published form never has it.",
    )
    # Licences of pictures that allow them to be passed on: the pictures themselves are part of the release.
    picture_licences: "models.JSONField[list[str], list[str]]" = models.JSONField(default=list)
    # The seed of the splits, which are columns of the files; None: there are none.
    split_seed = models.PositiveIntegerField(null=True, blank=True)
    hides_test = models.BooleanField(
        "the labels of the test split stay here",
        default=False,
        help_text="No file, page or answer of the API has them: others can be measured by them.",
    )
    linkable = models.BooleanField(
        "people keep their pseudonyms from release to release",
        default=False,
        help_text="Off: a person has another pseudonym in each release.",
    )
    status = models.CharField(max_length=16, choices=Status, default=Status.FREEZING)
    problem = models.CharField(max_length=500, blank=True)
    made_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    # The moment of the data: nothing that became final later is in the release.
    made_at = models.DateTimeField()
    ready_at = models.DateTimeField(null=True)
    released_at = models.DateTimeField(null=True)
    released_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    # How far the reading is: the last association, the byte of the file, and the rows wanted and done.
    cursor = models.BigIntegerField(default=0)
    written = models.BigIntegerField(default=0)
    rows_wanted = models.PositiveIntegerField(default=0)
    rows_done = models.PositiveIntegerField(default=0)
    # Concepts of several pictures, found once for all of its rows.
    ambiguous: "models.JSONField[list[str], list[str]]" = models.JSONField(default=list)
    # Set while the bucket of its files is away: it goes on then.
    waits_until = models.DateTimeField(null=True, editable=False)
    # [{"name", "bytes", "sha256", "bucket"}], in the order in which they were written. Without a bucket, a
    # file is in the folder.
    files: "models.JSONField[list[dict[str, Any]], list[dict[str, Any]]]" = models.JSONField(default=list)
    # The numbers on its card.
    counts: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(default=dict)

    class Meta:
        ordering = ("-pk",)
        permissions = [("publish_release", "Can declare a release as published")]
        constraints = [
            models.UniqueConstraint(fields=["study", "family", "version"], name="release_version_once"),
            models.CheckConstraint(
                condition=Q(selection_threshold=None)
                | Q(selection_threshold__gte=1, selection_threshold__lte=100),
                name="release_selection_threshold_per_cent",
            ),
            models.CheckConstraint(
                condition=Q(hides_test=False) | Q(split_seed__isnull=False),
                name="release_hides_what_is_split",
            ),
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
        """Salt of the release's pseudonyms. They are keyed too, so that nobody outside can try people out."""
        return str(self.study.public_id if self.linkable else self.public_id)

    @property
    def folder(self) -> Path:
        """Private folder of the files: only pages that check the user's permission send anything of it."""
        return Path(settings.MEDIA_ROOT) / "private" / "releases" / str(self.public_id)

    @property
    def frozen(self) -> Path:
        """Folder of the frozen rows. Nothing of it is ever sent: it has what the files may have to hide."""
        if self.is_complete and "files" not in self.counts:
            # Of version 0.1.0, which hid nothing: its full form is what was frozen.
            return self.folder
        return self.folder.with_name(f"{self.public_id}-frozen")

    @property
    def stage(self) -> str:
        """What is being done, in words; copying is the last part of writing."""
        is_written = any(file["name"] == LAST_FILE for file in self.files)
        is_copying = self.status == self.Status.WRITING and settings.RELEASES_BUCKET and is_written
        return "Copying to the bucket" if is_copying else str(self.Status(self.status).label)

    @property
    def files_copied(self) -> int:
        return sum(1 for file in self.files if file.get("bucket"))

    @property
    def is_being_made(self) -> bool:
        return self.status in self.BEING_MADE

    @property
    def is_complete(self) -> bool:
        return self.status in self.COMPLETE
