"""The product and the marketplace in one process, on scratch databases: real requests without a socket."""

import logging
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from tests.bench.deployed import environment_of, lay
from tests.bench.servers import ROOT, environment, migrate

if TYPE_CHECKING:
    from hits.providers.models.accounts import Account


@contextmanager
def product(databases: Mapping[str, str] | None = None) -> Iterator[None]:
    """Lay the databases, SQLite files without others, and set the product up in this process."""
    with tempfile.TemporaryDirectory() as folder:
        if databases:
            os.environ.update(environment_of(Path(folder), 8000, databases))
            lay(ROOT, os.environ)
        else:
            migrate(Path(folder))
            os.environ.update(environment(Path(folder), 8000))
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django  # noqa: PLC0415  its settings are made first
        from django.db import connections  # noqa: PLC0415
        from django.test.utils import override_settings  # noqa: PLC0415

        django.setup()
        logging.disable(logging.WARNING)
        with override_settings(MARKETPLACE_KEY_RATE=0, SENDERS=1):
            try:
                yield
            finally:
                connections.close_all()


@contextmanager
def marketplace() -> Iterator[tuple["Account", Counter[str]]]:
    """Yield an account at the marketplace, and a counter of the calls of each operation from now on."""
    from django.conf import settings  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from hits.providers.gateway import registry  # noqa: PLC0415
    from tests.factories import make_account, make_requester  # noqa: PLC0415
    from tests.promise.wire import provider_over_wire  # noqa: PLC0415

    made = make_requester(now=timezone.now())
    account = make_account(
        endpoint=settings.MARKETPLACE_URL,
        worker_site=settings.MARKETPLACE_URL,
        access_key_id=made.access_key_id,
        secret_access_key=made.secret_access_key,
        ticket_key=made.ticket_key,
    )
    calls: Counter[str] = Counter()

    def carry(operation: str, call: Callable[[], Any]) -> Any:
        calls[operation] += 1
        return call()

    provider = provider_over_wire(account, carry=carry)
    with patch.object(registry, "_boto_provider", lambda **_: provider):
        yield account, calls


def launch(account: "Account", **terms: Any) -> None:
    """Launch a batch and send all of its HITs."""
    from django.utils import timezone  # noqa: PLC0415

    from hits.batches.services import launching, sending_hits  # noqa: PLC0415
    from tests.factories import make_association, make_batch, make_study, make_user  # noqa: PLC0415

    study = make_study()
    make_association(study=study)
    batch = make_batch(study=study, account=account, **terms)
    launching.launch_batch(batch=batch, by=make_user(), now=timezone.now())
    while batch.hits.filter(status="intended").exists():
        sending_hits.send_launching_batches(now=timezone.now())
