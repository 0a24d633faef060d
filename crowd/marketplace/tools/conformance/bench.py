"""The equipment of a check: the endpoint, its own requesters and workers, the clock, faults."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from crowd.marketplace.tools.conformance.browser import Browser
from crowd.marketplace.tools.conformance.control import Control
from crowd.marketplace.tools.conformance.listener import Listener
from crowd.marketplace.tools.conformance.outcomes import Skipped
from crowd.marketplace.tools.conformance.product import Product
from crowd.marketplace.tools.conformance.requester import Keys, Requester
from crowd.marketplace.tools.conformance.worker import Worker


@dataclass(frozen=True, kw_only=True)
class Bench:
    endpoint: str
    keys: Keys | None = None  # the keys of a requester that exists already
    controlled_by: Control | None = None
    served: Product | None = None  # the whole product, if we serve it ourselves

    @property
    def control(self) -> Control:
        """The control API. Raises Skipped if there is none, so the check is skipped."""
        if not self.controlled_by:
            raise Skipped("needs the control API (clock, faults, people of its own)")
        return self.controlled_by

    @property
    def product(self) -> Product:
        if not self.served:
            raise Skipped("needs the project's own question pages, which only a private server has")
        return self.served

    def requester(self, *, deposit: str = "10000.00", fees: str = "amazon") -> Requester:
        """Make a requester with the deposit and fees that AWS's sandbox gave."""
        made = self.control.ask("requester", deposit=deposit, fees=fees)
        keys = Keys(
            access_key_id=made["access_key_id"],
            secret_access_key=made["secret_access_key"],
            ticket_key=made["ticket_key"],
        )
        return Requester(endpoint=self.endpoint, keys=keys)

    def any_requester(self) -> Requester:
        """A requester for checks that need nothing but credentials, and leave others' HITs alone."""
        if self.controlled_by or not self.keys:
            return self.requester()
        return Requester(endpoint=self.endpoint, keys=self.keys)

    def worker(self, **values: object) -> Worker:
        """Make a worker who is signed in by the invitation's link."""
        made = self.control.ask("worker", name=f"Worker {secrets.token_hex(3)}", **values)
        worker = Worker(external_id=made["worker"], site=self.endpoint, browser=Browser())
        worker.sign_in(made["invitation"])
        return worker

    @contextmanager
    def listener(self) -> Iterator[Listener]:
        """Receive notifications on this machine, so the marketplace must be on it too."""
        self.control.ask("clock")
        with Listener.listening() as listener:
            yield listener
