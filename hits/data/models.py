"""Purges of studies: what was erased once the time of keeping was over, counted before and after."""

from uuid import uuid4

from django.db import models
from django.db.models import Q

from hits.studies.models import Study


class Purge(models.Model):
    """One purge of a study's personal data. Its figures are the proof: numbers and digests, and no value."""

    study_path = "study"

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="purges")
    # None: the study says that it is purged by itself.
    by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    # By part: the rows before, those erased, a keyed digest of these, and what a last look has found.
    figures = models.JSONField(default=dict)

    class Meta:
        default_permissions = ("view",)
        permissions = [("purge_study", "Can erase a study's personal data after their time")]
        constraints = [
            models.UniqueConstraint(fields=["study"], condition=Q(ended_at=None), name="purge_one_at_a_time"),
        ]

    def __str__(self) -> str:
        return f"Purge of {self.study}"
