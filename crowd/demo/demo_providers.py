"""Where a demo's work is posted: our own marketplace, or the stand-in for Prolific."""

import json
import re
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar
from urllib.request import ProxyHandler, Request, build_opener

from django.conf import settings

from crowd.demo.worker_sites import MarketplaceSite, ParticipantsSite, WorkerSite
from crowd.provisioning import account_values, provision
from hits.common.supervising import start_afresh
from hits.core.errors import CrowdError
from hits.providers.models.accounts import Account

DEPOSIT = Decimal(200)
STAND_IN = "crowd.marketplace.tools.prolific"
TOKEN = "token-of-the-demo"  # noqa: S105 - it opens nothing but the stand-in, on loopback


class DemoProvider(ABC):
    key: ClassVar[str]
    # How workers use it.
    site: ClassVar[type[WorkerSite]]

    @abstractmethod
    def open_account(self, suffix: str, *, workers: int) -> tuple[Account, list[str]]:
        """Make an account at the provider, and the addresses by which so many workers sign in."""

    def sites(self) -> Sequence[tuple[str, str]]:
        """Names and addresses of pages of the provider's own, beside the marketplace's."""
        return ()


class Marketplace(DemoProvider):
    key = "marketplace"
    site = MarketplaceSite

    def open_account(self, suffix: str, *, workers: int) -> tuple[Account, list[str]]:
        name = f"demo-{suffix}"
        made = provision(requester=name, deposit=DEPOSIT, workers=workers)
        account = Account.objects.create(**account_values(made, name=name))
        return account, [worker["invitation"] for worker in made["workers"]]


@dataclass(frozen=True, kw_only=True)
class ProlificStandIn(DemoProvider):
    key = "prolific"
    site = ParticipantsSite
    address: str

    def open_account(self, suffix: str, *, workers: int) -> tuple[Account, list[str]]:
        workspace = self._first("workspaces/")
        account = Account.objects.create(
            name=f"demo-{suffix}",
            kind=Account.Kind.PROLIFIC,
            environment=Account.Environment.SANDBOX,
            endpoint=f"{self.address}/api/v1/",
            worker_site=self.address,
            secret_access_key=TOKEN,
            workspace_id=workspace["id"],
            project_id=self._first(f"workspaces/{workspace['id']}/projects/")["id"],
            currency=workspace["currency_code"],
            fee_schedule="academic, VAT",
        )
        return account, [f"{self.address}/participants/"] * workers

    def sites(self) -> Sequence[tuple[str, str]]:
        return [("The stand-in for Prolific, as its participants see it", f"{self.address}/participants/")]

    def _first(self, path: str) -> dict[str, Any]:
        asked = Request(f"{self.address}/api/v1/{path}", headers={"Authorization": f"Token {TOKEN}"})
        with build_opener(ProxyHandler({})).open(asked, timeout=30) as response:
            first: dict[str, Any] = json.load(response)["results"][0]
        return first


MARKETPLACE = Marketplace()


@contextmanager
def _stand_in() -> Iterator[DemoProvider]:
    command = [sys.executable, "-m", STAND_IN, "--port", "0", "--token", TOKEN, "--lag", "0"]
    with subprocess.Popen(
        command,
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=start_afresh,  # noqa: PLW1509 - it only resets signals
    ) as process:
        try:
            said = process.stdout.readline() if process.stdout else ""
            found = re.search(r"http://[\d.]+:\d+", said)
            if found is None:
                raise CrowdError("The stand-in for Prolific did not start.")
            yield ProlificStandIn(address=found[0])
        finally:
            process.terminate()


@contextmanager
def _marketplace() -> Iterator[DemoProvider]:
    """The marketplace is served by the product itself."""
    yield MARKETPLACE


PROVIDERS = {Marketplace.key: _marketplace, ProlificStandIn.key: _stand_in}
