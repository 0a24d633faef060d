from django.db import models

from hits.core.models.fields import EncryptedTextField
from hits.identity.models.workers import Worker


class Demographics(models.Model):
    """A worker's encrypted answers about themselves. Only figures of five people or more leave this table.

    No page, list, export, log or API shows a row of it; erasing the answers deletes the row.
    """

    worker = models.OneToOneField(Worker, models.PROTECT, related_name="demographics")
    # JSON by question; declined questions are left out.
    answers = EncryptedTextField(blank=True)
    asked_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "demographics"
        default_permissions = ()
        permissions = [
            ("count_demographics", "Can see counts of workers' answers about themselves"),
            ("erase_demographics", "Can erase a worker's answers at the worker's request"),
        ]

    def __str__(self) -> str:
        return "sealed"


class SpokenEnglish(models.Model):
    """A worker's encrypted answer to whether they speak English, asked where a batch needs it."""

    YES, NO = "yes", "no"

    worker = models.OneToOneField(Worker, models.PROTECT, related_name="spoken_english")
    answer = EncryptedTextField()
    asked_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "spoken English"
        default_permissions = ()

    def __str__(self) -> str:
        return "sealed"


class UnderAge(models.Model):
    """A worker who said that they are under 18. Only that is kept, so that a later answer changes nothing.

    No age and no date of birth is stored, so only a person can lift it, and the row is deleted then.
    """

    worker = models.OneToOneField(Worker, models.PROTECT, related_name="under_age")
    said_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "under age"
        default_permissions = ()
        permissions = [("lift_underage", "Can allow work again after an answer of under 18")]

    def __str__(self) -> str:
        return "sealed"
