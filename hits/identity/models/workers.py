from typing import TYPE_CHECKING
from uuid import uuid4

from django.db import models

from hits.core import crypto
from hits.core.models.fields import EncryptedTextField

if TYPE_CHECKING:
    from hits.providers.models.accounts import Account


class WorkerManager(models.Manager["Worker"]):
    def known(self, *, account: "Account", external_id: str) -> "Worker":
        """Return the worker with this provider's id, created at first sight."""
        parts = (str(account.public_id), external_id)
        worker, _ = self.get_or_create(
            account=account,
            external_id_index=crypto.blind_index(*parts),
            defaults={"external_id": external_id, "pseudonym": crypto.pseudonym(*parts)},
        )
        return worker


class Worker(models.Model):
    """A person at a provider. The provider's id is here and nowhere else, and encrypted."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    account = models.ForeignKey("hits.Account", models.PROTECT, related_name="workers")
    external_id = EncryptedTextField()
    external_id_index = models.CharField(max_length=64, editable=False)
    pseudonym = models.CharField(max_length=16, db_index=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    # From then on the row says of no person that it is theirs: its id is gone, its pseudonym is drawn anew.
    erased_at = models.DateTimeField(null=True, editable=False)

    objects = WorkerManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "external_id_index"], name="worker_once_per_account"),
        ]

    def __str__(self) -> str:
        return self.pseudonym
