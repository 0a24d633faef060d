"""HIT types, and the life of a HIT. Lock order: HIT, assignment, requester, worker, HIT type."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from json import dumps
from typing import Any

from django.db.models import CharField, Exists, OuterRef

from crowd.marketplace import domain
from crowd.marketplace.database import atomic
from crowd.marketplace.errors import RequestError, out_of_range, wrong_state
from crowd.marketplace.models import HIT, HITType, Layout
from crowd.marketplace.models.parties import Requester
from crowd.marketplace.questions.xml_parsing import Question
from crowd.marketplace.services import events, money
from crowd.marketplace.services.qualifying import requirements
from hits.common.kept_queries import Given, KeptQuery, given_id
from hits.common.kept_writes import insert

MOST_ASSIGNMENTS = 1_000_000_000
DISPOSED_AFTER = timedelta(days=120)
FARTHEST_END = timedelta(days=3650)  # no time that is added to an end leaves the calendar
Policy = Mapping[str, Any]
LOCK_HIT = KeptQuery(
    lambda: (
        HIT.objects.filter(pk=given_id("hit"))
        .select_for_update(of=("self",), no_key=True)
        .select_related("hit_type__requester", "hit_type__notification")
    )
)
LOCK_TYPE = KeptQuery(
    lambda: HITType.objects.filter(pk=given_id("type")).select_for_update(no_key=True).only("is_listed")
)
SAME_TYPE = KeptQuery(
    lambda: HITType.objects.select_related("requester", "notification").filter(
        requester=given_id("requester"), digest=Given("digest", CharField())
    )
)


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The values that make two HITs the same type."""

    title: str
    description: str
    keywords: str
    reward: Decimal
    assignment_duration_s: int
    auto_approval_delay_s: int
    requirements: Sequence[Mapping[str, Any]]

    @property
    def digest(self) -> str:
        values = [*(str(value) for key, value in vars(self).items() if key != "requirements")]
        return sha256(dumps([values, list(self.requirements)], sort_keys=True).encode()).hexdigest()


def find_or_make_type(*, requester: Requester, terms: Terms) -> HITType:
    """The one type of this requester with these terms. Raises an APIError for a senseless requirement."""
    required = requirements.check_requirements(terms.requirements, requester=requester)
    digest = terms.digest
    if known := SAME_TYPE.first(requester=requester.pk, digest=digest):
        return known
    hit_type, is_new = HITType.objects.get_or_create(requester=requester, digest=digest, defaults=vars(terms))
    if is_new and required:
        hit_type.required.set(required)
    return hit_type


def create_hit(
    *,
    hit_type: HITType,
    question: Question,
    max_assignments: int,
    lifetime: timedelta,
    now: datetime,
    external_id: str | None = None,
    annotation: str = "",
    layout: Layout | None = None,
    assignment_review_policy: Policy | None = None,
    hit_review_policy: Policy | None = None,
) -> HIT:
    """Make a HIT and hold the most that its assignments may cost. Callers hold the transaction."""
    hit = HIT(
        requester=hit_type.requester,
        hit_type=hit_type,
        external_id=external_id or domain.new_id(),
        kind=question.kind,
        question=question.xml,
        external_url=question.url,
        frame_height=question.frame_height,
        layout=layout,
        annotation=annotation,
        max_assignments=max_assignments,
        fee=_fee_of(hit_type, max_assignments=max_assignments),
        created_at=now,
        expires_at=now + lifetime,
        assignment_review_policy=assignment_review_policy,
        hit_review_policy=hit_review_policy,
    )
    insert(hit)
    _hold_places(hit, places=max_assignments, now=now)
    _list_type(hit_type.pk)
    events.record(hit=hit, event_type="HITCreated", now=now)
    return hit


def add_assignments(*, hit: HIT, more: int, now: datetime, at_least_until: datetime | None = None) -> None:
    """Add places to a locked HIT. A HIT that was full opens again."""
    refuse_if_disposed(hit)
    most = hit.max_assignments + more
    if hit.max_assignments < domain.MANY <= most:
        raise RequestError(
            f"A HIT made with fewer than {domain.MANY} assignments cannot grow to {domain.MANY} or more: "
            f"it would have {most}. Post another HIT.",
            code="InvalidMaximumAssignmentsIncrease",
        )
    if most > MOST_ASSIGNMENTS:
        raise out_of_range("MaxAssignments", low=1, high=MOST_ASSIGNMENTS)
    hit.max_assignments = most
    hit.expires_at = max(hit.expires_at, at_least_until or hit.expires_at)
    hit.save(update_fields=["max_assignments", "expires_at"])
    if hit.closed_at is None:
        _hold_places(hit, places=more, now=now)
    elif hit.expires_at > now:
        reopen(hit, now=now)
    events.record(hit=hit, event_type="HITExtended", now=now)


