"""The last page before money is spent: everything the batch promises and costs, in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch, prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import ngettext

from hits import families
from hits.admin.batches.batch_actions import RUNNING
from hits.admin.batches.guide import NAMES, excluded_rows, get_visible, spans_of, step_url, steps_of
from hits.admin.batches.launch_facts import LaunchWarning, facts_of
from hits.admin.batches.prices import Wage, plans_of, table_of, wage_of
from hits.admin.page_parts import in_words
from hits.admin.selection import signed_in
from hits.batches.queries.offered_filters import filters_in_words, wrong_filters
from hits.batches.services import drafting, launching
from hits.common.currencies import Currency, in_money
from hits.core.domain.bonus_tables import wants_floor
from hits.core.domain.counted_nouns import plural
from hits.core.domain.money import Cost
from hits.core.domain.requirements import in_words as requirements_in_words
from hits.core.errors import CrowdError
from hits.families import entry_policies
from hits.people.queries.worker_pool import RecruitingNeed, asks_of_strangers, recruiting_facts
from hits.providers.gateway.interface import Provider
from hits.providers.gateway.registry import provider_for
from hits.providers.services.balances import read_balance
from hits.studies.models import Batch
from hits.work.queries.items import answers_wanted, items_of_batch, room_of

Batches = admin.ModelAdmin[Batch]
Status = Batch.Status
REVIEW_TAKES_S = 2 * 86_400
HOUR_S = 3600
STUDY_PEOPLE = "admin:hits_study_people"
# Of the United States by the hour, where most of MTurk's workers live.
MINIMUM_WAGE = Decimal("7.25")
# A slow worker needs up to this many times the expected time.
SLOW = 3


@dataclass(frozen=True, kw_only=True)
class Balance:
    """The provider's balance, or why there is none: the page is useful either way."""

    amount: Decimal | None
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Budget:
    total: Decimal
    reserved: Decimal
    this: Decimal

    @property
    def before(self) -> Decimal:
        return self.total - self.reserved

    @property
    def after(self) -> Decimal:
        return self.before - self.this


@dataclass(frozen=True, kw_only=True)
class ToldCost:
    """Rewards and fees by our fee schedule, and by the provider's own calculation."""

    ours: Decimal
    amount: Decimal | None = None
    problem: str = ""

    @property
    def is_higher(self) -> bool:
        return self.amount is not None and self.amount > self.ours


def urls(batches: Batches) -> list[URLPattern]:
    view = batches.admin_site.admin_view(partial(launch_view, batches))
    return [path("<int:batch_id>/launch/", view, name="hits_batch_launch")]


def launch_view(batches: Batches, request: HttpRequest, batch_id: int) -> HttpResponse:
    """Show the page to users who may see the batch; launching needs a permission of its own."""
    batch = get_visible(request, batch_id)
    may = request.user.has_perm("hits.launch_batch")
    if not (may if request.method == "POST" else batches.has_view_permission(request, batch)):
        raise PermissionDenied
    if batch.is_launched:
        if request.method == "POST":
            messages.warning(request, "This batch has been launched already.")
        return redirect("admin:hits_batch_live", batch.pk)
    if request.method == "POST":
        return _launch(request, batch)
    context = {**batches.admin_site.each_context(request), **launch_context(request, batch)}
    return TemplateResponse(request, "admin/hits/guide/launch.html", context)


def _launch(request: HttpRequest, batch: Batch) -> HttpResponse:
    if batch.account.is_real_money and not request.user.has_perm("hits.launch_production"):
        raise PermissionDenied
    try:
        drafting.launch_draft(
            batch=batch,
            seen=request.POST.get("seen", ""),
            by=request.user,  # type: ignore[arg-type]
            confirmed=_is_confirmed(request, batch),
            now=timezone.now(),
        )
    except CrowdError as error:
        messages.error(request, str(error))
        return redirect("admin:hits_batch_launch", batch.pk)
    messages.success(request, _launched_in_words(batch))
    return redirect("admin:hits_batch_live", batch.pk)


def _launched_in_words(batch: Batch) -> str:
    hits = batch.hits.count()
    held = batch.hits.filter(number__gt=batch.pilot_hits).count() if batch.pilot_hits else 0
    words = ngettext("Launched: %d HIT is on its way.", "Launched: %d HITs are on their way.", hits - held)
    waiting = f" Until you send the rest, it waits: {plural(held, 'HIT')}." if held else ""
    return words % (hits - held) + waiting


def _is_confirmed(request: HttpRequest, batch: Batch) -> bool:
    """Whether the title was typed: a person who spends real money must have read which batch it is."""
    typed = " ".join(request.POST.get("confirmed", "").split())
    return typed.casefold() == " ".join(batch.title.split()).casefold()


