from uuid import uuid4

from django.core.validators import URLValidator
from django.db import models

from hits import domain
from hits.models.fields import EncryptedTextField

is_address = URLValidator(schemes=["http", "https"])


class Account(models.Model):
    """Where work is posted and money spent. A batch belongs to one for good; no mode rules the process."""

    class Kind(models.TextChoices):
        MTURK = "mturk", "Requester API (the marketplace or another endpoint)"

    class Environment(models.TextChoices):
        MARKETPLACE = "marketplace"
        SANDBOX = "sandbox"
        PRODUCTION = "production", "production: real money"

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    name = models.CharField(max_length=64, unique=True)
    kind = models.CharField(max_length=16, choices=Kind, default=Kind.MTURK)
    environment = models.CharField(max_length=16, choices=Environment)
    endpoint = models.CharField(
        max_length=200, validators=[is_address], help_text="Address of the Requester API."
    )
    worker_site = models.CharField(
        max_length=200,
        validators=[is_address],
        help_text="Address of the site that frames our pages: the only one allowed to, and the only "
        "place where finished work is handed in.",
    )
    access_key_id = models.CharField(max_length=128)
    secret_access_key = EncryptedTextField()
    ticket_key = EncryptedTextField(
        blank=True,
        help_text="Key of the marketplace's signed tickets. Empty: the endpoint sends none, and a "
        "worker is believed only within the HIT's number of assignments.",
    )
    fee_schedule = models.CharField(
        max_length=16, choices=[(key, key) for key in domain.FEES], default="none"
    )
    currency = models.CharField(max_length=3, default="USD")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.name} ({self.environment})"

    @property
    def fees(self) -> domain.FeeSchedule:
        return domain.FEES[self.fee_schedule]
