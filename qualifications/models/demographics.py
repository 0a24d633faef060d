from django.db import models

from hits.models import Worker
from hits.models.fields import EncryptedTextField


class Demographics(models.Model):
    """What a worker says of themselves, sealed. Nothing but counts of five people and more leaves this table.

    No page, list, export, log or API shows a row of it; erasing it deletes it.
    """

    worker = models.OneToOneField(Worker, models.PROTECT, related_name="demographics")
    # JSON by question; what was declined is not there.
    answers = EncryptedTextField(blank=True)
    asked_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "demographics"
        default_permissions = ()
        permissions = [
            ("count_demographics", "Can see counts of what workers say of themselves"),
            ("erase_demographics", "Can erase what a worker has said, who asks for it"),
        ]

    def __str__(self) -> str:
        return "sealed"