def launch_context(request: HttpRequest, batch: Batch) -> dict[str, Any]:
    prefetch_related_objects([batch], Prefetch("exclude_batches", excluded_rows(request)))
    plans = plans_of(batch)
    chosen = next(plan for plan in plans if plan.is_chosen)
    wanted = answers_wanted(batch)
    provider, balance = _ask_balance(batch)
    wage, asked = wage_of(batch), entry_policies.ask(batch)
    budget = _budget(batch, chosen.cost.total)
    may_change = request.user.has_perm("hits.change_batch")
    facts = facts_of(batch, user=signed_in(request))
    strangers = asks_of_strangers(batch)
    recruiting = recruiting_facts(batch, provider, required=asked.requirements, meanings=asked.meanings)
    return {
        "title": "Check and launch",
        "batch": batch,
        "family": families.registered().get(batch.task),
        "steps": steps_of(batch, current="launch", wanted=wanted, may_change=may_change),
        "plans": plans,
        "plan": chosen,
        "rules": table_of(batch.rules_that_apply, items=batch.prices.items, currency=batch.currency),
        "wanted": wanted,
        "asked": room_of(batch),
        "balance": balance,
        "told_cost": told_cost(batch, provider, cost=chosen.cost),
        "is_covered": balance.amount is not None and balance.amount >= chosen.cost.total,
        "budget": budget,
        "wage": wage,
        "expected": in_words(round(wage.seconds)) if wage else "",
        "recruiting": recruiting,
        "requirements": requirements_in_words(
            asked.requirements,
            english_speakers=batch.english_speakers,
            meanings={**asked.meanings, **filters_in_words(asked.requirements, account=batch.account)},
        ),
        "facts": facts,
        "excluded": batch.exclude_batches.all(),
        "spans": spans_of(batch),
        "warnings": [
            *(
                _leading(batch, words, step=step, may_change=may_change)
                for words, step in warnings(
                    batch, wanted=wanted, wage=wage, recruiting=recruiting, strangers=strangers
                )
            ),
            *(
                LaunchWarning(words, f"{fact.name} of this study", fact.address)
                for fact in facts
                for words in fact.warnings
            ),
            *map(LaunchWarning, asked.warnings),
        ],
        "asks_own_people": may_change and bool(strangers),
        "people_seen": drafting.stamp(batch, "people"),
        "problems": [
            *_problems(batch, wanted=wanted, budget=budget),
            *asked.obstacles,
            *launching.provider_obstacles(batch, asked.requirements),
            *wrong_filters(asked.requirements, account=batch.account),
        ],
        "can_launch": request.user.has_perm("hits.launch_batch"),
        "lacks_production": batch.account.is_real_money
        and not request.user.has_perm("hits.launch_production"),
        "seen": drafting.stamp_all(batch),
    }


def _leading(batch: Batch, words: str, *, step: str, may_change: bool) -> LaunchWarning:
    """The warning with the way to the page where it is mended: a step, or the study's people."""
    if step == STUDY_PEOPLE:
        return LaunchWarning(words, "People of this study", reverse(STUDY_PEOPLE, args=[batch.study_id]))
    if not step or not may_change:
        return LaunchWarning(words)
    return LaunchWarning(words, f"Change “{NAMES[step]}”", step_url(batch, step))


def warnings(
    batch: Batch, *, wanted: int, wage: Wage | None, recruiting: RecruitingNeed, strangers: Sequence[str] = ()
) -> Iterator[tuple[str, str]]:
    """Warnings about what is allowed but seldom meant, each with the step where it is mended."""
    if batch.account.is_real_money:
        yield "This account spends real money.", ""
    for row in recruiting.short:
        words = f"{row.words} One task needs {plural(recruiting.needed, 'different worker')}."
        yield words, STUDY_PEOPLE if row.meaning else "people"
    yield from ((words, "people") for words in strangers)
    yield from ((words, "terms") for words in _warn_of_items(batch, wanted=wanted))
    yield from ((words, "what") for words in _warn_of_others(batch))
    yield from ((words, "terms") for words in _warn_of_time(batch))
    if not batch.reward:
        yield "The reward is zero: workers are paid by bonuses alone, if at all.", "terms"
    elif wage is not None:
        yield from _warn_of_wage(wage, currency=batch.currency)


def _warn_of_wage(wage: Wage, *, currency: str) -> Iterator[tuple[str, str]]:
    hourly = in_money(wage.hourly, currency)
    if wage.is_low:
        floor = in_money(wage.floor or 0, currency)
        yield f"At {hourly} an hour the batch pays less than the study's wage floor of {floor}.", "terms"
    elif wage.floor is None and currency == Currency.USD and wage.hourly < MINIMUM_WAGE:
        words = (
            f"At {hourly} an hour, before bonuses, the batch pays less than the minimum wage of the United "
            f"States ({in_money(MINIMUM_WAGE, currency)}), and the study has no wage floor of its own."
        )
        yield words, "terms"


