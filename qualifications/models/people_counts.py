from django.db import models

from hits.core.domain.days import day_in_words
from hits.studies.models import Study


class PeopleCount(models.Model):
    """One count of who took part in a study: what may be published, and nothing that is withheld.

    Counts are kept, because a later one must not reveal by subtraction what an earlier one withheld.
    """

    study = models.ForeignKey(Study, models.PROTECT, related_name="people_counts")
    counted_at = models.DateTimeField()
    counted_by = models.ForeignKey("hits.User", models.PROTECT, related_name="+")
    # As qualifications.domain.people_table.figures_of returns it.
    figures = models.JSONField()
    # Keyed digests by role: they tell whether two counts are of nearly the same people, not who these are.
    members = models.JSONField()
    # Such digests of those whose ages are in a published mean.
    aged = models.JSONField()

    class Meta:
        default_permissions = ()
        indexes = [models.Index(fields=["study", "-id"], name="people_count_latest")]

    def __str__(self) -> str:
        return f"{self.study}, {day_in_words(self.counted_at)}"
