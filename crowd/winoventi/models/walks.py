from typing import Any

from django.db import models

from crowd.winoventi.domain.prompts import statement
from hits.work.models.items import Item


class Walk(models.Model):
    """The qualification: one noun for all steps, another worker's premise on it, and a model answer."""

    item = models.OneToOneField(Item, models.PROTECT, related_name="walk")
    noun = models.CharField(max_length=64)
    generic = models.CharField(max_length=64)
    # The pair to be judged: its outcomes, and its sentence with their words in this order.
    given_generic = models.CharField(max_length=64)
    given_exception = models.CharField(max_length=64)
    given_sentence = models.CharField(max_length=1000)
    # Kept like an answer (training_test.pages.training_test): shown to the grader, and to nobody else.
    model_answer: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField()

    def __str__(self) -> str:
        return statement(self.noun, self.generic)
