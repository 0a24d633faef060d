"""A gate's qualification type at each provider, and what HITs require of workers by it.

The row is the intent, as with HITs; a sweep makes the type, and tells the provider when the gate has changed.
"""

import hashlib
import json
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import translation
from django.utils.translation import gettext as _

from hits.batches.services.sending_hits import Clock, ticking
from hits.common.sweep_parts import in_parts
from hits.common.type_keywords import GIVEN_FOR_WORK
from hits.core import audit_trail
from hits.core.errors import ProviderRefused, ProviderUnavailable, RuleBroken
from hits.core.states import move
from hits.families.entry_policies import PlatformRequirements
from hits.identity.models.users import User
from hits.providers.gateway.interface import Provider, ProviderTest
from hits.providers.models.accounts import Account
from hits.providers.services.usable_accounts import usable
from hits.studies.models import Batch
from qualifications.models import Gate, Holding, PlatformType
from qualifications.services.due_grants import earliest

Status = PlatformType.Status
# A request is over, one way or the other, well before this. Also how long an unclear one rests.
CLAIM = timedelta(minutes=3)
# The most for one account in one sweep, so that the others have their turn.
MOST_AT_ONCE = 20
# Batches whose HITs may ask for a type now or soon.
AT_WORK = ("draft", "launching", "paused", "paused_funds", "open", "draining")
DAY_S = 86_400
LONGEST_NAME = 200
LONGEST_PROBLEM = 500
log = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What the provider knows of a gate, beside the name, which never changes."""

    description: str
    retry_delay_s: int | None
    test: ProviderTest | None

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def make_types(*, now: datetime, clock: Clock | None = None) -> int:
    """Make missing types and update changed ones. Killed anywhere, the next run goes on."""
    clock = clock or ticking(now)
    _write_intents()
    _notice_changes()
    accounts = _intended().values("account")
    return in_parts(usable(accounts), lambda one: _make_turn(*one, clock=clock))


def next_type(*, now: datetime) -> datetime | None:
    """When the claim of an unclear request ends and the provider is asked for the type again."""
    first = earliest(_intended(), at="claimed_at", account="account")
    return first and first + CLAIM


def retry_type(*, platform_type: PlatformType, by: User, now: datetime) -> None:
    """Ask once more for a type that the provider refused.

    Raises RuleBroken, changing nothing, if it was not.
    """
    again = {"problem": "", "claimed_at": None}
    if not move(platform_type, Status.INTENDED, since=(Status.REFUSED,), **again):
        raise RuleBroken("not_refused", "Nothing was changed: this is on its way or done already.")
    gate, account = platform_type.gate, platform_type.account
    words = f"The qualification of “{gate.name}” is asked for again."
    audit_trail.note("qualification.asked_again", words, by=by, now=now, study=gate.study, account=account)


def ask(batch: Batch, gates: Collection[Gate]) -> PlatformRequirements:
    """Requirements of these gates for the batch's HITs, and obstacles to its launch.

    Every worker may preview the work; only accepting it is guarded. A missing type is an obstacle, since it
    would let every worker in.
    """
    found = _with_types(batch, gates)
    return PlatformRequirements(
        requirements=[_requirement(gate, row, batch) for gate, row in found if row and row.external_id],
        meanings={row.external_id: _meaning(gate, batch) for gate, row in found if row and row.external_id},
        obstacles=[words for gate, row in found if (words := _obstacle(gate, row, account=batch.account))],
    )


def terms_of(gate: Gate) -> Terms:
    if gate.grading != Gate.Grading.PROVIDER:
        return Terms(description=_describe(gate), retry_delay_s=None, test=None)
    test = ProviderTest(
        question_form=gate.question_form, answer_key=gate.answer_key, duration_s=gate.test_duration_s
    )
    delay = None if gate.retest_after_days is None else gate.retest_after_days * DAY_S
    return Terms(description=_describe(gate), retry_delay_s=delay, test=test)


def _intended() -> QuerySet[PlatformType]:
    return PlatformType.objects.filter(status=Status.INTENDED)


def _write_intents() -> None:
    """Write an intent for each active gate and connected account where its study has work or a draft."""
    batches = Batch.objects.filter(
        status__in=AT_WORK, account__in=Account.objects.connected(), study__gates__is_active=True
    )
    there = PlatformType.objects.filter(gate=OuterRef("study__gates"), account=OuterRef("account"))
    missing = batches.filter(~Exists(there)).values_list("study__gates", "account").distinct()
    PlatformType.objects.bulk_create(
        [PlatformType(gate_id=gate, account_id=account) for gate, account in missing], ignore_conflicts=True
    )


def _notice_changes() -> None:
    """Ask again for types whose gate has changed, so also for refused ones once the gate is corrected."""
    rows = PlatformType.objects.filter(status__in=(Status.READY, Status.REFUSED), gate__is_active=True)
    for row in rows.select_related("gate__study"):
        if row.digest != terms_of(row.gate).digest:
            move(row, Status.INTENDED, problem="", claimed_at=None)


def _make_turn(account: Account, provider: Provider, *, clock: Clock) -> int:
    made = 0
    try:
        for row in _claim(account, clock=clock):
            made += _make(row, provider)
    except ProviderUnavailable as error:
        # The claim rests for a while, and then the type is asked for again.
        log.warning("gate.types_waiting", account=str(account.public_id), error=str(error))
    return made


def _claim(account: Account, *, clock: Clock) -> Iterator[PlatformType]:
    due = _intended().filter(_is_free(clock()), account=account).order_by("pk")
    for pk in list(due.values_list("pk", flat=True)[:MOST_AT_ONCE]):
        now = clock()
        if _intended().filter(_is_free(now), pk=pk).update(claimed_at=now):
            yield PlatformType.objects.select_related("gate__study").get(pk=pk)


def _is_free(now: datetime) -> Q:
    return Q(claimed_at=None) | Q(claimed_at__lte=now - CLAIM)


def _make(row: PlatformType, provider: Provider) -> bool:
    """Make or update the type.

    Types have no token, so the mark in the name is looked for before one is made.
    """
    terms = terms_of(row.gate)
    try:
        external_id = _bring_about(row, provider, terms=terms)
    except ProviderRefused as refusal:
        return _refused(row, refusal, terms=terms)
    log.info("gate.type_made", gate=str(row.gate.public_id), type=external_id)
    return _end(row, Status.READY, external_id=external_id, digest=terms.digest, problem="")


def _bring_about(row: PlatformType, provider: Provider, *, terms: Terms) -> str:
    external_id = row.external_id or provider.find_qualification(mark=_mark(row))
    if not external_id:
        return provider.create_qualification(
            name=_name(row),
            description=terms.description,
            keywords="" if terms.test else GIVEN_FOR_WORK,
            retry_delay_s=terms.retry_delay_s,
            test=terms.test,
        )
    provider.update_qualification(
        external_id, description=terms.description, retry_delay_s=terms.retry_delay_s, test=terms.test
    )
    return external_id


def _refused(row: PlatformType, refusal: ProviderRefused, *, terms: Terms) -> bool:
    """Record a refusal.

    A type that was deleted there is made again, and every worker's value is told again.
    """
    log.warning("gate.type_refused", gate=str(row.gate.public_id), code=refusal.code)
    if row.external_id and refusal.code == "QualificationTypeDoesNotExist":
        PlatformType.objects.filter(pk=row.pk).update(external_id="", claimed_at=None)
        held = Holding.objects.filter(gate=row.gate_id, worker__account=row.account_id)
        held.exclude(value=None).update(is_told=False, value_there=None)
    else:
        _end(row, Status.REFUSED, digest=terms.digest, problem=str(refusal)[:LONGEST_PROBLEM])
    return False


def _end(row: PlatformType, to: str, **changes: Any) -> bool:
    return move(row, to, since=(Status.INTENDED,), claimed_at=None, **changes)


def _mark(row: PlatformType) -> str:
    return row.token.hex[:8]


def _name(row: PlatformType) -> str:
    """Name of the type, read by workers and in the provider's list of types."""
    ending = f": {row.gate.name} [{_mark(row)}]"
    return row.gate.study.name[: LONGEST_NAME - len(ending)] + ending


