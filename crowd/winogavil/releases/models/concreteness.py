from django.db import models

from hits.identity.models.users import User
from hits.studies.models import Study


class ConcretenessList(models.Model):
    """How concrete people find words, from a researcher's file. A study has one list; another replaces it."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="concreteness_list")
    # Ratings by the word in small letters, from 1 (abstract) to 5 (concrete).
    ratings: "models.JSONField[dict[str, float], dict[str, float]]" = models.JSONField()
    words = models.PositiveIntegerField()
    # Of the file.
    sha256 = models.CharField(max_length=64)
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")

    class Meta:
        verbose_name = "concreteness list"

    def __str__(self) -> str:
        return f"{self.study}: {self.words} words"
