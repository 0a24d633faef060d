from collections.abc import Iterator, Mapping
from datetime import datetime

from django.apps import AppConfig
from django.utils import timezone

from crowd.marketplace.checks import refuse_exposed_control
from hits.common.health.findings import Finding


class MarketplaceConfig(AppConfig):
    name = "crowd.marketplace"
    label = "marketplace"
    default_auto_field = "django.db.models.BigAutoField"

    def was_put_back(self, *, copied_at: datetime | None) -> None:
        """Begin a new epoch: the tables come from a copy, and requesters know of more than it holds."""
        from crowd.marketplace.services.epochs import begin_epoch

        begin_epoch(copied_at=copied_at, now=timezone.now())

    def examine_copy(self, *, pictures: Mapping[str, str] | None) -> Iterator[Finding]:
        """Check these tables, which are a copy's in a scratch database."""
        from crowd.marketplace.queries.copied_rows import examine_copied_rows

        return examine_copied_rows()

    def ready(self) -> None:
        refuse_exposed_control()
