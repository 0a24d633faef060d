from typing import Any

from django.db import models

from crowd.winogavil.annotation import domain
from hits.identity.models.users import User
from hits.studies.models import Study


class Kind(models.TextChoices):
    TYPES = "types", "Association types"
    SKILLS = "skills", "Reasoning skills"
    BASELINE = "baseline", "Human baseline"

    @property
    def task(self) -> str:
        return {self.TYPES: domain.TYPES, self.SKILLS: domain.SKILLS}.get(self, domain.BASELINE)


class Draw(models.Model):
    """Selected associations that a researcher drew to have annotated, and the recipe to draw them again."""

    study = models.ForeignKey(Study, models.PROTECT, related_name="annotation_draws")
    kind = models.CharField(max_length=8, choices=Kind)
    # {"most": "count", "number": 320, "sizes": [10, 12], "sources": ["worker"], "seed": 7}
    recipe: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField()
    # How many there were to choose from, how many the recipe chose, how many of them nobody had drawn before.
    found = models.PositiveIntegerField()
    chosen = models.PositiveIntegerField()
    added = models.PositiveIntegerField()
    drawn_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    drawn_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.added}"
