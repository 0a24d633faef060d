from typing import ClassVar
from uuid import uuid4

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from crowd.benchmarks.models import Result
from crowd.releases.models import Release
from hits.identity.models.users import User

MOST_A_DAY = 50


class Board(models.Model):
    """The public page of a published release, and its board of models. It is off until somebody opens it."""

    release = models.OneToOneField(Release, models.CASCADE, related_name="board")
    is_open = models.BooleanField(default=False)
    opened_at = models.DateTimeField(null=True)
    opened_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    citation = models.TextField(
        "how to cite it",
        max_length=2_000,
        blank=True,
        help_text="A paper, for example. Empty: the title, version, lab and address of these data.",
    )
    takes_submissions = models.BooleanField(
        "models can be submitted from outside",
        default=False,
        help_text="By whoever has a link that you made for them.",
    )
    daily_limit = models.PositiveSmallIntegerField(
        "submissions a day",
        default=3,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_A_DAY)],
        help_text="For each link, within 24 hours. Files that are refused do not count.",
    )
    downloads = models.PositiveBigIntegerField(default=0, editable=False)

    class Meta:
        permissions = [("open_board", "Can open the public page of a release")]
        constraints = [
            models.CheckConstraint(
                condition=Q(is_open=False) | Q(opened_at__isnull=False), name="board_opened_at_some_time"
            )
        ]

    def __str__(self) -> str:
        return f"The public page of {self.release}"


class Invitation(models.Model):
    """Somebody outside who may submit models, by a link of their own."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    board = models.ForeignKey(Board, models.CASCADE, related_name="invitations")
    name = models.CharField(
        max_length=80,
        help_text="A person or a team, for you and your colleagues. The board never shows it.",
    )
    # The link carries this number: a new one ends every earlier link.
    link_number = models.PositiveIntegerField(default=1)
    link_until = models.DateTimeField()
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    seen_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("name", "pk")
        constraints = [models.UniqueConstraint(fields=["board", "name"], name="board_invitation_name_once")]

    def __str__(self) -> str:
        return self.name


class Submission(models.Model):
    """A model's answers from outside. Every one is kept, whatever becomes of it."""

    class Status(models.TextChoices):
        WAITING = "waiting", "Waits for a researcher"
        LISTED = "listed", "On the board"
        DECLINED = "declined", "Not on the board"

    TRANSITIONS: ClassVar[dict[Status, set[Status]]] = {
        Status.WAITING: {Status.LISTED, Status.DECLINED},
        Status.LISTED: {Status.DECLINED},
        Status.DECLINED: {Status.LISTED},
    }

    # The key of the form that sent it: sent twice, it is one submission.
    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    invitation = models.ForeignKey(Invitation, models.CASCADE, related_name="submissions")
    result = models.OneToOneField(Result, models.CASCADE, related_name="submission")
    status = models.CharField(max_length=8, choices=Status, default=Status.WAITING)
    # What the submitter reads about the decision.
    words = models.CharField(max_length=500, blank=True)
    submitted_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("-pk",)
        indexes = [models.Index(fields=["invitation", "submitted_at"], name="board_submission_by_day")]
        constraints = [
            models.CheckConstraint(
                condition=Q(status="waiting", decided_at=None)
                | (~Q(status="waiting") & Q(decided_at__isnull=False)),
                name="board_submission_decided_at_some_time",
            )
        ]

    def __str__(self) -> str:
        return str(self.result)
