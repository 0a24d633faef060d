from typing import Any

from django.db import models
from django.db.models import F, Q

from crowd.winoventi.domain.parts_of_speech import PARTS
from crowd.winoventi.models.premises import Premise, Prompt
from hits.identity.models.users import User
from scoring.models import RegisteredRival


class WordTag(models.Model):
    """The part of speech of a special word in its sentence, by one tagger; a person may correct it."""

    premise = models.ForeignKey(Premise, models.CASCADE, related_name="word_tags")
    # The sentence that has the word: that of the generic, or that of the exception.
    kind = models.CharField(max_length=16, choices=Prompt.Kind)
    rival = models.ForeignKey(RegisteredRival, models.PROTECT, related_name="+", verbose_name="tagger")
    # As the tagger says: the universal part of speech, and the finer tag behind it.
    tagged = models.CharField("by the tagger", max_length=8, choices=PARTS)
    fine_tag = models.CharField(max_length=16, blank=True)
    # As it counts: what the tagger says, unless a person has corrected it.
    part = models.CharField("part of speech", max_length=8, choices=PARTS)
    corrected_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    corrected_at = models.DateTimeField(null=True)
    provenance: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(default=dict)
    tagged_at = models.DateTimeField()

    class Meta:
        verbose_name = "part of speech"
        verbose_name_plural = "parts of speech"
        constraints = [
            models.UniqueConstraint(fields=["premise", "kind", "rival"], name="winoventi_word_tag_once"),
            models.CheckConstraint(
                condition=Q(part=F("tagged"), corrected_by=None) | Q(corrected_at__isnull=False),
                name="winoventi_word_tag_corrected_has_a_moment",
            ),
        ]
        indexes = [models.Index(fields=["rival", "part"], name="winoventi_word_tag_by_part")]

    def __str__(self) -> str:
        return f"{self.word}: {self.get_part_display()}"

    @property
    def word(self) -> str:
        return self.premise.generic_word if self.kind == Prompt.Kind.GENERIC else self.premise.exception_word

    @property
    def tagger(self) -> str:
        """The tagger with the versions of its pipeline and of the library that ran it."""
        read_by = self.provenance.get("preprocessing", {})
        versions = f"{read_by.get('pipeline', '?')} {read_by.get('version', '?')}"
        return f"{self.rival.name} ({versions}, spaCy {read_by.get('spacy', '?')})"
