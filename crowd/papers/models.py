from django.db import models

from hits.identity.models.users import User
from hits.studies.models import Study


class PaperSetup(models.Model):
    """A note that a study was set up as in a family's paper, the last time that somebody did it."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="paper_setups")
    family = models.CharField(max_length=32)
    set_up_at = models.DateTimeField()
    set_up_by = models.ForeignKey(User, models.PROTECT, related_name="+")

    class Meta:
        verbose_name = "study set up as in a paper"
        verbose_name_plural = "studies set up as in a paper"
        default_permissions = ("view",)
        constraints = [models.UniqueConstraint(fields=["study", "family"], name="paper_setup_once")]

    def __str__(self) -> str:
        return f"{self.study}: {self.family}"
