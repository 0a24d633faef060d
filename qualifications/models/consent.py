"""Consent texts of studies, and the workers' consents to them."""

from uuid import uuid4

from django.db import models
from django.db.models import Q

from hits.identity.models.workers import Worker
from hits.studies.models import Study


class ConsentText(models.Model):
    """One version of the consent text of a study. Once published it never changes."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    study = models.ForeignKey(Study, models.PROTECT, related_name="consent_texts")
    version = models.PositiveIntegerField(editable=False)
    title = models.CharField(max_length=200)
    text = models.TextField(max_length=20_000, help_text="Plain text. An empty line begins a new paragraph.")
    asks_demographics = models.BooleanField(
        "ask about the person too",
        default=False,
        help_text="Age, gender, education and native language, once for each worker. Every question may be "
        "declined.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey("hits.User", models.PROTECT, null=True, related_name="+", editable=False)
    # From then on every worker is asked to agree, whatever they agreed to before. None: a draft.
    published_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        permissions = [("publish_consenttext", "Can publish what workers are asked to agree to")]
        constraints = [
            models.UniqueConstraint(fields=["study", "version"], name="study_consent_version_once"),
        ]
        indexes = [
            models.Index(
                fields=["study", "-version"],
                condition=Q(published_at__isnull=False),
                name="study_consent_in_force",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study}, version {self.version}"


class Consent(models.Model):
    """A worker's consent to one version of the text, which may have been withdrawn since."""

    purge_path = "text__study"

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    worker = models.ForeignKey(Worker, models.PROTECT, related_name="consents")
    text = models.ForeignKey(ConsentText, models.PROTECT, related_name="consents")
    given_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)
    # The worker asked to take the submitted work out of the data as well.
    takes_work_out = models.BooleanField(default=False)
    # When the last of that work was taken out; a sweep does that once each assignment is decided.
    taken_out_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["worker", "text"], condition=Q(withdrawn_at=None), name="consent_in_force_once"
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=False) | Q(takes_work_out=False),
                name="consent_takes_out_when_withdrawn",
            ),
        ]
        indexes = [
            models.Index(
                fields=["id"],
                condition=Q(takes_work_out=True, taken_out_at=None),
                name="consent_work_to_take_out",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker}: {self.text}"