def _warn_of_items(batch: Batch, *, wanted: int) -> Iterator[str]:
    room = room_of(batch)
    if families.is_test(batch.task):
        yield from _warn_of_test(batch)
    elif wanted and room > wanted:
        yield (
            f"The plan has room for {room} answers, and {wanted} are needed: "
            "some workers will find nothing to do and give their place back."
        )
    elif room < wanted:
        yield f"{wanted} answers are needed, and the plan has room for {room}: {wanted - room} stay open."
    if batch.attention_rate and not items_of_batch(batch).filter(known_answer__isnull=False).exists():
        yield (
            f"{batch.attention_rate} of a hundred places are for attention items, and there are none yet. "
            "Until you choose some, by “Quality of the answers”, these places are filled as the others are."
        )
    if batch.pilot_hits and batch.pilot_hits == batch.hits_wanted:
        yield "The pilot is the whole batch: nothing is kept back."


def _warn_of_others(batch: Batch) -> Iterator[str]:
    """Warn of batches whose places ask for the same answers: what comes first leaves the others nothing."""
    if batch.items_from != Batch.ItemsFrom.POOL or families.is_test(batch.task):
        return
    others = Batch.objects.filter(
        study=batch.study_id, task=batch.task, items_from=batch.items_from, status__in=RUNNING
    )
    for title in others.exclude(pk=batch.pk).order_by("pk").values_list("title", flat=True):
        yield f"“{title}” still asks for the same answers: what comes there is not needed here."


def _warn_of_test(batch: Batch) -> Iterator[str]:
    """Warn of too few questions: a worker who gets fewer than a gate counts is never graded by it."""
    each = batch.items_per_assignment
    fit = items_of_batch(batch).filter(pulled_at=None).count()
    if 0 < fit < each:
        yield f"Each worker is to get {each} questions, and there are only {fit}. Add some, or ask fewer."


def _warn_of_time(batch: Batch) -> Iterator[str]:
    by_hand = batch.review_by == Batch.Review.HAND
    if by_hand and batch.approves_after_s < REVIEW_TAKES_S:
        yield (
            f"A person decides on each submission, and it is approved automatically after "
            f"{in_words(batch.approves_after_s)}: that is hardly time to look."
        )
    if batch.duration_s < SLOW * batch.estimated_s:
        yield (
            f"One assignment is expected to take {in_words(batch.estimated_s)}, and "
            f"{in_words(batch.duration_s)} are allowed: slow workers will be late, and not paid."
        )
    if batch.lifetime_s < max(HOUR_S, batch.duration_s):
        yield f"The HITs stay open for {in_words(batch.lifetime_s)} only: many workers never see them."


def _problems(batch: Batch, *, wanted: int, budget: Budget | None) -> Iterator[str]:
    """Reasons why a launch would be refused."""
    if batch.status == Status.CANCELLED:
        yield "This draft was cancelled. Copy it to go on with it."
    if batch.account.currency != batch.currency:
        yield (
            f"The study's money is in {batch.currency}, and {batch.account} pays in "
            f"{batch.account.currency}. Choose an account in {batch.currency}, or a study in "
            f"{batch.account.currency}."
        )
    if wants_floor(batch.rules) and not batch.study.wage_floor:
        yield "The bonus table pays up to the study's wage floor, and the study has none. Set one."
    if batch.task not in families.registered():
        yield f"There is no task {batch.task} any more. Choose another."
    if not wanted:
        yield "There is nothing to ask: no item needs an answer. Add items, or choose another source."
    if budget is None:
        yield "The study has no budget. Give it one: a launch is paid from it."
    elif budget.after < 0:
        yield (
            f"The study's budget has {in_money(budget.before, batch.currency)} left, and this batch can "
            f"cost {in_money(budget.this, batch.currency)}. "
            f"Raise the budget by {in_money(-budget.after, batch.currency)}, or make the batch smaller."
        )


def _budget(batch: Batch, cost: Decimal) -> Budget | None:
    if batch.study.budget is None:
        return None
    return Budget(total=batch.study.budget, reserved=batch.study.reserved, this=cost)


def told_cost(batch: Batch, provider: Provider | None, *, cost: Cost) -> ToldCost | None:
    """What the provider itself says that the rewards cost with its fees; None where it says nothing."""
    if provider is None or not batch.account.can.tells_cost:
        return None
    try:
        told = provider.cost_of(reward=batch.reward, places=sum(batch.sizes) * batch.hits_wanted)
    except CrowdError as error:
        return ToldCost(ours=cost.rewards + cost.fees, problem=str(error))
    return ToldCost(ours=cost.rewards + cost.fees, amount=told)


def _ask_balance(batch: Batch) -> tuple[Provider | None, Balance]:
    """Ask for the balance once, with a short timeout; a silent provider is asked nothing more."""
    try:
        provider = provider_for(batch.account, quick=True)
        return provider, Balance(
            amount=read_balance(account=batch.account, provider=provider, now=timezone.now())
        )
    except CrowdError as error:
        return None, Balance(amount=None, problem=str(error))
