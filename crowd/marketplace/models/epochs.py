"""New beginnings: this database was put back from a copy."""

from uuid import uuid4

from django.db import models


class Epoch(models.Model):
    """Every answer of the API names the last one, so that requesters hear of it with their next call."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    copied_at = models.DateTimeField(null=True)
    began_at = models.DateTimeField()
    # No list to pay by is given out until an operator has compared payouts with what was really sent.
    confirmed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return str(self.public_id)
