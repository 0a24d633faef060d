"""Restores of this database from a copy."""

from uuid import uuid4

from django.db import models


class Epoch(models.Model):
    """One restore. Every API answer names the latest, so that requesters learn of it with their next call."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    copied_at = models.DateTimeField(null=True)
    began_at = models.DateTimeField()
    # Payment lists are withheld until an operator has compared the payouts with what was really sent.
    confirmed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return str(self.public_id)
