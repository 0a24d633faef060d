from uuid import uuid4

from django.conf import settings
from django.db import models

from crowd.whoops.models.projects import Project
from hits.identity.models.workers import Worker


class Designer(models.Model):
    """A person who makes images: invited by a link of their own, or a worker who took the HIT."""

    purge_path = "project__study"

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="designers")
    name = models.CharField(max_length=80, help_text="For you and your colleagues; the data never show it.")
    worker = models.ForeignKey(
        Worker,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The worker who is paid for each accepted image. Empty for volunteers.",
    )
    is_paid = models.BooleanField("is paid for each accepted image", default=False)
    is_active = models.BooleanField("may send images", default=True)
    # The link carries this number: a new one ends every earlier link.
    link_number = models.PositiveIntegerField(default=1, editable=False)
    link_until = models.DateTimeField(null=True, editable=False)
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, editable=False, related_name="+"
    )
    invited_at = models.DateTimeField(editable=False)
    seen_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="whoops_designer_name_once"),
            models.UniqueConstraint(fields=["project", "worker"], name="whoops_designer_worker_once"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_paid_here(self) -> bool:
        """Whether accepted images earn bonuses here; a paid designer who is no worker is paid elsewhere."""
        return self.is_paid and self.worker_id is not None
