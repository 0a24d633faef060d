import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q

from crowd.pictures import domain

SVG = "image/svg+xml"
# Lengths of the longer side in pixels: in lists, and on question pages.
SIZES = (160, 480)
LONGEST_REASON = 200


def new_key() -> str:
    return secrets.token_urlsafe(16)


class Unfit(models.TextChoices):
    """Reasons why a picture is not fit for the pool; the checkers' keys are 1 to 5 in this order."""

    MISMATCH = "mismatch", "It does not show its concept"
    WORDS = "words", "It shows written words"
    INAPPROPRIATE = "inappropriate", "It is inappropriate"
    QUALITY = "quality", "It is too small, blurred or cropped"
    RIGHTS = "rights", "Its source or licence is not clear"
    PROFANE = "profane", "Its concept is profane"
    CONCEPT = "concept", "It shows the name of its concept, or a part of it"


# Reasons that the letters on a picture give by themselves.
FLAGS = (Unfit.WORDS, Unfit.CONCEPT)


class Pictures(models.QuerySet["Picture"]):
    def playable(self) -> "Pictures":
        """Pictures that image sets are drawn from."""
        return self.filter(status=Picture.Status.FIT, in_pool=True)

    def unread(self) -> "Pictures":
        """Photographs that wait for somebody to read the letters on them; drawings say theirs themselves."""
        return self.filter(read_by="").exclude(media_type=SVG)

    def flagged(self) -> "Pictures":
        """Pictures on which letters were found, whatever was decided about them."""
        return self.filter(Q(shows_words=True) | Q(shows_concept=True))

    def undecided(self) -> "Pictures":
        """Pictures that only their letters have made unfit: nobody has decided about them."""
        return self.filter(
            status=Picture.Status.UNFIT,
            unfit_reason__in=FLAGS,
            flagged_at__isnull=False,
            checked_at=None,
            in_pool=True,
        )


class Picture(models.Model):
    """A picture of the pool. Its address is unguessable and says nothing of what it shows.

    Never deleted, because data refer to it: a removed one stays, and is shown to nobody but staff.
    """

    class Status(models.TextChoices):
        WAITING = "waiting", "Waits for the check"
        FIT = "fit", "Fit"
        UNFIT = "unfit", "Unfit"
        REMOVED = "removed", "Removed"

    TRANSITIONS = {
        Status.WAITING: {Status.FIT, Status.UNFIT, Status.REMOVED},
        Status.FIT: {Status.WAITING, Status.UNFIT, Status.REMOVED},
        Status.UNFIT: {Status.WAITING, Status.FIT, Status.REMOVED},
        Status.REMOVED: {Status.WAITING, Status.FIT, Status.UNFIT},
    }

    key = models.CharField(max_length=32, unique=True, default=new_key, editable=False)
    # Digests of the file as it is kept and served, and as it came, before metadata were taken out.
    sha256 = models.CharField("SHA-256", max_length=64, unique=True)
    original_sha256 = models.CharField("SHA-256 as it came", max_length=64, blank=True, db_index=True)
    concept = models.CharField(max_length=domain.LONGEST_CONCEPT, db_index=True)
    caption = models.CharField(max_length=500, blank=True)
    file = models.FileField(upload_to="pictures/")
    media_type = models.CharField(max_length=32)
    source = models.CharField(max_length=500, blank=True)
    credit = models.CharField(max_length=500, blank=True)
    licence = models.CharField(max_length=64, blank=True)
    added_at = models.DateTimeField(auto_now_add=True)
    # False: it belongs to an item made by hand. No set is drawn from it, and no rival is told of it.
    in_pool = models.BooleanField("image sets are drawn from it", default=True)

    status = models.CharField(max_length=8, choices=Status.choices, default=Status.WAITING)
    # The status to which a removed picture is restored.
    former_status = models.CharField(max_length=8, choices=Status.choices, blank=True)
    unfit_reason = models.CharField(max_length=16, choices=Unfit.choices, blank=True)
    removal_reason = models.CharField(max_length=LONGEST_REASON, blank=True)
    removed_at = models.DateTimeField(null=True)
    checked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    checked_at = models.DateTimeField(null=True)
    # The lease of the person who checks it, and how often it was skipped.
    claimed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    claimed_until = models.DateTimeField(null=True)
    skipped = models.PositiveIntegerField(default=0)

    # When letters on it made it unfit. From then on a person decides: it is not flagged a second time.
    flagged_at = models.DateTimeField(null=True, editable=False)

    # Findings of the background.
    prepared_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=300, blank=True)
    width = models.PositiveIntegerField(null=True)
    height = models.PositiveIntegerField(null=True)
    has_thumbnails = models.BooleanField(default=False)
    perceptual_hash = models.BigIntegerField(null=True)
    read_by = models.CharField("letters read by", max_length=64, blank=True)
    ocr_text = models.TextField("written on it", blank=True)
    shows_words = models.BooleanField(default=False)
    shows_concept = models.BooleanField(default=False)
    is_profane = models.BooleanField(default=False)

    objects = Pictures.as_manager()

    class Meta:
        permissions = [
            ("import_picture", "Can import pictures"),
            ("check_picture", "Can check pictures"),
            ("remove_picture", "Can remove and restore pictures"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    status="removed", removed_at__isnull=False, former_status__in=["waiting", "fit", "unfit"]
                )
                | (~Q(status="removed") & Q(former_status="", removed_at=None)),
                name="picture_removed_from_somewhere",
            ),
            models.CheckConstraint(
                condition=~Q(status="unfit") | ~Q(unfit_reason=""), name="picture_unfit_for_a_reason"
            ),
        ]
        indexes = [
            models.Index(fields=["status", "skipped", "id"], name="picture_by_status"),
            models.Index(fields=["checked_by", "-checked_at"], name="picture_by_checker"),
            models.Index(fields=["id"], condition=Q(prepared_at=None), name="picture_to_prepare"),
            models.Index(fields=["id"], condition=Q(read_by=""), name="picture_to_read"),
            models.Index(
                fields=["id"],
                condition=Q(in_pool=True, flagged_at=None, checked_at=None)
                & (Q(shows_words=True) | Q(shows_concept=True)),
                name="picture_to_flag",
            ),
        ]

    def __str__(self) -> str:
        return self.concept

    @property
    def is_drawing(self) -> bool:
        """Whether it is an SVG, which serves as its own thumbnail and has no perceptual hash."""
        return self.media_type == SVG

    @property
    def is_flagged(self) -> bool:
        return self.shows_words or self.shows_concept

    @property
    def is_undecided(self) -> bool:
        """Whether only its letters have made it unfit."""
        return self.in_pool and self.status == self.Status.UNFIT and self.has_reason_of_letters

    @property
    def has_reason_of_letters(self) -> bool:
        """Whether its letters alone have given the reason why it is, or was, unfit."""
        return self.flagged_at is not None and self.checked_at is None and self.unfit_reason in FLAGS

    @property
    def written_words(self) -> str:
        """The words that were read on it, short enough for a line."""
        return self.ocr_text if len(self.ocr_text) <= 120 else f"{self.ocr_text[:117]}…"

    def thumbnail_name(self, size: int) -> str:
        return f"thumbnails/{self.key}-{size}.webp"


def are_near_duplicates(first: Picture, second: Picture) -> bool:
    """Whether an image set should not show both."""
    return domain.are_near(first.perceptual_hash, second.perceptual_hash)
