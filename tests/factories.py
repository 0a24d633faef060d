"""Plain functions that make rows. Every argument has a default; a test names only what it is about."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any
from uuid import uuid4

from django.db.models import QuerySet

from crowd.marketplace import models as marketplace
from crowd.marketplace.questions.xml_parsing import SCHEMAS
from crowd.marketplace.services import requesters, worker_sign_in
from crowd.pictures.models import Picture
from crowd.pictures.services.picture_entry import NewPicture, add_picture
from crowd.winogavil.domain import SOLVE
from crowd.winogavil.models import Association
from crowd.winogavil.services.seeded_associations import seed_association
from hits.batches.services.budgets import grant_budget
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.runs import Run
from hits.payments.services import bonus_runs
from hits.providers.models.accounts import Account
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.hits import HIT
from qualifications.models import ConsentText

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
# A bonus for solvers, which studies of these tests pay unless a test is about another table.
ALL_RIGHT: dict[str, Any] = {"name": "all right", "measure": "jaccard", "at_least": 100, "amount": "0.01"}
_numbers = count(1)


def make_user(**changes: Any) -> User:
    values: dict[str, Any] = {"username": f"user-{next(_numbers)}", "is_staff": True, **changes}
    return User.objects.create_user(**values)


def make_account(**changes: Any) -> Account:
    values: dict[str, Any] = {
        "name": f"account-{next(_numbers)}",
        "environment": Account.Environment.MARKETPLACE,
        "endpoint": "http://localhost:8000",
        "worker_site": "http://localhost:8000",
        "access_key_id": "key",
        "secret_access_key": "secret",
        "ticket_key": "ticket-key",
    }
    return Account.objects.create(**{**values, **changes})


def make_study(**changes: Any) -> Study:
    values: dict[str, Any] = {
        "name": f"study-{next(_numbers)}",
        "lab": "lab",
        "budget": Decimal(100_000),
        "bonus_rules": [ALL_RIGHT],
    }
    study = Study.objects.create(**{**values, **changes})
    grant_budget(study=study, by=None, now=NOW)
    return study


def set_aside() -> QuerySet[LedgerEntry]:
    """Entries of the ledger that are about reservations."""
    kinds = (LedgerEntry.Kind.RESERVED, LedgerEntry.Kind.RELEASED)
    return LedgerEntry.objects.filter(kind__in=kinds).order_by("pk")


def make_batch(**changes: Any) -> Batch:
    """Make a batch: a draft, unless a status is given."""
    if changes.get("status", "draft") != "draft":
        changes.setdefault("launched_at", NOW)
        changes.setdefault("terms", {"bonus_rules": [ALL_RIGHT], "fee_schedule": "none"})
    values: dict[str, Any] = {
        "study": (study := changes.get("study") or make_study()),
        "account": changes.get("account") or make_account(currency=study.currency),
        "task": SOLVE,
        "title": "Which pictures?",
        "description": "Pick them.",
        "reward": Decimal("0.03"),
        "hits_wanted": 1,
    }
    return Batch.objects.create(**{**values, **changes})


def make_hit(**changes: Any) -> HIT:
    """Make a HIT: open at the provider, unless a status is given."""
    values: dict[str, Any] = {
        "batch": changes.get("batch") or make_batch(status="open"),
        "status": HIT.Status.OPEN,
        "external_id": f"HIT{next(_numbers)}",
        "sent_at": NOW,
        "max_assignments": 3,
        "look_at": NOW,
    }
    return HIT.objects.create(**{**values, **changes})


def make_worker(*, account: Account | None = None, external_id: str = "") -> Worker:
    return Worker.objects.known(
        account=account or make_account(), external_id=external_id or f"AWORKER{next(_numbers)}"
    )


def make_assignment(**changes: Any) -> Assignment:
    """Make an assignment: opened just now, unless a status is given."""
    hit = changes.get("hit") or make_hit()
    account = hit.batch.account
    values: dict[str, Any] = {
        "hit": hit,
        "account": account,
        "worker": changes.get("worker") or make_worker(account=account),
        "external_id": f"ASSIGNMENT{next(_numbers)}",
        "attempt": 1,
        "accepted_at": NOW,
        "deadline_at": NOW + timedelta(minutes=15),
        "opened_at": NOW,
    }
    if changes.get("status") in ("submitted", "approved", "rejected"):
        values["submitted_at"] = NOW
    return Assignment.objects.create(**{**values, **changes})


def make_bonus(**changes: Any) -> Bonus:
    """Make a bonus: approved for payment without a run, unless a status is given."""
    assignment = changes.get("assignment") or make_assignment(status="approved")
    values: dict[str, Any] = {
        "assignment": assignment,
        "currency": assignment.account.currency,
        "rule": "all right",
        "amount": Decimal("0.01"),
        "reason": "All right.",
        "status": Bonus.Status.APPROVED,
        "owed_at": NOW,
    }
    if changes.get("status") != "owed":
        values |= {"approved_at": NOW, "approved_by": make_user(), "prepared_by": make_user()}
        values["before_runs"] = True
    return Bonus.objects.create(**{**values, **changes})


def approve(bonuses: Iterable[Bonus], *, now: datetime = NOW) -> Run | None:
    """Approve the bonuses by two people in a run, as everywhere. None if there is nothing to approve."""
    chosen = list(bonuses)
    if not chosen:
        return None
    preparer, approver = make_user(is_superuser=True), make_user(is_superuser=True)
    run = bonus_runs.prepare_run(bonuses=chosen, by=preparer, title="A run", now=now)
    bonus_runs.freeze_run(run=run, by=preparer, now=now)
    bonus_runs.approve_run(run=run, digest=run.digest, by=approver, now=now)
    return run


def make_picture(*, concept: str = "", **changes: Any) -> Picture:
    """Make a picture from a little SVG of its own, so that no two have the same content."""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg"><!-- {uuid4()} --></svg>'
    values: dict[str, Any] = {
        "content": svg.encode(),
        "media_type": "image/svg+xml",
        "concept": concept or f"concept-{next(_numbers)}",
    }
    return add_picture(NewPicture(**{**values, **changes}))


def make_association(
    *, study: Study | None = None, cue: str = "cold", size: int = 5, chosen: int = 2
) -> Association:
    """Make an association in which the first `chosen` of `size` candidates belong to the cue."""
    pictures = [make_picture() for _ in range(size)]
    return seed_association(
        study=study or make_study(), cue=cue, candidates=pictures, chosen=pictures[:chosen]
    )


def make_consent_text(*, study: Study | None = None, **changes: Any) -> ConsentText:
    """Make the study's next version of a consent text, published."""
    study = study or make_study()
    version = ConsentText.objects.filter(study=study).count() + 1
    values: dict[str, Any] = {
        "version": version,
        "title": "About this study",
        "text": f"We ask for your consent.\n\nThis is text number {version}.",
        "published_at": NOW,
    }
    return ConsentText.objects.create(study=study, **{**values, **changes})


# The marketplace's own rows. They share nothing with the ones above.


def make_requester(
    *, deposit: Decimal = Decimal(100), fee_schedule: str = "none", now: datetime = NOW
) -> requesters.Credentials:
    return requesters.create_requester(
        name=f"requester-{next(_numbers)}", deposit=deposit, fee_schedule=fee_schedule, now=now
    )


def invite(*, now: datetime = NOW) -> tuple[marketplace.Worker, str]:
    """Invite a worker to the marketplace. Returns the worker and the invitation's token."""
    return worker_sign_in.invite_worker(name=f"Worker {next(_numbers)}", now=now)


def external_question(url: str = "https://example.org/q", *, height: str = "0") -> str:
    return (
        f'<ExternalQuestion xmlns="{SCHEMAS}/2006-07-14/ExternalQuestion.xsd">'
        f"<ExternalURL>{url}</ExternalURL><FrameHeight>{height}</FrameHeight></ExternalQuestion>"
    )
