"""Association lists (Small World of Words): the lists, their words, and an edge from each cue to a response.

There are millions of edges, so each is three numbers without a key of its own.
"""

from typing import ClassVar
from uuid import uuid4

from django.db import models
from django.db.models import Q

from qualifications.domain.association_files import LONGEST_WORD


class SwowList(models.Model):
    """One imported file, or the tags of some pictures. Queries see it once it is ready."""

    class Kind(models.TextChoices):
        R1 = "r1", "First responses"
        R123 = "r123", "All three responses"
        COUNTS = "counts", "Counts"
        TAGS = "tags", "Tags of pictures"

    class Status(models.TextChoices):
        IMPORTING = "importing"
        READY = "ready"
        FAILED = "failed"
        LEAVING = "leaving", "Being removed"

    TRANSITIONS: ClassVar = {
        Status.IMPORTING: {Status.READY, Status.FAILED, Status.LEAVING},
        Status.FAILED: {Status.IMPORTING, Status.LEAVING},
        Status.READY: {Status.LEAVING},
        Status.LEAVING: set(),
    }

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    name = models.CharField(max_length=128)
    language = models.CharField(max_length=16, default="en")
    kind = models.CharField(max_length=8, choices=Kind)
    status = models.CharField(max_length=16, choices=Status, default=Status.IMPORTING)
    sha256 = models.CharField("SHA-256 of the file", max_length=64)
    licence = models.CharField(max_length=200, blank=True)
    # How far the file has been read; written with what was read, so a second try goes on from here.
    lines_done = models.PositiveIntegerField(default=0, editable=False)
    rows = models.PositiveIntegerField(default=0)
    bad_lines = models.PositiveIntegerField(default=0)
    # The first problems of bad lines, in words.
    problems = models.JSONField(default=list, blank=True)
    # Why it failed.
    problem = models.CharField(max_length=500, blank=True)
    words_count = models.PositiveIntegerField("words", default=0)
    cues_count = models.PositiveIntegerField("cues", default=0)
    edges_count = models.PositiveIntegerField("associations", default=0)
    started_at = models.DateTimeField()
    imported_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "association list"
        ordering = ("name",)
        constraints = [
            models.UniqueConstraint(
                fields=["name"], condition=~Q(status="leaving"), name="swow_list_one_of_each_name"
            ),
            models.CheckConstraint(
                condition=~Q(status="ready") | Q(imported_at__isnull=False), name="swow_list_ready_is_dated"
            ),
            models.CheckConstraint(
                condition=~Q(status="failed") | ~Q(problem=""), name="swow_list_failed_says_why"
            ),
        ]
        indexes = [
            models.Index(fields=["sha256"], name="swow_list_by_file"),
            models.Index(fields=["id"], condition=Q(status="leaving"), name="swow_list_leaving"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_ready(self) -> bool:
        return self.status == self.Status.READY

    @property
    def fewest(self) -> int:
        """How many people make an association usable. One tag is enough, since it was given on purpose."""
        return 1 if self.kind == self.Kind.TAGS else 2


class SwowWord(models.Model):
    """A cue, a response, or both; folded, so that case does not matter."""

    list = models.ForeignKey(SwowList, models.CASCADE, related_name="words", db_index=False)
    text = models.CharField(max_length=LONGEST_WORD)
    # As a cue: how many answers the file says there were, and how many it names. Neither is ever too large.
    stated_total = models.PositiveIntegerField(default=0)
    counted_total = models.PositiveBigIntegerField(default=0)

    class Meta:
        verbose_name = "word"
        constraints = [models.UniqueConstraint(fields=["list", "text"], name="swow_word_once_a_list")]
        indexes = [
            models.Index(fields=["list"], condition=Q(counted_total__gt=0), name="swow_word_cues"),
        ]

    def __str__(self) -> str:
        return self.text

    @property
    def total(self) -> int:
        """Total of all answers. The counts exceed N only where cues that differ by case alone were merged."""
        return max(self.stated_total, self.counted_total)


class SwowEdge(models.Model):
    """How many people said the response to the cue. Its strength is the count divided by the cue's total."""

    pk = models.CompositePrimaryKey("cue_id", "response_id")
    cue = models.ForeignKey(SwowWord, models.CASCADE, related_name="responses", db_index=False)
    response = models.ForeignKey(SwowWord, models.CASCADE, related_name="cues", db_index=False)
    count = models.PositiveIntegerField()

    class Meta:
        verbose_name = "association"
        indexes = [
            models.Index(fields=["cue", "-count", "response"], name="swow_edge_by_strength"),
            models.Index(fields=["response", "-count", "cue"], name="swow_edge_backwards"),
        ]
        constraints = [models.CheckConstraint(condition=Q(count__gt=0), name="swow_edge_was_said")]
