from django.db import models

from hits.identity.models.users import User
from hits.work.models.items import Item


class KnownAnswer(models.Model):
    """The known answer to an item. It makes the item an attention item, until the row is deleted."""

    study_path = "item__study"

    item = models.OneToOneField(Item, models.CASCADE, related_name="known_answer")
    # A list of {"question", "about", "label"}, in the words in which the task states its judgments.
    choices = models.JSONField()
    known_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    known_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"The known answer to {self.item}"
