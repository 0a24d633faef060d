from collections.abc import Iterator, Mapping
from datetime import datetime

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils import timezone

from hits.common.health.findings import Finding


class HitsConfig(AppConfig):
    name = "hits"
    verbose_name = "Studies and payments"

    def was_put_back(self, *, copied_at: datetime | None) -> None:
        """Sign everybody out and halt every account, so that nothing is sent: these tables are a copy's."""
        from django.contrib.sessions.models import Session

        from hits.providers.gateway.standstill import begin_epochs
        from hits.providers.models.accounts import Account
        from hits.providers.models.epochs import Epoch

        Session.objects.all().delete()
        accounts = Account.objects.connected().values_list("pk", flat=True)
        begin_epochs(list(accounts), side=Epoch.Side.OURS, copied_at=copied_at, now=timezone.now())

    def examine_copy(self, *, pictures: Mapping[str, str] | None) -> Iterator[Finding]:
        """Check these tables, which are a copy's in a scratch database."""
        from hits.payments.queries.copy_findings import examine_copied_rows

        return examine_copied_rows()

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from hits.common import changes
        from hits.core.append_only import seal_tables
        from hits.data import purged_words
        from hits.identity.roles import give_roles
        from hits.identity.services.staff_sessions import begin_session
        from hits.providers.models.accounts import Pace

        purged_words.register()
        post_migrate.connect(give_roles)
        post_migrate.connect(seal_tables)
        user_logged_in.connect(begin_session)
        # Every call of a provider writes the pace of the calls.
        changes.keep_quiet(Pace._meta.db_table)
