"""Who posts work and who does it. No relation to the researchers' users or workers."""

from decimal import Decimal
from functools import partial

from django.db import models
from django.db.models import Q

from crowd.marketplace import domain, seals


class Requester(models.Model):
    """Whoever posts HITs. `available` is the ledger's balance, kept here so that spending can be refused."""

    MOST_MONEY = Decimal(1_000_000)

    external_id = models.CharField(
        max_length=64, unique=True, default=partial(domain.new_id, length=14, prefix="A")
    )
    name = models.CharField(max_length=128, unique=True)
    fee_schedule = models.CharField(max_length=16, choices=[(key, key) for key in domain.FEE_SCHEDULES])
    available = models.DecimalField(max_digits=13, decimal_places=2, default=0)
    ticket_key_sealed = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(available__gte=0), name="requester_never_overdrawn"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def fees(self) -> domain.FeeSchedule:
        return domain.FEE_SCHEDULES[self.fee_schedule]

    @property
    def ticket_key(self) -> str:
        return seals.unseal(self.ticket_key_sealed)


class AccessKey(models.Model):
    """Credentials of the API. The secret is shown once; at rest it is sealed."""

    requester = models.ForeignKey(Requester, models.PROTECT, related_name="access_keys")
    access_key_id = models.CharField(max_length=32, unique=True)
    secret_sealed = models.TextField()
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.access_key_id

    @property
    def secret(self) -> str:
        return seals.unseal(self.secret_sealed)


class Worker(models.Model):
    external_id = models.CharField(
        max_length=64, unique=True, default=partial(domain.new_id, length=14, prefix="A")
    )
    name = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class Invitation(models.Model):
    """A link that lets one worker in. Only the digest of its token is kept."""

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="invitations")
    token_digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Invitation of {self.worker}"


class WorkerSession(models.Model):
    """A signed-in browser of the worker site."""

    worker = models.ForeignKey(Worker, models.CASCADE, related_name="sessions")
    token_digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"Session of {self.worker}"
