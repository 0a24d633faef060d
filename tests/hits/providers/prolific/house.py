"""A study of ours whose batches go to the stand-in of Prolific, and the participants who come."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from crowd.marketplace.tools.prolific import StandIn, serving
from crowd.marketplace.tools.prolific.state.prolific_world import TOKEN
from hits.batches.services import launching, sending_hits
from hits.identity.models.users import User
from hits.providers.gateway.interface import Provider
from hits.providers.gateway.registry import provider_for
from hits.providers.models.accounts import Account
from hits.providers.prolific.completion_codes import Ending, code_of
from hits.studies.models import Batch, Study
from hits.sync.services import reconciling
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from hits.work.services import leasing
from tests.factories import make_account, make_association, make_batch, make_study, make_user, make_worker


@dataclass(frozen=True, kw_only=True)
class House:
    stand_in: StandIn
    account: Account
    study: Study
    user: User

    @property
    def provider(self) -> Provider:
        return provider_for(self.account)

    def launch(self, **changes: Any) -> Batch:
        """Launch a batch of three tasks for two people each, and send what may go out."""
        values: dict[str, Any] = {
            "study": self.study,
            "account": self.account,
            "reward": "1.00",
            "hits_wanted": 3,
            "assignments_per_hit": 2,
            "review_by": "hand",
        }
        batch = make_batch(**{**values, **changes})
        launching.launch_batch(batch=batch, by=self.user, now=self.now, confirmed=True)
        self.send()
        batch.refresh_from_db()
        return batch

    def send(self) -> None:
        sending_hits.send_launching_batches(now=self.now)

    def hand_in(self, hit: HIT) -> Assignment:
        """Let somebody new come, answer and go back with the code; then look at Prolific's list."""
        controls = self.stand_in.controls
        person = controls.add_participant()
        submission = controls.take_part(hit.external_id, person)
        visit = self.provider.find_visit(submission)
        work = leasing.open_assignment(
            hit=hit,
            worker=make_worker(account=self.account, external_id=person),
            external_id=submission,
            accepted_at=visit.accepted_at,
            deadline_at=visit.accepted_at + sending_hits.TOKEN_MEMORY,
            now=self.now,
        )
        leasing.save_answer(assignment=work, answer={"picked": []}, now=self.now)
        controls.finish(submission, code_of(hit.token, Ending.COMPLETED))
        self.look(hit)
        work.refresh_from_db()
        return work

    def look(self, hit: HIT) -> None:
        hit.refresh_from_db()
        hit.batch.account = self.account
        reconciling.reconcile_hit(hit=hit, provider=self.provider, now=self.now)
        hit.refresh_from_db()

    @property
    def now(self) -> datetime:
        return timezone.now()


@contextmanager
def house_at_prolific() -> Iterator[House]:
    """An account at the stand-in, whose answers must all fit its schema."""
    with serving() as stand_in:
        world = stand_in.world
        workspace = world.add_workspace(title="Ours", currency_code="USD")
        world.top_up(workspace, 100_000)
        project = world.add_project(workspace=workspace, title="Ours")
        account = make_account(
            kind=Account.Kind.PROLIFIC,
            endpoint=f"{world.base_url}/api/v1/",
            worker_site=world.base_url,
            access_key_id="",
            secret_access_key=TOKEN,
            workspace_id=workspace.id,
            project_id=project.id,
            ticket_key="",
            send_rate=200,
            fee_schedule="academic, VAT",
        )
        study = make_study()
        for _ in range(6):
            make_association(study=study)
        yield House(stand_in=stand_in, account=account, study=study, user=make_user(is_superuser=True))
        assert world.answered_amiss == []
