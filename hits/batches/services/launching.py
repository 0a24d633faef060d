"""Launch of a draft: its intents, in one transaction. hits.batches.services.sending_hits makes the HITs."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import structlog
from django.db import transaction

from hits import families
from hits.batches.services.batch_rows import lock_batch, tell, write_intents
from hits.batches.services.budgets import refuse_other_currency, refuse_real_money, reserve
from hits.common.currencies import in_money
from hits.core.domain.bonus_tables import wants_floor, with_floor
from hits.core.domain.money import round_up_to_cents
from hits.core.domain.requirements import check, in_words, unknown_to
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.families import entry_policies
from hits.identity.models.users import User
from hits.providers.capabilities import Gating
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.work.queries.items import answers_wanted

Status = Batch.Status
HOUR_S = 3600
log = structlog.get_logger()


def launch_batch(*, batch: Batch, by: User | None, now: datetime, confirmed: bool = False) -> None:
    """Reserve the money and write one intent for each HIT. Raises RuleBroken, and then nothing is written.

    Without `by`, the system itself launches a batch that no person may launch, such as a compensation.
    """
    with transaction.atomic():
        draft = lock_batch(batch.pk)
        if draft.status != Status.DRAFT:
            raise RuleBroken("already_launched", "This batch has been launched already.")
        _check_launch(draft, by=by, confirmed=confirmed)
        cost = draft.cost
        reserve(batch=draft, amount=cost.total, words=f"Launch of “{draft.title}”"[:200], by=by, now=now)
        move(
            draft,
            Status.LAUNCHING,
            since=(Status.DRAFT,),
            launched_at=now,
            launched_by=by,
            problem="",
            terms=_terms(draft),
        )
        write_intents(draft, numbers=range(1, draft.hits_wanted + 1))
        most = in_money(cost.total, draft.currency)
        words = f"Launched {draft.hits_wanted * len(draft.sizes)} HITs for at most {most}."
        tell(draft, "launched", words, by=by, now=now)
    batch.refresh_from_db()
    log.info("batch.launched", batch=str(batch.public_id), hits=batch.hits_wanted)


def _check_launch(batch: Batch, *, by: User | None, confirmed: bool) -> None:
    if (by is None) == families.is_offered(batch.task):
        raise RuleBroken(
            "not_by_hand",
            "This batch pays one bonus. It goes out by itself as soon as its worker can take it.",
        )
    if not answers_wanted(batch):
        raise RuleBroken(
            "nothing_wanted", "This batch has no items that still need answers. Add items to it first."
        )
    refuse_other_currency(study=batch.study, account=batch.account)
    if batch.study.budget is None:
        raise RuleBroken("no_budget", f"The study “{batch.study}” has no budget yet. Give it one first.")
    if wants_floor(batch.rules) and not batch.study.wage_floor:
        raise RuleBroken(
            "no_wage_floor",
            f"The bonus table of the study “{batch.study}” pays up to the study's wage floor, and there is "
            "none. Give the study a wage floor, or the rule an hourly wage of its own.",
        )
    asked = entry_policies.ask(batch)
    for words in asked.obstacles:
        raise RuleBroken("door_shut", words)
    try:
        check(asked.requirements)
    except ValueError as error:
        raise RuleBroken("requirements", str(error)) from error
    for words in provider_obstacles(batch, asked.requirements):
        raise RuleBroken("provider", words)
    if by is None:
        return
    refuse_real_money(batch=batch, by=by)
    if batch.account.is_real_money and not confirmed:
        raise RuleBroken(
            "not_confirmed", f"{batch.account} spends real money. Confirm that you mean it, and launch again."
        )


def provider_obstacles(batch: Batch, asked: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the batch's provider would refuse, and what to do about it."""
    return [*_unfit_requirements(batch, asked), *_low_pay(batch)]


def _low_pay(batch: Batch) -> Iterator[str]:
    currency = batch.account.currency
    floor = batch.account.can.hourly_floor.get(currency)
    hourly = batch.reward * HOUR_S / batch.account.can.counted_s(batch.estimated_s)
    if floor is not None and hourly < floor:
        least = in_money(least_reward(batch.account, seconds=batch.estimated_s), currency)
        yield (
            f"The provider of {batch.account.name} lets nobody pay less than {in_money(floor, currency)} an "
            f"hour. By the expected time this batch pays {in_money(hourly, currency)}: make the reward at "
            f"least {least}, or correct the time."
        )


def least_reward(account: Account, *, seconds: int) -> Decimal:
    """The least that the provider lets pay for so many seconds of work; zero where it does not mind."""
    floor = account.can.hourly_floor.get(account.currency, Decimal(0))
    return round_up_to_cents(floor * account.can.counted_s(seconds) / HOUR_S)


def _unfit_requirements(batch: Batch, asked: Sequence[Mapping[str, Any]]) -> list[str]:
    takes_filters = batch.account.can.gating == Gating.GROUPS
    instead = "use one of the provider's own filters instead" if takes_filters else "use a qualification"
    unknown = unknown_to(asked, takes_filters=takes_filters)
    return [
        f"The provider of {batch.account.name} does not know this requirement: “{words}”. Take it off the "
        f"draft, or {instead}."
        for words in unknown
    ]


def _terms(batch: Batch) -> dict[str, Any]:
    """Promises that other rows hold, as they are at this moment."""
    cost, asked = batch.cost, entry_policies.ask(batch)
    return {
        "bonus_rules": with_floor(batch.bonus_table, floor=batch.study.wage_floor),
        "most_bonus": f"{batch.prices.most_bonus:.2f}",
        "fee_schedule": batch.account.fee_schedule,
        "environment": batch.account.environment,
        "endpoint": batch.account.endpoint,
        "language": batch.study.language,
        "time_zone": batch.study.time_zone,
        "exclude_batches": [
            str(public_id)
            for public_id in batch.exclude_batches.order_by("pk").values_list("public_id", flat=True)
        ],
        "requirements": asked.requirements,
        "requirements_in_words": in_words(
            asked.requirements, english_speakers=batch.english_speakers, meanings=asked.meanings
        ),
        "cost": {
            "rewards": f"{cost.rewards:.2f}",
            "fees": f"{cost.fees:.2f}",
            "bonuses": f"{cost.bonuses:.2f}",
            "bonus_fees": f"{cost.bonus_fees:.2f}",
            "total": f"{cost.total:.2f}",
        },
    }