def _describe(gate: Gate) -> str:
    """Description for workers, who see it at the provider: what it is, and where the test is."""
    with translation.override(gate.study.language):
        if gate.grading == Gate.Grading.PROVIDER:
            where = _("Take the test to get it. Work that asks for it opens above %(value)d.") % {
                "value": gate.passing_value
            }
        else:
            where = _(
                "To get it, take the test: it is a HIT of its own in the list of HITs, and it is paid. "
                "Nothing else gives it, so there is no need to ask for it. A worker who passes has 1, one "
                "who has taken it without passing has 0."
            )
    return f"{gate.description} {where}".strip()


def _with_types(batch: Batch, gates: Collection[Gate]) -> list[tuple[Gate, PlatformType | None]]:
    """These gates with their types at the batch's account; none at an account that has no provider."""
    if not gates or not batch.account.can.is_connected:
        return []
    rows = PlatformType.objects.filter(gate__in=gates, account=batch.account_id)
    types = {row.gate_id: row for row in rows}
    return [(gate, types.get(gate.pk)) for gate in gates]


def _is_test(gate: Gate, batch: Batch) -> bool:
    return bool(gate.test_task) and gate.test_task == batch.task


def _requirement(gate: Gate, row: PlatformType, batch: Batch) -> dict[str, Any]:
    asked: dict[str, Any] = {"Comparator": "EqualTo", "IntegerValues": [int(Holding.Value.PASSED)]}
    if _is_test(gate, batch):
        asked = {"Comparator": "DoesNotExist"}
    elif gate.grading == Gate.Grading.PROVIDER:
        asked = {"Comparator": "GreaterThan", "IntegerValues": [gate.passing_value]}
    return {"QualificationTypeId": row.external_id, **asked, "ActionsGuarded": "Accept"}


def _meaning(gate: Gate, batch: Batch) -> str:
    if _is_test(gate, batch):
        return f"Has not taken “{gate.name}” yet"
    if gate.grading == Gate.Grading.PROVIDER:
        return f"Has more than {gate.passing_value} in “{gate.name}”, a test at the provider"
    return f"Has passed “{gate.name}”"


def _obstacle(gate: Gate, row: PlatformType | None, *, account: Account) -> str:
    if row and row.status == Status.READY:
        return ""
    if row and row.status == Status.REFUSED:
        return (
            f"{account} refused the qualification of “{gate.name}”: {row.problem} "
            "Correct the gate, or ask again on its page."
        )
    return (
        f"The qualification of “{gate.name}” is on its way to {account}. This takes some seconds, or some "
        "minutes where the provider is slow to answer; then launch again."
    )
