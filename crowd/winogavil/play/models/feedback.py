from django.core.validators import MaxValueValidator
from django.db import models

from hits.identity.models.users import User
from hits.studies.models import Study


class DailyFeedback(models.Model):
    """A study's setting: paid workers get a letter about each day on which something of theirs happened."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="daily_feedback")
    is_on = models.BooleanField(default=False)
    hour = models.PositiveSmallIntegerField(
        default=8,
        validators=[MaxValueValidator(23)],
        help_text="Feedback on the day before is sent from this hour on, in the study's time zone.",
    )
    # Sender of the letters: the user who last changed this setting.
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    # The last day about which all letters are written.
    told_day = models.DateField(null=True)

    class Meta:
        verbose_name = "daily feedback"
        permissions = [("switch_dailyfeedback", "Can switch workers' daily feedback on and off")]

    def __str__(self) -> str:
        return f"daily feedback of {self.study}"