def change_type(*, hit: HIT, hit_type: HITType, now: datetime) -> None:
    """Change the type of a locked HIT. The held money follows the new reward."""
    refuse_if_disposed(hit)
    if hit.counts.available < hit.max_assignments:
        raise RequestError(
            f"HIT {hit.external_id} has been accepted by a worker: its type can no longer be changed.",
            code="InvalidHITState",
        )
    if hit.closed_at is None:
        release_places(hit, places=hit.max_assignments, now=now)
    hit.hit_type = hit_type
    hit.fee = _fee_of(hit_type, max_assignments=hit.max_assignments)
    hit.save(update_fields=["hit_type", "fee"])
    if hit.closed_at is None:
        _hold_places(hit, places=hit.max_assignments, now=now)
        _list_type(hit_type.pk)


def reopen(hit: HIT, *, now: datetime) -> None:
    hit.closed_at = None
    hit.is_reviewing = False
    hit.save(update_fields=["closed_at", "is_reviewing"])
    _hold_places(hit, places=hit.counts.available, now=now)
    _list_type(hit.hit_type_id)


def refuse_if_disposed(hit: HIT) -> None:
    if hit.disposed_at:
        raise wrong_state(
            "HIT", allowed="Assignable, Unassignable, Reviewable, Reviewing", current="Disposed"
        )


def lock_hit(hit_id: int) -> HIT:
    """Lock a HIT and read its type. A no-key lock lets rows that point to the HIT be written meanwhile."""
    # PostgreSQL finds no row if its type was changed while we waited. It is locked then: look again.
    hit = LOCK_HIT.first(hit=hit_id) or LOCK_HIT.first(hit=hit_id)
    if hit is None:
        raise HIT.DoesNotExist
    return hit


def release_places(hit: HIT, *, places: int, now: datetime) -> None:
    if places:
        money.release(
            requester_id=hit.requester_id, amount=places * _cost(hit), subject=hit.external_id, now=now
        )


def hit_status(hit: HIT, *, is_expired: bool | None = None) -> domain.HITStatus:
    """The HIT's status: by the clock if `is_expired` is given, otherwise by whether the HIT was closed."""
    return domain.hit_status(
        counts=hit.counts,
        expired=bool(hit.closed_at) if is_expired is None else is_expired,
        reviewing=hit.is_reviewing,
        disposed=bool(hit.disposed_at),
    )


def unlist_bare_types() -> None:
    """Unlist types without an open HIT. Each is locked first: a HIT may be posted meanwhile."""
    open_hits = HIT.objects.filter(hit_type=OuterRef("pk"), closed_at=None)
    bare = HITType.objects.filter(~Exists(open_hits), is_listed=True)
    for type_id in list(bare.values_list("pk", flat=True)):
        with atomic():
            HITType.objects.select_for_update(no_key=True).get(pk=type_id)
            bare.filter(pk=type_id).update(is_listed=False)


def _list_type(type_id: int) -> None:
    """List a type. The lock keeps a sweep from unlisting it until this transaction's HIT can be seen."""
    hit_type = LOCK_TYPE.first(type=type_id)
    if hit_type and not hit_type.is_listed:
        HITType.objects.filter(pk=type_id).update(is_listed=True)


def _hold_places(hit: HIT, *, places: int, now: datetime) -> None:
    money.hold(requester_id=hit.requester_id, amount=places * _cost(hit), subject=hit.external_id, now=now)


def _cost(hit: HIT) -> Decimal:
    """The reward and fee of one assignment."""
    return hit.hit_type.reward + hit.fee


def _fee_of(hit_type: HITType, *, max_assignments: int) -> Decimal:
    return hit_type.requester.fees.on_reward(
        hit_type.reward,
        max_assignments=max_assignments,
        masters=requirements.names_masters(hit_type.requirements),
    )
