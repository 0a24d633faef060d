from datetime import datetime

from django.apps import AppConfig
from django.utils import timezone

from crowd.marketplace.checks import refuse_exposed_control


class MarketplaceConfig(AppConfig):
    name = "crowd.marketplace"
    label = "marketplace"
    default_auto_field = "django.db.models.BigAutoField"

    def was_put_back(self, *, copied_at: datetime | None) -> None:
        """Begin a new epoch: the tables come from a copy, and requesters know of more than it holds."""
        from crowd.marketplace.services.epochs import begin_epoch

        begin_epoch(copied_at=copied_at, now=timezone.now())

    def ready(self) -> None:
        refuse_exposed_control()
