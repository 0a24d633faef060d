from django.conf import settings
from django.db import models
from django.db.models import F, Q

from crowd.whoops.models.projects import Project


class Sample(models.Model):
    """A sample of questions with answers, drawn by lot for verification. Never changed."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="samples")
    seed = models.BigIntegerField()
    wanted = models.PositiveIntegerField()
    # The questions it was drawn from: how many, and the SHA-256 of their keys in alphabetical order.
    pool = models.PositiveIntegerField()
    pool_sha256 = models.CharField(max_length=64)
    drawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    drawn_at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(wanted__gt=0, pool__gte=F("wanted")), name="whoops_sample_of_its_pool"
            ),
        ]

    def __str__(self) -> str:
        return f"Sample of {self.wanted} with seed {self.seed}"
