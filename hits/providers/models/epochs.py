"""Epochs of accounts: they begin when data was restored from a copy, here or at a provider."""

from django.db import models
from django.db.models import Q

from hits.core.domain.days import moment_in_words
from hits.providers.models.accounts import Account


class EpochManager(models.Manager["Epoch"]):
    def still_open(self) -> models.QuerySet["Epoch"]:
        """Epochs that nobody has confirmed: their accounts stand still."""
        return self.filter(confirmed_at=None)


class Epoch(models.Model):
    """A restore from a copy: from here on one side of an account is older than the other.

    Nothing is sent until both were compared and a person has confirmed it.
    """

    class Side(models.TextChoices):
        OURS = "ours", "Our database"
        THEIRS = "theirs", "The provider"
        BOTH = "both", "Our database, and the provider too,"

    account = models.ForeignKey(Account, models.PROTECT, related_name="epochs")
    side = models.CharField(max_length=8, choices=Side)
    copied_at = models.DateTimeField(null=True, help_text="When the copy was taken, if that is known.")
    began_at = models.DateTimeField()
    # When its next step is due: the process that takes the step moves it ahead.
    look_at = models.DateTimeField()
    surveyed_at = models.DateTimeField(null=True)
    match = models.ForeignKey("hits.Match", models.PROTECT, null=True, related_name="+")
    # Number of things of each kind that the comparison found.
    found = models.JSONField(default=dict)
    compared_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=500, blank=True, help_text="Why a step failed.")
    confirmed_at = models.DateTimeField(null=True)
    confirmed_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+")

    objects = EpochManager()

    class Meta:
        # Staff read epochs on a page of their own, and make none.
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["account"], condition=Q(confirmed_at=None), name="epoch_one_open"
            ),
            models.CheckConstraint(
                condition=Q(confirmed_at=None) | Q(confirmed_by__isnull=False), name="epoch_confirmed_by"
            ),
        ]
        indexes = [models.Index(fields=["account", "-began_at"], name="epoch_of_account")]

    def __str__(self) -> str:
        return f"{self.account}, {moment_in_words(self.began_at)}"
